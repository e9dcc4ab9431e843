import { type Fields, isFields, isList } from '@spoor/payloads/json'
import { BadRow, textOf, toTime } from './row-values.ts'

interface IngestionEvent {
  readonly id: string
  readonly type: 'trace-create' | 'observation-create' | 'score-create'
  readonly timestamp: string | null
  readonly body: Fields
}

/** Fields that Langfuse adds to what was recorded. */
const DERIVED: ReadonlySet<string> = new Set(
  'projectId createdAt updatedAt latency totalCost htmlPath observations scores public bookmarked traceName'
    .concat(' timeToFirstToken inputPrice outputPrice totalPrice calculatedInputCost calculatedOutputCost')
    .concat(
      ' calculatedTotalCost promptTokens completionTokens totalTokens unit modelId internalModelId usagePricingTierName',
    )
    .split(' '),
)
/** Of an enriched observation, fields of its trace. */
const OF_TRACE = ['userId', 'sessionId', 'tags', 'release', 'environment'] as const
const TIMES = ['timestamp', 'startTime', 'endTime', 'completionStartTime'] as const

/**
 * A row of an export of Langfuse as a batch of its ingestion API: a trace, an observation, a score, or a trace with its
 * observations and scores. Names are in snake case in exports to a bucket, in camel case elsewhere. Throws BadRow.
 */
export function langfuseBatch(sent: Fields): { readonly batch: readonly IngestionEvent[] } {
  const row = camelCased(sent)
  const whole = isFields(row['trace']) ? { ...camelCased(row['trace']), ...row } : row
  const { observations, scores, trace: _, ...own } = whole
  if (!isList(observations) && !isList(scores)) return { batch: eventsOf(own) }
  const below = (list: unknown) => (isList(list) ? list.filter(isFields).map(camelCased) : [])
  const traceId = textOf(own, 'id')
  return {
    batch: [
      traceEvent(own),
      ...below(observations).map((one) => observationEvent({ traceId, ...one })),
      ...below(scores).map((one) => scoreEvent({ traceId, ...one })),
    ],
  }
}

function eventsOf(row: Fields): readonly IngestionEvent[] {
  if ('dataType' in row || ('value' in row && !('startTime' in row))) return [scoreEvent(row)]
  if (!('startTime' in row) && !('traceId' in row)) return [traceEvent(row)]
  const observation = observationEvent(row)
  const isRoot = textOf(row, 'parentObservationId') === null
  const isEnriched = 'traceName' in row || OF_TRACE.some((name) => name !== 'environment' && name in row)
  if (!isRoot || !isEnriched) return [observation]
  const { traceId, traceName, name, startTime, endTime, userId, sessionId, tags, release, environment } = row
  const trace = {
    id: traceId,
    name: traceName ?? name,
    timestamp: startTime,
    endTime,
    userId,
    sessionId,
    tags,
    release,
  }
  return [traceEvent({ ...trace, environment }), observation]
}

function traceEvent(row: Fields): IngestionEvent {
  const id = idOf(row)
  const { timestamp, endTime: _, ...body } = recorded(row)
  return { id: `trace ${id}`, type: 'trace-create', timestamp: endOf(row), body: { ...body, id, timestamp } }
}

/** Traces have no end; tables export how many seconds they took. */
function endOf(row: Fields): string | null {
  const [start, end] = [toTime(row['timestamp']), toTime(row['endTime'])]
  const seconds = Number(row['latency'] ?? 0)
  return end ?? (start === null || !(seconds > 0) ? start : toTime(Date.parse(start) + seconds * 1000))
}

function observationEvent(row: Fields): IngestionEvent {
  const id = idOf(row)
  const body: Record<string, unknown> = recorded(row)
  const { providedModelName, model = providedModelName, parentObservationId } = row
  for (const name of OF_TRACE) if (name !== 'environment') delete body[name]
  delete body['providedModelName']
  const { endTime, startTime } = body
  return {
    id: `observation ${id}`,
    type: 'observation-create',
    timestamp: toTime(endTime ?? startTime),
    body: { ...body, id, model, parentObservationId: parentObservationId ?? null },
  }
}

function scoreEvent(row: Fields): IngestionEvent {
  const id = idOf(row)
  const { name, traceId, observationId, dataType, comment, timestamp, value, stringValue } = row
  const isText = dataType === 'CATEGORICAL' || value === undefined || value === null
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  const taken = isText ? (stringValue ?? value) : Number.isNaN(number) ? value : number
  const at = toTime(timestamp)
  const body = { id, name, traceId, observationId, dataType, comment, timestamp: at, value: taken }
  return { id: `score ${id}`, type: 'score-create', timestamp: at, body }
}

function idOf(row: Fields): string {
  const id = textOf(row, 'id')
  if (id === null) throw new BadRow('A row of Langfuse needs an `id`.')
  return id
}

function recorded(row: Fields): Record<string, unknown> {
  const own = Object.entries(row).filter(([name, value]) => !DERIVED.has(name) && value !== null && value !== undefined)
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(TIMES.flatMap((name) => (name in row ? [[name, toTime(row[name])]] : []))),
  }
}

/** The names of the fields themselves: keys of metadata stay. */
function camelCased(row: Fields): Fields {
  const camel = (name: string) => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value]))
}
