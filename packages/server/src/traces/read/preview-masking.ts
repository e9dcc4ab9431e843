import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { MOST_EXCERPTS } from '@spoor/contract/limits'
import type { Masking, MaskingPreview } from '@spoor/contract/schemas/masking'
import { DomainError } from '../../lib/domain-error.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import { compileTried, type Hit } from '../../lib/masking/masker.ts'
import { maskStepTexts, maskTrace } from '../intake/mask-prepared.ts'
import { readTrace, type ReadTraceDependencies } from './read-trace.ts'

interface PreviewDependencies extends ReadTraceDependencies {
  readonly newestTraces: (projectId: ProjectId, limit: number) => Promise<readonly TraceId[]>
  readonly work: Pick<WorkTurns, 'run'>
}

type Excerpt = MaskingPreview['excerpts'][number]

/** UTF-16 code units that an excerpt shows. */
const MOST_AROUND = 30
const MOST_TEXT = 60

/** What these rules would mask in the newest traces. The rules MUST be valid. */
export async function previewMasking(
  dependencies: PreviewDependencies,
  projectId: ProjectId,
  masking: Masking,
  limit: number,
): Promise<MaskingPreview> {
  const masker = await compileTried(masking)
  const found = new Map<string, { times: number; readonly excerpts: Excerpt[] }>()
  const onHit = (traceId: TraceId, stepId: StepId | null) => (hit: Hit) => {
    const { rule } = hit
    const known = found.get(rule) ?? { times: 0, excerpts: [] }
    found.set(rule, known)
    known.times += 1
    if (known.excerpts.length < MOST_EXCERPTS) known.excerpts.push(toExcerpt(hit, traceId, stepId))
  }
  const ids = await dependencies.newestTraces(projectId, limit)
  let steps = 0
  for (const id of ids) {
    const read = await readTrace(dependencies, projectId, id).catch(unlessDeleted)
    if (read === null) continue
    const { trace, steps: pages } = read
    if (masker !== null) maskTrace(trace, masker, onHit(id, null))
    for await (const page of pages) {
      steps += page.length
      for (const step of page) {
        if (masker === null) continue
        await dependencies.work.run(projectId, () =>
          maskStepTexts({ name: step.name, body: Buffer.from(step.body) }, masker, onHit(id, step.id)),
        )
      }
    }
  }
  const excerpts = inTurn([...found.values()].map((one) => one.excerpts)).slice(0, MOST_EXCERPTS)
  const masked = Object.fromEntries([...found].map(([rule, { times }]) => [rule, times]))
  return { traces: ids.length, steps, masked, excerpts }
}

/** Since the newest were listed. */
function unlessDeleted(error: unknown): null {
  if (error instanceof DomainError && error.code === 'not_found') return null
  throw error
}

/** The first of each list, then the second of each. */
function inTurn(lists: readonly (readonly Excerpt[])[]): Excerpt[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
}

function toExcerpt({ rule, place, text, start, end }: Hit, traceId: TraceId, stepId: StepId | null): Excerpt {
  return {
    rule,
    trace_id: traceId,
    step_id: stepId,
    place,
    before: text.slice(Math.max(0, start - MOST_AROUND), start).toWellFormed(),
    text: text.slice(start, Math.min(end, start + MOST_TEXT)).toWellFormed(),
    after: text.slice(end, end + MOST_AROUND).toWellFormed(),
  }
}
