import protobuf from 'protobufjs/light.js'
import type { ExportRequest } from '../use-cases.ts'
import type { OtlpEncoding } from './otlp-encoding.ts'
import { OTLP_DESCRIPTOR } from './wire/otlp-descriptor.ts'

/** A value as OTLP's JSON has it. */
export type JsonValue = Readonly<Record<string, unknown>>

/** A span as OTLP's JSON has it, with its attributes as an object. */
export interface TestSpan {
  readonly traceId?: string
  readonly spanId?: string
  readonly parentSpanId?: string
  readonly name?: string
  readonly kind?: number
  readonly startTimeUnixNano?: string | number
  readonly endTimeUnixNano?: string | number
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly events?: readonly {
    readonly name: string
    readonly timeUnixNano?: string
    readonly attributes?: Readonly<Record<string, unknown>>
  }[]
  readonly status?: { readonly code?: number; readonly message?: string }
}

export interface TestOrigin {
  readonly resource?: Readonly<Record<string, unknown>>
  readonly scope?: { readonly name?: string; readonly version?: string }
}

export const TRACE = '0af7651916cd43dd8448eb211c80319c'
/** The span id with this number. */
export const spanId = (number: number): string => number.toString(16).padStart(16, '0')
/** A time in nanoseconds, this many milliseconds after the beginning of the tests. */
export const ns = (ms: number): string => String((1_772_323_200_000n + BigInt(ms)) * 1_000_000n)

/** A request in JSON. */
export function exportJson(spans: readonly TestSpan[], origin: TestOrigin = {}): JsonValue {
  return {
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(origin.resource ?? {}) },
        scopeSpans: [{ scope: origin.scope ?? {}, spans: spans.map(toJson) }],
      },
    ],
  }
}

/** A log record as OTLP's JSON has it, with its attributes as an object and its body as a value. */
export interface TestRecord {
  readonly traceId?: string
  readonly spanId?: string
  readonly timeUnixNano?: string
  /** In the attribute `event.name`, as most senders have it. */
  readonly name?: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** A request of log records in JSON. */
export function logsJson(records: readonly TestRecord[], origin: TestOrigin = {}): JsonValue {
  const logRecords = records.map(({ name, attributes = {}, body, ...record }) => ({
    traceId: TRACE,
    spanId: spanId(1),
    timeUnixNano: ns(0),
    ...record,
    attributes: toKeyValues(name === undefined ? attributes : { 'event.name': name, ...attributes }),
    ...(body === undefined ? {} : { body: toAny(body) }),
  }))
  const resource = { attributes: toKeyValues(origin.resource ?? {}) }
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: origin.scope ?? {}, logRecords }] }] }
}

function toJson(span: TestSpan): JsonValue {
  return {
    traceId: TRACE,
    spanId: spanId(1),
    name: 'span',
    startTimeUnixNano: ns(0),
    endTimeUnixNano: ns(1),
    ...span,
    attributes: toKeyValues(span.attributes ?? {}),
    ...(span.events === undefined
      ? {}
      : { events: span.events.map((event) => ({ ...event, attributes: toKeyValues(event.attributes ?? {}) })) }),
  }
}

function toKeyValues(attributes: Readonly<Record<string, unknown>>): JsonValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAny(value) }))
}

function toAny(value: unknown): JsonValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toAny) } }
  if (value === null || value === undefined) return {}
  return { kvlistValue: { values: toKeyValues(value as Readonly<Record<string, unknown>>) } }
}

// Tests send values that are nested deeper than the encoder allows by default.
;(protobuf.util as { recursionLimit?: number }).recursionLimit = 1000

/** The descriptor with everything nested: for requests that are encoded whole. */
const root = protobuf.Root.fromJSON({
  nested: {
    ...OTLP_DESCRIPTOR.nested,
    ScopeSpans: {
      fields: {
        ...OTLP_DESCRIPTOR.nested.ScopeSpans.fields,
        spans: { rule: 'repeated', type: 'Span', id: 2 },
      },
    },
    ExportLogsServiceRequest: { fields: { resourceLogs: { rule: 'repeated', type: 'ResourceLogs', id: 1 } } },
    ResourceLogs: {
      fields: {
        resource: { type: 'Resource', id: 1 },
        scopeLogs: { rule: 'repeated', type: 'ScopeLogs', id: 2 },
      },
    },
    ScopeLogs: {
      fields: {
        scope: { type: 'InstrumentationScope', id: 1 },
        logRecords: { rule: 'repeated', type: 'LogRecord', id: 2 },
      },
    },
    AnyValue: {
      ...OTLP_DESCRIPTOR.nested.AnyValue,
      fields: {
        ...OTLP_DESCRIPTOR.nested.AnyValue.fields,
        arrayValue: { type: 'ArrayValue', id: 5 },
        kvlistValue: { type: 'KeyValueList', id: 6 },
      },
    },
  },
})

/** A request in JSON as the same request in protobuf. */
export function toProtobuf(json: JsonValue): Buffer {
  const type = root.lookupType('resourceLogs' in json ? 'ExportLogsServiceRequest' : 'ExportTraceServiceRequest')
  return Buffer.from(type.encode(type.fromObject(withIdBytes(json) as JsonValue)).finish())
}

const IDS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId'])

function withIdBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIdBytes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      IDS.has(key) ? Buffer.from(inner as string, 'hex') : withIdBytes(inner),
    ]),
  )
}

export function toRequest(
  projectId: ExportRequest['projectId'],
  json: JsonValue,
  encoding: OtlpEncoding = 'protobuf',
): ExportRequest {
  const form = 'resourceLogs' in json ? (`${encoding} logs` as const) : encoding
  return {
    projectId,
    encoding: form,
    body: encoding === 'protobuf' ? toProtobuf(json) : Buffer.from(JSON.stringify(json)),
  }
}
