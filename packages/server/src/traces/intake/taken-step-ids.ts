import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { type Log, NO_UNKNOWNS } from '../../ports/log/log.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { type PendingLine, type RefusedLine, toRefusal } from '../../lib/lines/line-group.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'

export interface TakenStepIdsDependencies {
  readonly store: Pick<TraceReads, 'findStepsAmong'>
  readonly log: Pick<Log, 'lookUp'>
  readonly watermark: () => { readonly version: number }
}

/** Keeps a statement below the engine's limit of 256 KiB. */
const IDS_PER_READ = 2000

/**
 * Refuses lines whose client chose a step id that the service assigned to another step of the trace. The journal stores
 * only ids that clients chose, so the commit would not detect it. A client learns an assigned id only after its step is
 * committed, so checking committed steps is enough. If the check fails, no step of these lines is accepted.
 */
export async function refuseTakenStepIds(
  dependencies: TakenStepIdsDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  lines: readonly PendingLine<PreparedStep>[],
): Promise<readonly PendingLine<PreparedStep>[]> {
  const chosen = lines.flatMap((line) => ('parsed' in line && line.parsed.id !== null ? [line.parsed.id] : []))
  if (chosen.length === 0) return lines
  try {
    const taken = await findGivenIds(dependencies, projectId, traceId, chosen)
    if (taken.size === 0) return lines
    return lines.map((line) =>
      'parsed' in line && taken.has(line.parsed.id) ? conflict(line.line, line.parsed.id) : line,
    )
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return lines.map((line) => ('parsed' in line ? toRefusal(line.line, error) : line))
  }
}

/** Those of `ids` that steps of the trace have, assigned by the service. */
async function findGivenIds(
  { store, log, watermark }: TakenStepIdsDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  ids: readonly StepId[],
): Promise<ReadonlySet<StepId | null>> {
  const given = new Set<StepId | null>()
  const { version } = watermark()
  for (let from = 0; from < ids.length; from += IDS_PER_READ) {
    const places = ids.slice(from, from + IDS_PER_READ).map((stepId) => ({ traceId, stepId }))
    const found = await store.findStepsAmong(projectId, places, version)
    const stepKeys = found.map(({ stepId }) => ({ traceId, key: `i${stepId}` }))
    const known = await log.lookUp({ ...NO_UNKNOWNS, stepKeys })
    for (const { stepId } of found) if (known.stepKey(traceId, `i${stepId}`) === undefined) given.add(stepId)
  }
  return given
}

function conflict(line: number, id: StepId | null): RefusedLine {
  const detail = `The service gave the id ${id} to another step of this trace.`
  return { line, status: 'error', code: 'step_id_conflict', detail, pointer: '/id' }
}
