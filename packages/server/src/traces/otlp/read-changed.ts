import type { StepId } from '@spoor/contract/ids'
import type { StepKey } from '../../ports/journal/journal.ts'
import { type Log, NO_UNKNOWNS } from '../../ports/log/log.ts'
import type { PreparedSpan } from '../../ports/traces/prepared.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import { type HeldSpans, mayChange } from '../commit/plan/spans.ts'
import { correctionKey, stepIdKey } from '../commit/plan/step-keys.ts'

export interface ReadChangedDependencies {
  readonly log: Pick<Log, 'lookUp' | 'watermark'>
  readonly store: Pick<TraceReads, 'findStepHeads' | 'findSteps'>
}

/** Keys of one look-up, which takes about a millisecond. */
const KEYS_TOGETHER = 500
/** Steps that are read together. */
const STEPS_TOGETHER = 50

export type StepName = Pick<StepKey, 'traceId' | 'key'>

/** The stored ones of these keys, by trace id and key. Looked up in slices, between which others have their turn. */
export async function keysAmong(
  log: Pick<Log, 'lookUp'>,
  names: readonly StepName[],
): Promise<ReadonlyMap<string, StepKey>> {
  const known = new Map<string, StepKey>()
  for (let from = 0; from < names.length; from += KEYS_TOGETHER) {
    const stepKeys = names.slice(from, from + KEYS_TOGETHER)
    const found = await log.lookUp({ ...NO_UNKNOWNS, stepKeys })
    for (const { traceId, key } of stepKeys) {
      const stored = found.stepKey(traceId, key)
      if (stored !== undefined) known.set(`${traceId}${key}`, stored)
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return known
}

/**
 * The stored steps of those spans that have come before with other content, which they may replace. They are so rare
 * that their positions are not stored in their keys. Spans whose content has replaced a step before are repeated.
 */
export async function readChanged(
  { store, log }: ReadChangedDependencies,
  { projectId, id: traceId, version, stepCount }: TraceRecord,
  spans: readonly PreparedSpan[],
): Promise<HeldSpans & { readonly repeated: ReadonlySet<PreparedSpan> }> {
  const changing = spans.filter((span) => !span.isTrace && mayChange(span))
  const known = await keysAmong(
    log,
    changing.flatMap(({ step }) => [stepIdKey(step), correctionKey(step)].map((key) => ({ traceId, key }))),
  )
  const repeated = new Set(changing.filter(({ step }) => known.has(`${traceId}${correctionKey(step)}`)))
  const isChanged = ({ step }: PreparedSpan) => {
    const stored = known.get(`${traceId}${stepIdKey(step)}`)
    return stored !== undefined && stored.contentHash !== step.contentHash
  }
  const wanted = new Set<StepId | null>(
    changing.filter((span) => !repeated.has(span) && isChanged(span)).map(({ step }) => step.id),
  )
  const changed = new Map<StepId, StepRecord>()
  if (wanted.size === 0) return { traceId, version, changed, repeated }
  const maxVersion = Math.max(version, log.watermark().version)
  const heads = await store.findStepHeads({ projectId, traceId, fromPosition: 0, limit: stepCount, maxVersion })
  for (const { fromPosition, limit } of runsOf(heads.filter(({ id }) => wanted.has(id)))) {
    for (const step of await store.findSteps({ projectId, traceId, fromPosition, limit, maxVersion })) {
      if (wanted.has(step.id)) changed.set(step.id, step)
    }
  }
  return { traceId, version, changed, repeated }
}

/** Neighbouring positions as ranges. */
function runsOf(heads: readonly { readonly position: number }[]): { fromPosition: number; limit: number }[] {
  const runs: { fromPosition: number; limit: number }[] = []
  for (const { position } of heads) {
    const last = runs.at(-1)
    if (last !== undefined && last.fromPosition + last.limit === position && last.limit < STEPS_TOGETHER) last.limit++
    else runs.push({ fromPosition: position, limit: 1 })
  }
  return runs
}
