import { type Fields, isFields, isList, parseJson } from '@spoor/payloads/json'
import { BadRow, textOf, toTime } from './row-values.ts'

const ATTRIBUTES = 'attributes.'
const STATUS: Readonly<Record<string, number>> = { OK: 1, ERROR: 2 }
/** Attributes of OpenInference that are JSON as text. */
const JSON_TEXT =
  /^(metadata|input[.]value|output[.]value|tool[.]parameters|llm[.](invocation_parameters|prompt_template[.]variables)|.*[.](arguments|json_schema|metadata))$/

/**
 * A span of Phoenix, of its API or of a dataframe, as an export of OpenTelemetry. In a dataframe the fields of objects
 * are columns, with names such as `context.trace_id` and `attributes.llm.model_name`. Throws BadRow.
 */
export function phoenixSpans(row: Fields): unknown {
  const context = isFields(row['context']) ? row['context'] : {}
  const traceId = textOf(row, 'context.trace_id') ?? textOf(context, 'trace_id') ?? textOf(row, 'trace_id')
  const spanId = textOf(row, 'context.span_id') ?? textOf(context, 'span_id') ?? textOf(row, 'span_id')
  if (traceId === null || spanId === null) throw new BadRow('A span of Phoenix needs its `trace_id` and its `span_id`.')
  const [start, end] = [toNanoseconds(row['start_time']), toNanoseconds(row['end_time'])]
  if (start === null) throw new BadRow('A span of Phoenix needs its `start_time`.')
  const attributes = attributesOf(row)
  const kind = textOf(row, 'span_kind')
  if (kind !== null && kind !== 'UNKNOWN') attributes.set('openinference.span.kind', kind)
  const code = STATUS[(textOf(row, 'status_code') ?? '').toUpperCase()]
  const message = textOf(row, 'status_message')
  const span = {
    traceId,
    spanId,
    parentSpanId: textOf(row, 'parent_id') ?? '',
    name: textOf(row, 'name') ?? '',
    startTimeUnixNano: start,
    ...(end === null ? {} : { endTimeUnixNano: end }),
    attributes: toKeyValues(attributes),
    status: { ...(code === undefined ? {} : { code }), ...(message === null ? {} : { message }) },
    events: eventsOf(row['events']),
  }
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: 'phoenix' }, spans: [span] }] }] }
}

function attributesOf(row: Fields): Map<string, unknown> {
  const flat = new Map<string, unknown>()
  if (isFields(row['attributes'])) flatten('', row['attributes'], flat)
  for (const [name, value] of Object.entries(row)) {
    if (name.startsWith(ATTRIBUTES)) flatten(name.slice(ATTRIBUTES.length), parseJson(value), flat)
  }
  return flat
}

/** Names with dots; elements of lists of objects by their places. */
function flatten(name: string, value: unknown, into: Map<string, unknown>): void {
  if (value === null || value === undefined) return
  if (typeof value === 'object' && JSON_TEXT.test(name)) return void into.set(name, JSON.stringify(value))
  const below = name === '' ? '' : `${name}.`
  if (isFields(value)) for (const [key, inner] of Object.entries(value)) flatten(below + key, inner, into)
  else if (isList(value) && value.some((one) => typeof one === 'object')) {
    for (const [at, inner] of value.entries()) flatten(`${below}${at}`, inner, into)
  } else into.set(name, value)
}

function eventsOf(sent: unknown): readonly unknown[] {
  const events = parseJson(sent)
  if (!isList(events)) return []
  return events.filter(isFields).map((event) => {
    const attributes = new Map<string, unknown>()
    if (isFields(event['attributes'])) flatten('', event['attributes'], attributes)
    const timeUnixNano = toNanoseconds(event['timestamp']) ?? '0'
    return { name: textOf(event, 'name') ?? '', timeUnixNano, attributes: toKeyValues(attributes) }
  })
}

function toKeyValues(attributes: ReadonlyMap<string, unknown>): readonly unknown[] {
  return [...attributes].map(([key, value]) => ({ key, value: toAnyValue(value) }))
}

function toAnyValue(value: unknown): unknown {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (isList(value)) return { arrayValue: { values: value.map(toAnyValue) } }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Dataframes have milliseconds, or texts. */
function toNanoseconds(time: unknown): string | null {
  const iso = toTime(time)
  return iso === null ? null : String(BigInt(Date.parse(iso)) * 1_000_000n)
}
