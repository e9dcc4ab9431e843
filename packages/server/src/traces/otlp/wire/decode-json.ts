import { type Fields, isFields } from '@spoor/payloads/json'
import { DomainError } from '../../../lib/domain-error.ts'
import { printed, type Problem } from '../../../lib/validation/move-aside.ts'
import {
  type Attributes,
  BadSpan,
  checkIds,
  doubleValue,
  integerValue,
  type LogRecord,
  type Sent,
  type Span,
  type Tell,
  tellDepth,
  tellInto,
  untold,
  type Value,
  VALUE_DEPTH,
} from './span.ts'

/**
 * The spans of an `ExportTraceServiceRequest` in JSON, in order. Names are in camel case as OTLP says, or in snake case
 * as in the .proto files. Throws DomainError `malformed_json`, `invalid_encoding` and `bad_request` when the request
 * itself cannot be decoded.
 */
export function decodeJson(bytes: Uint8Array): Sent<Span>[] {
  return decodeRequest(bytes, SPANS, toSpan)
}

/** The same for the log records of an `ExportLogsServiceRequest`. */
export function decodeJsonLogs(bytes: Uint8Array): Sent<LogRecord>[] {
  return decodeRequest(bytes, LOGS, toLogRecord)
}

/** The message of a request, and the names of its lists from the outermost. */
const SPANS = ['ExportTraceServiceRequest', 'resourceSpans', 'scopeSpans', 'spans'] as const
const LOGS = ['ExportLogsServiceRequest', 'resourceLogs', 'scopeLogs', 'logRecords'] as const

function decodeRequest<T>(
  bytes: Uint8Array,
  [message, ofResources, ofScopes, ofItems]: typeof SPANS | typeof LOGS,
  toItem: (sent: unknown) => T,
): Sent<T>[] {
  const undecodable = (what: string) =>
    new DomainError('bad_request', `The body is not a valid ${message} in JSON: ${what}.`)
  const request = parseBody(bytes)
  if (!isFields(request)) throw undecodable('it is not an object')
  const items: Sent<T>[] = []
  for (const sent of listOf(request, ofResources, undecodable)) {
    const ofResource = objectOf(sent, undecodable)
    const { attributes: resource } = withAttributes(field(ofResource, 'resource') ?? {}, undecodable)
    for (const inner of listOf(ofResource, ofScopes, undecodable)) {
      const ofScope = objectOf(inner, undecodable)
      const { fields, attributes } = withAttributes(field(ofScope, 'scope') ?? {}, undecodable)
      const scope = {
        name: textOf(fields, 'name', undecodable),
        version: textOf(fields, 'version', undecodable),
        attributes,
      }
      const origin = { resource, scope }
      for (const item of listOf(ofScope, ofItems, undecodable)) items.push({ origin, decode: () => toItem(item) })
    }
  }
  return items
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Throws DomainError `invalid_encoding` and `malformed_json`. */
export function parseBody(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch (cause) {
    throw new DomainError('invalid_encoding', 'The body is not valid UTF-8.', { cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new DomainError('malformed_json', `The body is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}

type Fail = (what: string) => Error

function badSpan(what: string): BadSpan {
  return new BadSpan(what)
}

function toSpan(sent: unknown): Span {
  const problems: Problem[] = []
  const tell = tellInto(problems)
  const span = objectOf(sent, badSpan)
  const status = objectOf(field(span, 'status') ?? {}, badSpan)
  return {
    ...checkIds(
      textOf(span, 'traceId', badSpan).toLowerCase(),
      textOf(span, 'spanId', badSpan).toLowerCase(),
      anyText(span, 'parentSpanId').toLowerCase(),
      tell,
    ),
    traceState: anyText(span, 'traceState'),
    name: anyText(span, 'name'),
    kind: enumOf(span, 'kind', 'SPAN_KIND_', KINDS, tell),
    startNs: timeOf(span, 'startTimeUnixNano', tell),
    endNs: timeOf(span, 'endTimeUnixNano', tell),
    attributes: attributesOf(span, badSpan, tell),
    events: listOf(span, 'events', badSpan).map((event) => {
      const { fields, attributes } = withAttributes(event, badSpan, tell)
      return { name: anyText(fields, 'name'), timeNs: timeOf(fields, 'timeUnixNano', tell), attributes }
    }),
    links: listOf(span, 'links', badSpan).map((link) => {
      const { fields, attributes } = withAttributes(link, badSpan, tell)
      const [traceId, spanId] = [anyText(fields, 'traceId'), anyText(fields, 'spanId')]
      return { traceId: traceId.toLowerCase(), spanId: spanId.toLowerCase(), attributes }
    }),
    statusCode: enumOf(status, 'code', 'STATUS_CODE_', STATUS_CODES, tell),
    statusMessage: anyText(status, 'message'),
    problems,
  }
}

function toLogRecord(sent: unknown): LogRecord {
  const { fields, attributes } = withAttributes(sent, badSpan)
  const timeNs = timeOf(fields, 'timeUnixNano', untold)
  const body = field(fields, 'body') ?? {}
  return {
    traceId: anyText(fields, 'traceId').toLowerCase(),
    spanId: anyText(fields, 'spanId').toLowerCase(),
    name: anyText(fields, 'eventName'),
    timeNs: timeNs === 0n ? timeOf(fields, 'observedTimeUnixNano', untold) : timeNs,
    attributes,
    body: toValue(body, 1, { fail: badSpan, tell: untold, wrong: printed }),
  }
}

function withAttributes(
  sent: unknown,
  fail: Fail,
  tell: Tell = untold,
): { readonly fields: Fields; readonly attributes: Attributes } {
  const fields = objectOf(sent, fail)
  return { fields, attributes: attributesOf(fields, fail, tell) }
}

/** Without those that have no value, as exporters write `undefined`. */
function attributesOf(fields: Fields, fail: Fail, tell: Tell): Attributes {
  return new Map(keyValues(listOf(fields, 'attributes', fail), 1, fail, tell).filter(([, value]) => value !== null))
}

function keyValues(list: readonly unknown[], depth: number, fail: Fail, tell: Tell): [string, Value][] {
  return list.map((sent) => {
    const pair = objectOf(sent, fail)
    const key = anyText(pair, 'key')
    const wrong = (value: unknown) => {
      tell({ field: key, problem: 'The value does not have the type that its field names.' })
      return typeof value === 'object' ? printed(value) : (value as Value)
    }
    return [key, toValue(field(pair, 'value') ?? {}, depth, { fail, tell, wrong })]
  })
}

interface Faults {
  readonly fail: Fail
  readonly tell: Tell
  /** What becomes of a value that is not what its field says. */
  readonly wrong: (value: unknown) => Value
}

function toValue(sent: unknown, depth: number, faults: Faults): Value {
  const { fail, tell, wrong } = faults
  if (depth > VALUE_DEPTH) return tellDepth(tell)
  if (!isFields(sent)) return wrong(sent)
  const text = field(sent, 'stringValue')
  if (text !== undefined) return typeof text === 'string' ? text : wrong(text)
  const flag = field(sent, 'boolValue')
  if (flag !== undefined) return typeof flag === 'boolean' ? flag : wrong(flag)
  const integer = field(sent, 'intValue')
  if (integer !== undefined) return isInteger(integer) ? integerValue(BigInt(integer)) : wrong(integer)
  const double = field(sent, 'doubleValue')
  if (double !== undefined) return isDouble(double) ? doubleValue(Number(double)) : wrong(double)
  const bytes = field(sent, 'bytesValue')
  if (bytes !== undefined) return typeof bytes === 'string' ? bytes : wrong(bytes)
  const array = field(sent, 'arrayValue')
  if (array !== undefined) {
    const values = isFields(array) ? (field(array, 'values') ?? []) : null
    return Array.isArray(values) ? values.map((inner) => toValue(inner, depth + 1, faults)) : wrong(array)
  }
  const list = field(sent, 'kvlistValue')
  if (list === undefined) return null
  const values = isFields(list) ? (field(list, 'values') ?? []) : null
  if (!Array.isArray(values) || !values.every(isFields)) return wrong(list)
  return Object.fromEntries(keyValues(values, depth + 1, fail, tell))
}

/** Names of fields in snake case, by those in camel case. */
const SNAKE = new Map<string, string>()

/** The field in camel case or in snake case; null is absent. */
function field(fields: Fields, name: string): unknown {
  const value = fields[name]
  if (value !== undefined && value !== null) return value
  let snake = SNAKE.get(name)
  if (snake === undefined) SNAKE.set(name, (snake = name.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`)))
  return fields[snake] ?? undefined
}

function objectOf(value: unknown, fail: Fail): Fields {
  if (isFields(value)) return value
  throw fail('there is another value where an object must be')
}

function listOf(fields: Fields, name: string, fail: Fail): readonly unknown[] {
  const value = field(fields, name) ?? []
  if (Array.isArray(value)) return value as readonly unknown[]
  throw fail(`\`${name}\` is not an array`)
}

function textOf(fields: Fields, name: string, fail: Fail): string {
  const value = field(fields, name) ?? ''
  if (typeof value === 'string') return value
  throw fail(`\`${name}\` is not a string`)
}

/** Of any other value its JSON. */
function anyText(fields: Fields, name: string): string {
  const value = field(fields, name) ?? ''
  return typeof value === 'string' ? value : printed(value)
}

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
const STATUS_CODES = ['UNSET', 'OK', 'ERROR']

/** OTLP has enums as integers only; some senders write their names. What is neither is 0. */
function enumOf(fields: Fields, name: string, prefix: string, names: readonly string[], tell: Tell): number {
  const value = field(fields, name) ?? 0
  const at = typeof value === 'string' ? names.indexOf(value.replace(prefix, '')) : -1
  if (at >= 0) return at
  if (typeof value === 'number' && Number.isInteger(value)) return value
  tell({ field: name, problem: 'It must be an integer.', value: asTold(value) })
  return 0
}

/** A negative time is kept as it is: the mapping says what becomes of it. What is no time is unknown, 0. */
function timeOf(fields: Fields, name: string, tell: Tell): bigint {
  const value = field(fields, name) ?? 0
  if (isInteger(value)) return BigInt(value)
  tell({ field: name, problem: 'It must be a number of nanoseconds since 1970.', value: asTold(value) })
  return 0n
}

/** 64-bit integers are strings or numbers. */
function isInteger(value: unknown): value is number | string {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d{1,20}$/.test(value)
}

function isDouble(value: unknown): value is number | string {
  if (typeof value === 'number') return true
  return typeof value === 'string' && value.trim() !== '' && (value === 'NaN' || !Number.isNaN(Number(value)))
}

function asTold(value: unknown): unknown {
  return typeof value === 'object' ? printed(value) : value
}
