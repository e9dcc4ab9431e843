import protobuf from 'protobufjs/light.js'
import { DomainError } from '../../../lib/domain-error.ts'
import type { Problem } from '../../../lib/validation/move-aside.ts'
import { OTLP_DESCRIPTOR } from './otlp-descriptor.ts'
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

const root = protobuf.Root.fromJSON(OTLP_DESCRIPTOR)
const REQUEST = root.lookupType('ExportTraceServiceRequest')
const SPAN = root.lookupType('Span')
const LOG_RECORD = root.lookupType('LogRecord')
const ARRAY = root.lookupType('ArrayValue')
const LIST = root.lookupType('KeyValueList')

interface Long {
  readonly low: number
  readonly high: number
}

interface AnyValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: Long
  readonly doubleValue?: number
  readonly arrayValue?: Uint8Array
  readonly kvlistValue?: Uint8Array
  readonly bytesValue?: Uint8Array
}

interface KeyValue {
  readonly key: string
  readonly value?: AnyValue | null
}

interface ScopeSpans {
  readonly scope?: { readonly name: string; readonly version: string; readonly attributes: readonly KeyValue[] } | null
  readonly spans: readonly Uint8Array[]
}

interface Request {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes: readonly KeyValue[] } | null
    readonly scopeSpans: readonly ScopeSpans[]
  }[]
}

interface SpanMessage {
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
  readonly parentSpanId: Uint8Array
  readonly traceState: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: Long | number
  readonly endTimeUnixNano: Long | number
  readonly attributes: readonly KeyValue[]
  readonly events: readonly {
    readonly timeUnixNano: Long | number
    readonly name: string
    readonly attributes: readonly KeyValue[]
  }[]
  readonly links: readonly {
    readonly traceId: Uint8Array
    readonly spanId: Uint8Array
    readonly attributes: readonly KeyValue[]
  }[]
  readonly status?: { readonly code: number; readonly message: string } | null
}

interface LogRecordMessage {
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
  readonly eventName: string
  readonly timeUnixNano: Long | number
  readonly observedTimeUnixNano: Long | number
  readonly attributes: readonly KeyValue[]
  readonly body?: AnyValue | null
}

const LONGEST_VARINT = 10

/** Refuses what protobufjs skips: groups, and varints of any length in unknown fields. */
class StrictReader extends protobuf.Reader {
  override skip(length?: number): protobuf.Reader {
    if (length !== undefined) return super.skip(length)
    for (let bytes = 1; ; bytes++) {
      if (this.pos >= this.len || bytes > LONGEST_VARINT) throw new RangeError('an unfinished varint')
      if (((this.buf[this.pos++] as number) & 0x80) === 0) return this
    }
  }

  override skipType(wireType: number, depth?: number, fieldNumber?: number): protobuf.Reader {
    if (wireType === 3 || wireType === 4) throw new RangeError('a group')
    return super.skipType(wireType, depth, fieldNumber)
  }
}

/**
 * The spans of an `ExportTraceServiceRequest` in protobuf, in order. Throws DomainError `bad_request` when the request
 * itself cannot be decoded.
 */
export function decodeProtobuf(bytes: Uint8Array): Sent<Span>[] {
  return decodeRequest(bytes, 'ExportTraceServiceRequest', (span) => toSpan(decode<SpanMessage>(SPAN, span)))
}

/** The same for the log records of an `ExportLogsServiceRequest`. */
export function decodeProtobufLogs(bytes: Uint8Array): Sent<LogRecord>[] {
  const toRecord = (record: Uint8Array) => toLogRecord(decode<LogRecordMessage>(LOG_RECORD, record))
  return decodeRequest(bytes, 'ExportLogsServiceRequest', toRecord)
}

function decodeRequest<T>(bytes: Uint8Array, message: string, toItem: (bytes: Uint8Array) => T): Sent<T>[] {
  const items: Sent<T>[] = []
  try {
    const request = decode<Request>(REQUEST, bytes)
    for (const { resource, scopeSpans } of request.resourceSpans) {
      const ofResource = toAttributes(resource?.attributes ?? [], untold)
      for (const { scope, spans: sent } of scopeSpans) {
        const { name = '', version = '', attributes = [] } = scope ?? {}
        const origin = { resource: ofResource, scope: { name, version, attributes: toAttributes(attributes, untold) } }
        for (const one of sent) items.push({ origin, decode: () => decodeItem(() => toItem(one)) })
      }
    }
  } catch (cause) {
    if (!(cause instanceof Malformed) && !(cause instanceof BadSpan)) throw cause
    throw new DomainError('bad_request', `The body is not a valid ${message} in protobuf.`, { cause })
  }
  return items
}

function decodeItem<T>(toItem: () => T): T {
  try {
    return toItem()
  } catch (cause) {
    if (cause instanceof Malformed) throw new BadSpan('a span or a log record is not valid protobuf', { cause })
    throw cause
  }
}

function toLogRecord(message: LogRecordMessage): LogRecord {
  const timeNs = unsigned(message.timeUnixNano)
  return {
    traceId: hex(message.traceId),
    spanId: hex(message.spanId),
    name: message.eventName,
    timeNs: timeNs === 0n ? unsigned(message.observedTimeUnixNano) : timeNs,
    attributes: toAttributes(message.attributes, untold),
    body: toValue(message.body ?? {}, 1, untold),
  }
}

function toSpan(message: SpanMessage): Span {
  const problems: Problem[] = []
  const tell = tellInto(problems)
  return {
    ...checkIds(hex(message.traceId), hex(message.spanId), hex(message.parentSpanId), tell),
    traceState: message.traceState,
    name: message.name,
    kind: message.kind,
    startNs: unsigned(message.startTimeUnixNano),
    endNs: unsigned(message.endTimeUnixNano),
    attributes: toAttributes(message.attributes, tell),
    events: message.events.map(({ name, timeUnixNano, attributes }) => ({
      name,
      timeNs: unsigned(timeUnixNano),
      attributes: toAttributes(attributes, tell),
    })),
    links: message.links.map(({ traceId, spanId, attributes }) => ({
      traceId: hex(traceId),
      spanId: hex(spanId),
      attributes: toAttributes(attributes, tell),
    })),
    statusCode: message.status?.code ?? 0,
    statusMessage: message.status?.message ?? '',
    problems,
  }
}

/** Bytes that are not a message. */
class Malformed extends Error {}

function decode<T>(type: protobuf.Type, bytes: Uint8Array): T {
  try {
    return type.decode(new StrictReader(bytes)) as unknown as T
  } catch (cause) {
    throw new Malformed('not a message', { cause })
  }
}

/** Without those that have no value, as exporters write `undefined`. */
function toAttributes(list: readonly KeyValue[], tell: Tell): Attributes {
  const attributes = new Map<string, Value>()
  for (const { key, value } of list) {
    const one = toValue(value ?? {}, 1, tell)
    if (one !== null) attributes.set(key, one)
  }
  return attributes
}

function toValue(value: AnyValue, depth: number, tell: Tell): Value {
  if (depth > VALUE_DEPTH) return tellDepth(tell)
  if (has(value, 'stringValue')) return value.stringValue as string
  if (has(value, 'boolValue')) return value.boolValue as boolean
  if (has(value, 'intValue')) return integerValue(BigInt.asIntN(64, unsigned(value.intValue as Long)))
  if (has(value, 'doubleValue')) return doubleValue(value.doubleValue as number)
  if (has(value, 'bytesValue')) return Buffer.from(value.bytesValue as Uint8Array).toString('base64')
  if (has(value, 'arrayValue')) {
    const { values } = decode<{ readonly values: readonly AnyValue[] }>(ARRAY, value.arrayValue as Uint8Array)
    return values.map((inner) => toValue(inner, depth + 1, tell))
  }
  if (has(value, 'kvlistValue')) {
    const { values } = decode<{ readonly values: readonly KeyValue[] }>(LIST, value.kvlistValue as Uint8Array)
    return Object.fromEntries(values.map(({ key, value: inner }) => [key, toValue(inner ?? {}, depth + 1, tell)]))
  }
  return null
}

function has(value: AnyValue, name: keyof AnyValue): boolean {
  return Object.hasOwn(value, name)
}

/** A field that is absent is an empty array. */
function hex(bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/** A field that is absent is the number 0. */
function unsigned(long: Long | number): bigint {
  return typeof long === 'number' ? BigInt(long) : (BigInt(long.high >>> 0) << 32n) | BigInt(long.low >>> 0)
}
