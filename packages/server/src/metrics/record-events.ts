import type { FieldError } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import { type Limits, PART_METRIC_EVENTS_MAX } from '@spoor/contract/limits'
import { OTEL_TRACE_ID } from '@spoor/contract/otlp'
import type { ByteBudget } from '../lib/flow/byte-budget.ts'
import { DomainError } from '../lib/domain-error.ts'
import { GROUPS_AHEAD, processLines, type LineWriter } from '../lib/lines/process-lines.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { valueOf } from '../lib/validation/refusal.ts'
import type { WorkTurns } from '../lib/flow/work-turns.ts'
import { LineGroup, type PendingLine, type RefusedLine } from '../lib/lines/line-group.ts'
import { checkMetricEvent } from './check-metric-event.ts'
import type { MetricEventStore } from '../ports/metrics/metric-event-store.ts'
import type { HashedScore } from './metric-recorder.ts'
import { type ParsedMetricEvent, parseMetricEvent } from './parse-metric-event.ts'
import { isJsonArray, readEventArray } from './read-event-array.ts'
import { refuseEvent, refuseFor } from './refuse-event.ts'
import type { Author, EventLineVerdict, MetricBatch, RecordedEvent } from './use-cases.ts'
import {
  type CheckedLine,
  checkGroup,
  GROUP_BYTES,
  GROUP_EVENTS,
  refuseVerdict,
  writeGroup,
  type WriteEventsDependencies,
} from './write-events.ts'

export interface RecordEventsDependencies extends WriteEventsDependencies {
  readonly events: Pick<MetricEventStore, 'find'>
  readonly limits: Limits
  readonly work: WorkTurns
  /** Charged with what streams have read and not submitted. */
  readonly budget: ByteBudget
}

/** See `MetricUseCases.record`. */
export async function recordBody(
  dependencies: RecordEventsDependencies,
  author: Author,
  body: Buffer,
): Promise<RecordedEvent | MetricBatch> {
  if (!isJsonArray(body)) return recordOne(dependencies, author, body)
  const inTurns = (step: () => boolean) => dependencies.work.steps(author.projectId, step)
  const groups = await readEventArray(body, dependencies.limits, inTurns)
  let stopped: DomainError | null = null
  const verdicts = judgeGroups(dependencies, author, groups, () => stopped)
  return { kind: 'batch', verdicts, stop: (error) => (stopped ??= error) }
}

/** See `MetricUseCases.check`. */
export async function checkEvents(
  dependencies: Pick<RecordEventsDependencies, 'definitions' | 'clock' | 'findOtelTrace' | 'limits' | 'work'>,
  projectId: ProjectId,
  events: Buffer,
): Promise<readonly HashedScore[]> {
  const inTurns = (step: () => boolean) => dependencies.work.steps(projectId, step)
  const scores: HashedScore[] = []
  for await (const group of await readEventArray(events, dependencies.limits, inTurns)) {
    for (const line of await checkGroup(dependencies, projectId, group)) {
      if (!('score' in line)) {
        const pointer = `/metric_events/${line.line - 1}${line.pointer ?? ''}`
        throw invalid({ pointer, code: line.code as FieldError['code'], detail: line.detail })
      }
      scores.push(line.score)
    }
    if (scores.length > PART_METRIC_EVENTS_MAX) {
      const detail = `A part must have at most ${PART_METRIC_EVENTS_MAX} metric events.`
      throw invalid({ pointer: '/metric_events', code: 'too_many', detail })
    }
  }
  return scores
}

async function recordOne(
  { definitions, recorder, findOtelTrace, events, clock, limits, work }: RecordEventsDependencies,
  { projectId, keyId }: Author,
  body: Buffer,
): Promise<RecordedEvent> {
  if (body.length > limits.metricEventBytes) {
    throw new DomainError('payload_too_large', `An event must have at most ${limits.metricEventBytes} bytes.`)
  }
  const parsed = valueOf(await work.run(projectId, () => parseMetricEvent(body, limits)))
  const { name } = parsed
  const ofOtel = OTEL_TRACE_ID.test(parsed.traceId) ? await findOtelTrace(projectId, parsed.traceId) : null
  const event = { ...parsed, traceId: ofOtel ?? parsed.traceId }
  const checked = checkMetricEvent(event, await definitions.findByName(projectId, name), clock.now())
  if ('error' in checked) return valueOf(refuseFor(checked.error))
  const { score } = checked
  const [verdict] = await recorder.recordMetricEvents(projectId, [score], keyId)
  if (verdict === undefined) throw new Error('the recorder returned no result')
  if (verdict.status === 'error') return valueOf(refuseVerdict(verdict))
  if (verdict.status === 'created') return { kind: 'event', name, event: verdict.event, replayed: false }
  const first = await events.find(projectId, score.traceId, verdict.eventId)
  // Deleted between the two, alone or with its trace.
  if (first === undefined) {
    return valueOf(refuseVerdict({ status: 'error', code: 'unknown_trace', detail: 'There is no such trace.' }))
  }
  return { kind: 'event', name, event: first, replayed: true }
}

/** Groups that are ready: the next is checked while two are written. */
async function* judgeGroups(
  dependencies: RecordEventsDependencies,
  author: Author,
  groups: AsyncIterable<readonly PendingLine<ParsedMetricEvent>[]>,
  stopped: () => DomainError | null,
): AsyncGenerator<readonly EventLineVerdict[]> {
  const outstanding: Promise<readonly EventLineVerdict[]>[] = []
  let rest: RefusedLine | null = null
  for await (const group of groups) {
    const error = stopped()
    if (error !== null) {
      rest = refuseEvent(group[0]?.line ?? 1, error)
      break
    }
    const written = writeGroup(dependencies, author, await checkGroup(dependencies, author.projectId, group))
    // The consumer may stop before this is awaited; a caller that awaits it gets the error.
    written.catch(() => undefined)
    outstanding.push(written)
    if (outstanding.length < GROUPS_AHEAD) continue
    const first = outstanding.shift()
    if (first !== undefined) yield await first
  }
  for (const written of outstanding) yield await written
  if (rest !== null) yield [rest]
}

/** See `MetricUseCases.recordLines`. */
export function recordLines(
  dependencies: RecordEventsDependencies,
  author: Author,
  chunks: AsyncIterable<Buffer>,
): AsyncIterable<readonly EventLineVerdict[]> {
  const { limits, budget, work } = dependencies
  const { projectId } = author
  const group = new LineGroup<ParsedMetricEvent>({
    parse: (bytes) => parseMetricEvent(bytes, limits),
    refuse: refuseEvent,
    lineBytes: Math.min(limits.lineBytes, limits.metricEventBytes),
    requestBytes: limits.ndjsonRequestBytes,
    groupBytes: GROUP_BYTES,
    groupLines: GROUP_EVENTS,
    budget: budget.account(projectId),
    ownBytes: 0,
  })
  const writer: LineWriter<ParsedMetricEvent, readonly CheckedLine[], EventLineVerdict> = {
    prepare: (pending) => checkGroup(dependencies, projectId, pending),
    write: (checked) => writeGroup(dependencies, author, checked),
  }
  return processLines(chunks, group, writer, (step) => work.steps(projectId, step))
}
