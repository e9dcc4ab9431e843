import { DomainError } from '../../../lib/domain-error.ts'
import {
  type Attributes,
  BadSpan,
  checkIds,
  doubleValue,
  integerValue,
  type SentSpan,
  type Span,
  tooDeep,
  type Value,
  VALUE_DEPTH,
} from './span.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The spans of an `ExportTraceServiceRequest` in JSON, in order. Names are in camel case as OTLP says, or in snake case
 * as in the .proto files. Throws DomainError `malformed_json`, `invalid_encoding` and `bad_request` when the request
 * itself cannot be decoded.
 */
export function decodeJson(bytes: Uint8Array): SentSpan[] {
  const request = parse(bytes)
  if (!isObject(request)) throw undecodable('it is not an object')
  const spans: SentSpan[] = []
  for (const sent of listOf(request, 'resourceSpans', undecodable)) {
    const ofResource = objectOf(sent, undecodable)
    const { attributes: resource } = withAttributes(field(ofResource, 'resource') ?? {}, undecodable)
    for (const inner of listOf(ofResource, 'scopeSpans', undecodable)) {
      const ofScope = objectOf(inner, undecodable)
      const { fields, attributes } = withAttributes(field(ofScope, 'scope') ?? {}, undecodable)
      const scope = {
        name: textOf(fields, 'name', undecodable),
        version: textOf(fields, 'version', undecodable),
        attributes,
      }
      const origin = { resource, scope }
      for (const span of listOf(ofScope, 'spans', undecodable)) spans.push({ origin, decode: () => toSpan(span) })
    }
  }
  return spans
}

function parse(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
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

function undecodable(what: string): DomainError {
  return new DomainError('bad_request', `The body is not a valid ExportTraceServiceRequest in JSON: ${what}.`)
}

function badSpan(what: string): BadSpan {
  return new BadSpan(what)
}

function toSpan(sent: unknown): Span {
  const span = objectOf(sent, badSpan)
  const status = objectOf(field(span, 'status') ?? {}, badSpan)
  return {
    ...checkIds(
      textOf(span, 'traceId', badSpan).toLowerCase(),
      textOf(span, 'spanId', badSpan).toLowerCase(),
      textOf(span, 'parentSpanId', badSpan).toLowerCase(),
    ),
    traceState: textOf(span, 'traceState', badSpan),
    name: textOf(span, 'name', badSpan),
    kind: enumOf(span, 'kind', KINDS),
    startNs: timeOf(span, 'startTimeUnixNano'),
    endNs: timeOf(span, 'endTimeUnixNano'),
    attributes: attributesOf(span, badSpan),
    events: listOf(span, 'events', badSpan).map((event) => {
      const { fields, attributes } = withAttributes(event, badSpan)
      return { name: textOf(fields, 'name', badSpan), timeNs: timeOf(fields, 'timeUnixNano'), attributes }
    }),
    links: listOf(span, 'links', badSpan).map((link) => {
      const { fields, attributes } = withAttributes(link, badSpan)
      const [traceId, spanId] = [textOf(fields, 'traceId', badSpan), textOf(fields, 'spanId', badSpan)]
      return { traceId: traceId.toLowerCase(), spanId: spanId.toLowerCase(), attributes }
    }),
    statusCode: enumOf(status, 'code', STATUS_CODES),
    statusMessage: textOf(status, 'message', badSpan),
  }
}

function withAttributes(sent: unknown, fail: Fail): { readonly fields: Fields; readonly attributes: Attributes } {
  const fields = objectOf(sent, fail)
  return { fields, attributes: attributesOf(fields, fail) }
}

/** Without those that have no value, as exporters write `undefined`. */
function attributesOf(fields: Fields, fail: Fail): Attributes {
  return new Map(keyValues(listOf(fields, 'attributes', fail), 1, fail).filter(([, value]) => value !== null))
}

function keyValues(list: readonly unknown[], depth: number, fail: Fail): [string, Value][] {
  return list.map((sent) => {
    const pair = objectOf(sent, fail)
    return [textOf(pair, 'key', fail), toValue(field(pair, 'value') ?? {}, depth, fail)]
  })
}

function toValue(sent: unknown, depth: number, fail: Fail): Value {
  if (depth > VALUE_DEPTH) throw fail(tooDeep().message)
  const value = objectOf(sent, fail)
  const text = field(value, 'stringValue')
  if (typeof text === 'string') return text
  const flag = field(value, 'boolValue')
  if (typeof flag === 'boolean') return flag
  const integer = field(value, 'intValue')
  if (integer !== undefined) return integerValue(integerOf(integer, fail))
  const double = field(value, 'doubleValue')
  if (typeof double === 'number' || typeof double === 'string') return doubleOf(double, fail)
  const bytes = field(value, 'bytesValue')
  if (typeof bytes === 'string') return bytes
  const array = field(value, 'arrayValue')
  if (array !== undefined) {
    return listOf(objectOf(array, fail), 'values', fail).map((inner) => toValue(inner, depth + 1, fail))
  }
  const list = field(value, 'kvlistValue')
  if (list !== undefined) {
    return Object.fromEntries(keyValues(listOf(objectOf(list, fail), 'values', fail), depth + 1, fail))
  }
  if (text !== undefined || flag !== undefined || double !== undefined || bytes !== undefined) {
    throw fail('a value of an attribute does not have the type that its field names')
  }
  return null
}

/** The field in camel case or in snake case; null is absent. */
function field(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? undefined
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectOf(value: unknown, fail: Fail): Fields {
  if (isObject(value)) return value
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

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map((kind) => `SPAN_KIND_${kind}`)
const STATUS_CODES = ['UNSET', 'OK', 'ERROR'].map((code) => `STATUS_CODE_${code}`)

/** OTLP has enums as integers only; some senders write their names. */
function enumOf(fields: Fields, name: string, names: readonly string[]): number {
  const value = field(fields, name) ?? 0
  const number = typeof value === 'string' && names.includes(value) ? names.indexOf(value) : value
  if (typeof number === 'number' && Number.isInteger(number)) return number
  throw badSpan(`\`${name}\` is not an integer`)
}

/** Of a span only. A negative time is kept as it is: the mapping says what becomes of it. */
function timeOf(fields: Fields, name: string): bigint {
  return integerOf(field(fields, name) ?? 0, (what) => badSpan(`\`${name}\`: ${what}`))
}

const INTEGER = /^-?\d{1,20}$/

/** 64-bit integers are strings or numbers. */
function integerOf(value: unknown, fail: Fail): bigint {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (typeof value === 'string' && INTEGER.test(value)) return BigInt(value)
  throw fail('a 64-bit integer must be digits, as a string or a number')
}

function doubleOf(value: number | string, fail: Fail): number | string {
  if (typeof value === 'number') return doubleValue(value)
  const double = Number(value)
  if (value.trim() === '' || (Number.isNaN(double) && value !== 'NaN')) throw fail('a double is not a number')
  return doubleValue(double)
}
