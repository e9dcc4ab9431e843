import type { FieldError } from '@spoor/contract/errors'
import type { KeyId, ProjectId } from '@spoor/contract/ids'
import { invalid } from '../../../lib/validation/validation-failed.ts'
import type { PreparedTrace } from '../../../ports/traces/prepared.ts'
import type { CommitBatch } from '../commit-batch.ts'
import { type GivenTrace, planCreate, refuseLinks } from './create.ts'
import { type NewScore, planEvents } from './events.ts'
import { attachmentsLeft } from './links.ts'
import { eventsKey, FIRST_PART, NewStepKeys, stepIdKey } from './step-keys.ts'
import { withSteps } from './with-steps.ts'
import { writeSteps } from './write-steps.ts'

/** A part of an imported trace. */
export interface PlannedPart {
  readonly projectId: ProjectId
  /** How many steps the trace has before. */
  readonly from: number
  /** How many metric events of it were imported before. */
  readonly eventsFrom: number
  readonly given: GivenTrace
  readonly prepared: PreparedTrace
  readonly scores: readonly NewScore[]
  readonly createdBy: KeyId
}

/**
 * False, and nothing has changed, if the part is there, or the trace has another number of steps. A later part needs
 * its trace held in memory. Throws DomainError `validation_failed` for what does not fit the trace.
 */
export function* planPart(batch: CommitBatch, part: PlannedPart): Generator<void, boolean> {
  const { projectId, given, prepared, scores, createdBy } = part
  if (batch.stepKey(given.id, given.key) !== undefined) return false
  refuseScores(batch, part)
  if (isFirst(part)) yield* planCreate(batch, projectId, prepared, null, given)
  else if (!(yield* appendPart(batch, part))) return false
  planEvents(batch, scores, createdBy)
  const filled = filledKey(part)
  if (filled !== null && batch.stepKey(given.id, filled) === undefined) {
    const { id: traceId, contentHash } = given
    batch.addStepKeys([{ traceId, key: filled, stepId: batch.context.newStepId(), contentHash }])
  }
  return true
}

function* appendPart(batch: CommitBatch, { from, given, prepared: { steps } }: PlannedPart): Generator<void, boolean> {
  const { id, flagged, flagReason } = given
  const before = batch.latest(id)
  if (before.deleted || before.stepCount !== from) return false
  refuseLinks(batch, before.projectId, steps, attachmentsLeft(batch, before, steps))
  const keys = new NewStepKeys(id, (key) => batch.stepKey(id, key))
  const stepIds = steps.map((step, index) => {
    if (step.id !== null && keys.find(stepIdKey(step)) !== undefined) {
      const detail = 'The trace has a step with this id.'
      throw invalid({ pointer: `/trace/steps/${index}`, code: 'step_id_conflict', detail })
    }
    const stepId = step.id ?? batch.context.newStepId()
    keys.addOf(step, stepId)
    return stepId
  })
  keys.add(given.key, stepIds[0] ?? batch.context.newStepId(), given)
  const after = withSteps(batch, before, steps, stepIds)
  batch.addStepKeys(keys.all)
  yield* writeSteps(batch, before, steps, stepIds)
  if (flagged && !before.flagged) {
    batch.emit(before.projectId, { type: 'trace.flagged', traceId: id, reason: flagReason })
  }
  batch.put(before, { ...after, flagged, flagReason, updatedAt: batch.context.now })
  return true
}

/** The key that the next part with metric events needs; null if the part has no events. */
export function filledKey({ eventsFrom, scores }: PlannedPart): string | null {
  return scores.length === 0 ? null : eventsKey(eventsFrom + scores.length)
}

/** Whether it creates the trace. */
export function isFirst({ given }: PlannedPart): boolean {
  return given.key === FIRST_PART
}

function refuseScores(batch: CommitBatch, part: PlannedPart): void {
  const { given, prepared, scores } = part
  const { id } = given
  const own = new Set(prepared.steps.map((step) => step.id))
  const keys = new Set<string>()
  for (const [index, { traceId, stepId, idempotencyKey: key }] of scores.entries()) {
    const refuse = (name: string, code: FieldError['code'], detail: string) =>
      invalid({ pointer: `/metric_events/${index}/${name}`, code, detail })
    if (traceId !== id) throw refuse('trace_id', 'unknown_trace', 'The event is about another trace.')
    const isThere =
      stepId === null ||
      own.has(stepId) ||
      (!isFirst(part) && batch.stepKey(id, stepIdKey({ id: stepId })) !== undefined)
    if (!isThere) throw refuse('step_id', 'unknown_step', `The trace has no step ${stepId}.`)
    if (key === null) continue
    if (keys.has(key) || batch.metricEventKey(id, key) !== undefined)
      throw refuse('idempotency_key', 'idempotency_conflict', 'Another event of the trace has this key.')
    keys.add(key)
  }
}
