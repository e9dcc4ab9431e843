import type { MetricEventVerdict } from '../ports/journal/metric-event.ts'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { OTEL_TRACE_ID } from '@spoor/contract/otlp'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError, refusalOf } from '../lib/domain-error.ts'
import type { PendingLine, RefusedLine } from '../lib/lines/line-group.ts'
import { checkMetricEvent } from './check-metric-event.ts'
import type { MetricStore } from '../ports/metrics/metric-store.ts'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'
import { type HashedScore, type MetricRecorder, MOST_SCORES } from './metric-recorder.ts'
import type { ParsedMetricEvent } from './parse-metric-event.ts'
import type { Refusal } from '../lib/validation/refusal.ts'
import { refuseEvent, refuseFor } from './refuse-event.ts'
import type { Author, EventLineVerdict } from './use-cases.ts'

export interface WriteEventsDependencies {
  readonly definitions: Pick<MetricStore, 'findByName'>
  readonly recorder: Pick<MetricRecorder, 'recordMetricEvents'>
  /** The trace that OpenTelemetry knows by this id, 32 hex digits; null if there is none. */
  readonly findOtelTrace: (projectId: ProjectId, otelTraceId: string) => Promise<TraceId | null>
  readonly clock: Clock
  readonly pause: (ms: number) => Promise<void>
}

/** A group of a batch is full when it has reached either of these. */
export const GROUP_BYTES = 1024 * 1024
export const GROUP_EVENTS = 500

/**
 * How often a batch in progress tries a full queue before it gives up its events, and how long it waits in between.
 */
const ROOM_TRIES = 20
const ROOM_WAIT_MS = 250

/** An event that waits for its commit, or that already has its result. */
export type CheckedLine = { readonly line: number; readonly score: HashedScore } | RefusedLine

/**
 * Validates the events of a group against their definitions, each of which is looked up once. If a definition cannot be
 * read, its events get that error as their result.
 */
export async function checkGroup(
  { definitions, clock, findOtelTrace }: Pick<WriteEventsDependencies, 'definitions' | 'clock' | 'findOtelTrace'>,
  projectId: ProjectId,
  pending: readonly PendingLine<ParsedMetricEvent>[],
): Promise<readonly CheckedLine[]> {
  const byName = new Map<string, MetricDefinition | DomainError | undefined>()
  const ofOtel = new Map<string, TraceId | DomainError | null>()
  for (const line of pending) {
    if (!('parsed' in line)) continue
    const { name, traceId } = line.parsed
    if (OTEL_TRACE_ID.test(traceId) && !ofOtel.has(traceId)) {
      ofOtel.set(traceId, await findOtelTrace(projectId, traceId).catch(refusalOf))
    }
    if (byName.has(name)) continue
    byName.set(name, await definitions.findByName(projectId, name).catch(refusalOf))
  }
  const now = clock.now()
  return pending.map((line) => {
    if (!('parsed' in line)) return line
    const definition = byName.get(line.parsed.name)
    if (definition instanceof DomainError) return refuseEvent(line.line, definition)
    const traceId = ofOtel.get(line.parsed.traceId) ?? null
    if (traceId instanceof DomainError) return refuseEvent(line.line, traceId)
    const event = traceId === null ? line.parsed : Object.assign({}, line.parsed, { traceId })
    const result = checkMetricEvent(event, definition, now)
    if ('error' in result) return refuseEvent(line.line, refuseFor(result.error).refusal)
    return { line: line.line, score: result.score }
  })
}

/** The results of a group, in order. If its events cannot be recorded, the error is their result. */
export async function writeGroup(
  dependencies: WriteEventsDependencies,
  author: Author,
  checked: readonly CheckedLine[],
): Promise<readonly EventLineVerdict[]> {
  const scores = checked.flatMap((line) => ('score' in line ? [line.score] : []))
  const verdicts: (MetricEventVerdict | DomainError)[] = []
  // One chunk of a request may hold more lines than a call accepts.
  for (let from = 0; from < scores.length; from += MOST_SCORES) {
    const slice = scores.slice(from, from + MOST_SCORES)
    verdicts.push(...(await recordWhenRoom(dependencies, author, slice)))
  }
  let next = 0
  return checked.map((line) => {
    if (!('score' in line)) return line
    const verdict = verdicts[next++] as MetricEventVerdict | DomainError
    if (verdict instanceof DomainError) return refuseEvent(line.line, verdict)
    if (verdict.status === 'error') return refuseEvent(line.line, refuseVerdict(verdict).refusal)
    const eventId = verdict.status === 'created' ? verdict.event.id : verdict.eventId
    return { line: line.line, status: verdict.status, eventId }
  })
}

const POINTERS = {
  unknown_trace: '/trace_id',
  unknown_step: '/step_id',
  idempotency_conflict: '/idempotency_key',
} as const

export function refuseVerdict({ code, detail }: Extract<MetricEventVerdict, { status: 'error' }>): {
  readonly refusal: Refusal
} {
  return refuseFor({ pointer: POINTERS[code], code, detail })
}

/** A batch in progress waits for a while when the queue is full. */
async function recordWhenRoom(
  { recorder, pause }: WriteEventsDependencies,
  { projectId, keyId }: Author,
  scores: readonly HashedScore[],
): Promise<readonly (MetricEventVerdict | DomainError)[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await recorder.recordMetricEvents(projectId, scores, keyId)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error.code !== 'queue_full' || tries === ROOM_TRIES) return scores.map(() => error)
      await pause(ROOM_WAIT_MS)
    }
  }
}
