import { isId, type MetricEventId, type MetricId, type ProjectId, type TraceId } from '@spoor/contract/ids'
import { PART_METRIC_EVENTS_MAX } from '@spoor/contract/limits'
import type { MetricEventRecord } from '../ports/journal/metric-event.ts'
import type { ByteGate } from '../lib/flow/byte-gate.ts'
import { encodeFields, invalidCursor, readFields } from '../lib/cursor-fields.ts'
import type { MetricStore } from '../ports/metrics/metric-store.ts'
import type { MetricEventPosition, MetricEventStore } from '../ports/metrics/metric-event-store.ts'
import type { MetricEventListQuery, NamedMetricEvent } from './use-cases.ts'

export interface ListEventsDependencies {
  readonly events: Pick<MetricEventStore, 'list' | 'findByTraces'>
  readonly definitions: Pick<MetricStore, 'findByName' | 'findById' | 'hasAny'>
  /** Shared by all answers in progress. */
  readonly answers: ByteGate
}

/** Bytes after which a page ends early: a list of huge events is read in smaller steps. */
const PAGE_BYTES = 2 * 1024 * 1024
/**
 * Events read at once: few at first, since each may have the maximum size, and many once a read has shown that they are
 * small.
 */
const NARROW_EVENTS = 64
const WIDE_EVENTS = 512
const SMALL_EVENT_BYTES = PAGE_BYTES / WIDE_EVENTS
/** Events of a trace in memory at once, while an answer is being written. */
const TRACE_EVENTS = 200
/** A page of events whose traces must pass ends early after this many. */
const MOST_EXAMINED = 20_000
/** Assumed bytes of a page until it is read. */
const TRACE_PAGE_BYTES = 1024 * 1024

interface EventPage {
  readonly events: readonly NamedMetricEvent[]
  readonly nextCursor: string | null
}

const EMPTY_PAGE: EventPage = { events: [], nextCursor: null }

/** Throws DomainError `invalid_cursor`. */
export async function listEvents(
  dependencies: ListEventsDependencies,
  query: MetricEventListQuery,
): Promise<EventPage> {
  const { events } = dependencies
  const { name, cursor, passing, limit, ...filters } = query
  const after = cursor === null ? null : decodeCursor(cursor)
  const { projectId, traceId, stepId } = filters
  if (traceId !== null && !isId('tr', traceId)) return EMPTY_PAGE
  if (stepId !== null && !isId('st', stepId)) return EMPTY_PAGE
  const metricId = name === null ? null : await findId(dependencies, projectId, name)
  if (metricId === undefined) return EMPTY_PAGE
  const read = (place: MetricEventPosition | null, count: number) =>
    events.list({ ...filters, traceId, stepId, metricId, after: place, limit: count })
  const found = await readPage(read, after, limit, passing)
  return {
    events: await nameAll(dependencies, projectId, found.events),
    nextCursor: found.end === null ? null : encodeFields([found.end.at, found.end.id]),
  }
}

/** See `MetricUseCases.listArrived`. */
export async function listArrived(
  dependencies: ListEventsDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  after: MetricEventId | null,
): Promise<{ readonly events: readonly NamedMetricEvent[]; readonly more: boolean }> {
  const { events, definitions } = dependencies
  if (!(await definitions.hasAny(projectId))) return { events: [], more: false }
  const read = (place: Pick<MetricEventPosition, 'id'> | null, limit: number) =>
    events.findByTraces({ projectId, traceIds: [traceId], after: place?.id ?? null, limit })
  const page = await readPage(read, after === null ? null : { id: after }, PART_METRIC_EVENTS_MAX)
  return { more: page.end !== null, events: await nameAll(dependencies, projectId, page.events) }
}

/** See `MetricUseCases.eventsOf`. */
export async function* eventsOf(
  dependencies: ListEventsDependencies,
  projectId: ProjectId,
  traceId: TraceId,
): AsyncGenerator<readonly NamedMetricEvent[]> {
  const { events, answers, definitions } = dependencies
  // Every read of a trace runs this, and most projects have no metrics.
  if (!(await definitions.hasAny(projectId))) return
  for (let after: MetricEventRecord['id'] | null = null; ;) {
    const held = await answers.acquire(TRACE_PAGE_BYTES)
    try {
      const page: readonly MetricEventRecord[] = await events.findByTraces({
        projectId,
        traceIds: [traceId],
        after,
        limit: TRACE_EVENTS,
      })
      held.keep(page.reduce((bytes, event) => bytes + sizeOf(event), 0))
      if (page.length > 0) yield await nameAll(dependencies, projectId, page)
      after = page.at(-1)?.id ?? null
      if (page.length < TRACE_EVENTS) return
    } finally {
      held.release()
    }
  }
}

async function findId(
  { definitions }: ListEventsDependencies,
  projectId: ProjectId,
  name: string,
): Promise<MetricId | undefined> {
  return (await definitions.findByName(projectId, name))?.id
}

/**
 * At most `limit` events of traces that pass and, beyond the first, at most PAGE_BYTES of them; and where the next page
 * begins, null at the end of the list.
 */
async function readPage<Place extends Partial<MetricEventPosition>>(
  readAfter: (after: Place | MetricEventPosition | null, limit: number) => Promise<readonly MetricEventRecord[]>,
  from: Place | null,
  limit: number,
  passing: MetricEventListQuery['passing'] = null,
): Promise<{ readonly events: readonly MetricEventRecord[]; readonly end: MetricEventPosition | null }> {
  const page: MetricEventRecord[] = []
  let bytes = 0
  let examined = 0
  let after: Place | MetricEventPosition | null = from
  let width = NARROW_EVENTS
  for (;;) {
    // One more than requested, to know whether there is a next page.
    const asked = passing === null ? Math.min(limit + 1 - page.length, width) : width
    const read = await readAfter(after, asked)
    const passed = (await passing?.([...new Set(read.map(({ traceId }) => traceId))])) ?? null
    for (const event of read.filter(({ traceId }) => passed?.has(traceId) ?? true)) {
      const last = page.at(-1)
      if (last !== undefined && (page.length === limit || bytes + sizeOf(event) > PAGE_BYTES)) {
        return { events: page, end: placeOf(last) }
      }
      page.push(event)
      bytes += sizeOf(event)
    }
    const last = read.at(-1)
    if (read.length < asked || last === undefined) return { events: page, end: null }
    after = placeOf(last)
    examined += read.length
    if (passing !== null && examined >= MOST_EXAMINED) return { events: page, end: after }
    const readBytes = read.reduce((sum, event) => sum + sizeOf(event), 0)
    width = readBytes / read.length <= SMALL_EVENT_BYTES ? WIDE_EVENTS : NARROW_EVENTS
  }
}

function placeOf({ at, id }: MetricEventRecord): MetricEventPosition {
  return { at, id }
}

/** The overhead of an event beside its texts is some three hundred bytes. */
function sizeOf({ metadata, comment, idempotencyKey }: MetricEventRecord): number {
  return 300 + metadata.length + 2 * (comment?.length ?? 0) + (idempotencyKey?.length ?? 0)
}

async function nameAll(
  { definitions }: ListEventsDependencies,
  projectId: ProjectId,
  events: readonly MetricEventRecord[],
): Promise<readonly NamedMetricEvent[]> {
  const names = new Map<MetricId, string>()
  for (const { metricId } of events) {
    if (names.has(metricId)) continue
    const definition = await definitions.findById(projectId, metricId)
    if (definition === undefined) throw new Error(`an event belongs to the metric ${metricId}, which does not exist`)
    names.set(metricId, definition.name)
  }
  return events.map((event) => ({ name: names.get(event.metricId) as string, event }))
}

function decodeCursor(text: string): MetricEventPosition {
  const [at, id] = readFields(text)
  if (!Number.isSafeInteger(at) || !isId('mev', id)) throw invalidCursor()
  return { at: at as number, id }
}
