import type { TraceId } from '@spoor/contract/ids'
import type { Attachment } from '../../ports/media/media-record.ts'
import type { MediaUseCases } from '../../media/use-cases.ts'
import type { StepWithAttachments } from '../../wire/step-to-wire.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'

/** The number of steps whose attachments are in memory at once for one answer. */
const SLICE = 64
const NONE: readonly Attachment[] = []

export async function withAttachments(
  media: Pick<MediaUseCases, 'attachmentsOf'>,
  traceId: TraceId,
  steps: readonly StepRecord[],
): Promise<readonly StepWithAttachments[]> {
  const found = await media.attachmentsOf(
    traceId,
    steps.map(({ id }) => id),
  )
  return steps.map((step) => ({ step, attachments: found.get(step.id) ?? NONE }))
}

/** The same for a whole trace, in slices that are read on demand. */
export async function* pagesWithAttachments(
  media: Pick<MediaUseCases, 'attachmentsOf'>,
  traceId: TraceId,
  pages: AsyncIterable<readonly StepRecord[]>,
): AsyncGenerator<readonly StepWithAttachments[]> {
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += SLICE) {
      yield await withAttachments(media, traceId, page.slice(from, from + SLICE))
    }
  }
}
