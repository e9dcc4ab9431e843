import type { MediaUseCases } from '../../../media/use-cases.ts'
import type { FeedPage } from '../../../traces/use-cases.ts'
import { toTraceRow } from '../../../wire/to-wire.ts'

/** `"traces":[…],"next_cursor":…`: the members of an answer with a page of traces. */
export async function printTraces(
  media: Pick<MediaUseCases, 'countByTrace'>,
  { traces, nextCursor }: FeedPage,
): Promise<string> {
  const counts = await media.countByTrace(traces.map(({ id }) => id))
  const rows = traces.map((trace) => toTraceRow(trace, counts.get(trace.id) ?? 0)).join(',')
  return `"traces":[${rows}],"next_cursor":${JSON.stringify(nextCursor)}`
}
