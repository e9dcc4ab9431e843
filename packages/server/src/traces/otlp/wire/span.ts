import { isList, isWithin } from '@spoor/payloads/json'
import type { Problem } from '../../../lib/validation/move-aside.ts'
import type { SpanEvaluation, SpanMedia } from '../../../ports/traces/prepared.ts'

/** A value of an attribute. Integers beyond 2^53 are their digits, bytes are base64, NaN and infinities are words. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value }

/** Attributes by key. Of a key that occurs twice, the last counts. */
export type Attributes = ReadonlyMap<string, Value>

export interface SpanEvent {
  /** Of a log record: the same when it is sent again. */
  readonly id?: string
  readonly name: string
  /** Nanoseconds since 1970 UTC, 0 when unknown. */
  readonly timeNs: bigint
  readonly attributes: Attributes
}

interface SpanLink {
  /** Lower-case hex. */
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Attributes
}

/** A span as both encodings decode to it. */
export interface Span {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  /** Null for a root. */
  readonly parentSpanId: string | null
  /** It goes on: a root that has not come yet, for example. */
  readonly isPending?: true
  /** It is not the span: its events are log records that name the span. */
  readonly isRecords?: true
  readonly traceState: string
  readonly name: string
  /** 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  /** Nanoseconds since 1970 UTC as sent; 0 when unknown. */
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  readonly links: readonly SpanLink[]
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number
  readonly statusMessage: string
  /** Values that could not be taken as they were sent. */
  readonly problems: readonly Problem[]
  /** Set by senders that create an object and update it later: see `SpanPart`. */
  readonly part?: SpanPart
  /** Beside those in its attributes and events. */
  readonly evaluations?: readonly SpanEvaluation[]
  /** Bytes beside its attributes. */
  readonly media?: readonly SpanMedia[]
}

/** The span is what is known of an object so far, or one change of it. Parts of one object come in any order. */
export interface SpanPart {
  /** A later part wins over an earlier one; of equal ones the one that comes last. Milliseconds, or any other order. */
  readonly at: number
  /** What the part does not say, although the span has a value. */
  readonly lacks: readonly ('name' | 'type' | 'parent')[]
  /** It only names the object. */
  readonly isMention?: true
}

interface Scope {
  readonly name: string
  readonly version: string
  readonly attributes: Attributes
}

/** What the spans of one sender share. */
export interface SpanOrigin {
  readonly resource: Attributes
  readonly scope: Scope
}

/** A log record as both encodings decode to it. */
export interface LogRecord {
  /** As sent, in lower case; not checked. */
  readonly traceId: string
  readonly spanId: string
  /** Empty if it has none. */
  readonly name: string
  readonly timeNs: bigint
  readonly attributes: Attributes
  readonly body: Value
}

/** A span or a log record of a request, decoded when it is its turn. `decode` throws `BadSpan`. */
export interface Sent<T> {
  readonly origin: SpanOrigin
  /** Of the items of the request that it is made of, if the answer has a verdict on each. */
  readonly names?: readonly string[]
  decode(): T
}

/** Why a span is refused. The others of its request are taken. */
export class BadSpan extends Error {
  override readonly name = 'BadSpan'
}

/** Values of attributes may be nested this deep. A value that is no array and no list has depth 1. */
export const VALUE_DEPTH = 64

/** Stands for what is nested deeper, which is not read. */
const TOO_DEEP = `[nested more than ${VALUE_DEPTH} deep]`

/** The value without what is nested deeper: the same one if nothing is, as nearly always. */
export function withinDepth(value: Value): Value {
  return isWithin(value, VALUE_DEPTH - 1) ? value : cutAt(value, VALUE_DEPTH)
}

function cutAt(value: Value, depth: number): Value {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 1) return TOO_DEEP
  if (isList(value)) return value.map((inner) => cutAt(inner, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutAt(inner, depth - 1)]))
}

/** Takes what is wrong with one value of a span. */
export type Tell = (problem: Problem) => void

/** A resource, a scope or a log record has no place for it. */
export const untold: Tell = () => undefined

/** Of one span; what is wrong with more values is seen from these. */
const MOST_PROBLEMS = 100

export function tellInto(problems: Problem[]): Tell {
  return (problem) => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem)
  }
}

export function tellDepth(tell: Tell): string {
  tell({ field: 'attributes', problem: `What is nested more than ${VALUE_DEPTH} deep was left out.` })
  return TOO_DEEP
}

/** Throws BadSpan unless the ids have the right form. An empty or zero parent is none, and so is one that is no id. */
export function checkIds(
  traceId: string,
  spanId: string,
  parentSpanId: string,
  tell: Tell,
): Pick<Span, 'traceId' | 'spanId' | 'parentSpanId'> {
  if (!isIdOf(traceId, 32)) throw new BadSpan('the trace id must have 16 bytes, not all zero')
  if (!isIdOf(spanId, 16)) throw new BadSpan('the span id must have 8 bytes, not all zero')
  if (parentSpanId === '' || /^0+$/.test(parentSpanId)) return { traceId, spanId, parentSpanId: null }
  if (isIdOf(parentSpanId, 16)) return { traceId, spanId, parentSpanId }
  tell({ field: 'parentSpanId', problem: 'The parent span id must have 8 bytes.', value: parentSpanId })
  return { traceId, spanId, parentSpanId: null }
}

function isIdOf(hex: string, digits: number): boolean {
  return hex.length === digits && /^[0-9a-f]+$/.test(hex) && !/^0+$/.test(hex)
}

/** An integer that is exact as a number, else its digits. */
export function integerValue(integer: bigint): number | string {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : String(integer)
}

/** JSON has no such numbers. */
export function doubleValue(double: number): number | string {
  return Number.isFinite(double) ? double : String(double)
}
