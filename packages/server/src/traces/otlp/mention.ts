import { OTEL_TRACE_ID } from '@spoor/contract/otlp'
import type { Fields } from '@spoor/payloads/json'
import { SPAN_KIND } from './map/mapping-table.ts'
import { type BadSpan, type Sent, type Span, type SpanOrigin } from './wire/span.ts'

export type SpanIds = Pick<Span, 'traceId' | 'spanId' | 'parentSpanId'>

export const NO_ORIGIN: SpanOrigin = {
  resource: new Map(),
  scope: { name: '', version: '', attributes: new Map() },
}

export function emptySpan(ids: SpanIds): Span {
  return {
    ...ids,
    traceState: '',
    name: '',
    kind: 0,
    startNs: 0n,
    endNs: 0n,
    attributes: new Map(),
    events: [],
    links: [],
    statusCode: 0,
    statusMessage: '',
    problems: [],
  }
}

/** An object of which nothing is known but its ids. */
export function mentionOf(ids: SpanIds): Span {
  const part = { at: -1, lacks: ['name', 'type', 'parent'], isMention: true } as const
  return { ...emptySpan(ids), isPending: true, part }
}

/** A trace of which nothing is known but its id. It makes no step. */
export function mentionOfTrace(ids: SpanIds): Span {
  return { ...mentionOf(ids), attributes: new Map([[SPAN_KIND, 'trace']]) }
}

/** An object that is not taken, for this reason. */
export function refused(error: BadSpan, names?: readonly string[]): Sent<never> {
  const decode = () => {
    throw error
  }
  return { origin: NO_ORIGIN, decode, ...(names === undefined ? {} : { names }) }
}

/** The 32 lower-case hex digits of a UUID; null for another value. */
export function hexOfUuid(value: unknown): string | null {
  return typeof value === 'string' && OTEL_TRACE_ID.test(value) ? value.replaceAll('-', '').toLowerCase() : null
}

/** What several requests or parts say of one object, in their order: of each field the last that has a value. */
export function lastSaid(all: readonly Fields[]): Fields {
  const [only, ...later] = all
  if (only !== undefined && later.length === 0) return only
  const isSaid = (value: unknown) => value !== undefined && value !== null
  const said = all.flatMap((one, at) => Object.entries(one).filter(([, value]) => at === 0 || isSaid(value)))
  return Object.fromEntries(said)
}

/** Milliseconds. Python writes times without a zone, which are in UTC. */
export function timeOf(time: unknown): number | null {
  if (typeof time === 'number' && Number.isFinite(time)) return Math.round(time)
  if (typeof time !== 'string') return null
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`)
  return Number.isNaN(ms) ? null : ms
}
