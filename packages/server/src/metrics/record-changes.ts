import { isDeepStrictEqual } from 'node:util'
import type { ProjectId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { Clock } from '../lib/time/clock.ts'
import type { MetricEventRecord, MetricEventVerdict } from '../ports/journal/metric-event.ts'
import { compareNewest } from '../ports/metrics/metric-event-order.ts'
import type { MetricEventQuery, MetricEventStore } from '../ports/metrics/metric-event-store.ts'
import type { HashedScore, MetricRecorder } from './metric-recorder.ts'

/** The key of an event's metadata that has the name by which the sender of a score changes it. */
export const SCORE_ID = 'score_id'

export interface SentScore {
  readonly score: HashedScore
  /** When its sender says that it was given, milliseconds; null: now. */
  readonly at: number | null
  /** Its sender has scores of its own, each with an id. */
  readonly mayChange: boolean
}

export interface RecordChangesDependencies {
  readonly recorder: Pick<MetricRecorder, 'recordMetricEvents'>
  readonly events: Pick<MetricEventStore, 'list' | 'findByTraces'>
  readonly clock: Clock
}

export const ANY_EVENT: Omit<MetricEventQuery, 'projectId' | 'limit'> = {
  metricId: null,
  traceId: null,
  stepId: null,
  source: null,
  ...toTraceFilters('events', {}),
  metadata: [],
  startTime: null,
  endTime: null,
  after: null,
}

/** Traces whose events are read together. */
const TRACES_TOGETHER = 100
/** Of these traces together. A trace with more than its share is searched for one score at a time. */
const MOST_EVENTS = 10_000
/** Values of one score that are read. */
const MOST_VALUES = 1000
/** Each time, others have changed the same scores meanwhile. */
const MOST_TRIES = 5

/**
 * Records scores whose idempotency key has another content: each as a further event, whose key names the event before
 * it. Of several values of a score the latest counts; one that comes late or again changes nothing. Resolves with
 * whether any could not be recorded.
 */
export async function recordChanges(
  { recorder, events, clock }: RecordChangesDependencies,
  projectId: ProjectId,
  sent: readonly SentScore[],
): Promise<boolean> {
  let left = sent.filter(({ mayChange }) => mayChange)
  let isLeft = left.length < sent.length
  for (let tries = 0; left.length > 0 && tries < MOST_TRIES; tries++) {
    const changed: { readonly one: SentScore; readonly score: HashedScore }[] = []
    for await (const [one, history] of histories(events, projectId, left)) {
      const [last] = history
      if (last === undefined) isLeft = true
      else if (!isKnown(one, history, last)) {
        const at = one.at ?? Math.max(clock.now(), last.at)
        const idempotencyKey = `${one.score.idempotencyKey} ${last.id}`
        changed.push({ one, score: Object.assign({}, one.score, { at, idempotencyKey }) })
      }
    }
    if (changed.length === 0) return isLeft
    const verdicts = await recorder.recordMetricEvents(
      projectId,
      changed.map(({ score }) => score),
    )
    left = changed.filter((_, at) => isConflict(verdicts[at])).map(({ one }) => one)
  }
  return isLeft || left.length > 0
}

/** Each score with its earlier values, the latest first. */
async function* histories(
  events: RecordChangesDependencies['events'],
  projectId: ProjectId,
  sent: readonly SentScore[],
): AsyncGenerator<readonly [SentScore, readonly MetricEventRecord[]]> {
  const byTrace = [...Map.groupBy(sent, ({ score }) => score.traceId)]
  for (let from = 0; from < byTrace.length; from += TRACES_TOGETHER) {
    const some = byTrace.slice(from, from + TRACES_TOGETHER)
    const limit = Math.floor(MOST_EVENTS / some.length)
    const traceIds = some.map(([traceId]) => traceId)
    const found = await events.findByTraces({ projectId, traceIds, after: null, limit })
    const stored = Map.groupBy(found, ({ traceId }) => traceId)
    for (const [traceId, ofTrace] of some) {
      const all = stored.get(traceId) ?? []
      for (const one of ofTrace) {
        const { idempotencyKey: first } = one.score
        const metadata = [{ key: SCORE_ID, value: String(first) }]
        const values =
          all.length < limit
            ? all
            : await events.list({ ...ANY_EVENT, projectId, traceId, metadata, limit: MOST_VALUES })
        yield [one, values.filter(({ idempotencyKey }) => isOf(idempotencyKey, first)).toSorted(compareNewest)]
      }
    }
  }
}

export function isConflict(verdict: MetricEventVerdict | undefined): boolean {
  return verdict?.status === 'error' && verdict.code === 'idempotency_conflict'
}

function isOf(key: string | null, first: string | null): boolean {
  return key !== null && first !== null && (key === first || key.startsWith(`${first} `))
}

/** Whether the score changes nothing: `history` has its earlier values, of which `last` is the latest. */
function isKnown({ score, at }: SentScore, history: readonly MetricEventRecord[], last: MetricEventRecord): boolean {
  const isSame = ({ value, comment, source }: MetricEventRecord) =>
    isDeepStrictEqual([value, comment, source], [score.value, score.comment, score.source])
  if (isSame(last) || (at !== null && at < last.at)) return true
  return history.some((event) => isSame(event) && (at === null || at === event.at))
}
