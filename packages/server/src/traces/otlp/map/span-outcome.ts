import type { Span, SpanEvent, SpanOrigin } from '../wire/span.ts'
import { type JsonObject, SpanFields } from './span-fields.ts'
import { errorOf } from './error-text.ts'
import * as table from './mapping-table.ts'

const UNSET = 0
const OK = 1
const ERROR = 2
const EXCEPTION_EVENT = 'exception'
const NS_PER_MS = 1_000_000n

export function spanStatus(span: Span, { scope }: SpanOrigin, fields: SpanFields): 'ok' | 'error' | null {
  const { statusCode } = span
  if (statusCode === ERROR || fields.text(table.LANGFUSE_LEVEL)?.toUpperCase() === 'ERROR') return 'error'
  if (table.SCOPES_WITHOUT_STATUS.has(scope.name) && lastException(span) !== undefined) return 'error'
  if (statusCode === UNSET && (endedByException(span) || fields.text(table.ERROR_TYPE) !== undefined)) return 'error'
  return statusCode === OK ? 'ok' : null
}

/** The attribute of its exception that an error has as its stack. */
export const STACK = 'exception.stacktrace'

/** The event that tells the error of a span. */
export function exceptionOf({ events }: Span): SpanEvent | undefined {
  return events.findLast(({ name }) => name === EXCEPTION_EVENT)
}

function lastException(span: Span): SpanEvent | undefined {
  const exception = exceptionOf(span)
  const isHandled = String(exception?.attributes.get('exception.escaped')).toLowerCase() === 'false'
  return isHandled ? undefined : exception
}

/** The exception left the span: it stands at the end, apart at most a tenth of the span and a millisecond. */
function endedByException(span: Span): boolean {
  const at = lastException(span)?.timeNs ?? 0n
  const tenth = (span.endNs - span.startNs) / 10n
  return at > 0n && span.endNs > 0n && span.endNs - at <= (tenth < NS_PER_MS ? tenth : NS_PER_MS)
}

/** What a failed span says about its error; null if it says nothing. */
export function spanError(span: Span, fields: SpanFields): JsonObject | null {
  const ofException = new SpanFields(exceptionOf(span)?.attributes ?? new Map())
  const message =
    ofException.text('exception.message') ??
    (span.statusMessage === '' ? fields.useFirstText([table.LANGFUSE_STATUS_MESSAGE]) : span.statusMessage)
  // LangChain writes the stack into the message.
  const found = errorOf(message ?? '')
  // Langfuse has no other place for the type.
  const isWhole =
    'stacktrace' in found || (message !== undefined && exceptionOf(span) === undefined && span.statusMessage === '')
  const read: Readonly<Record<string, string | undefined>> = isWhole ? found : { message }
  const stack = ofException.text(STACK) ?? read['stacktrace']
  const thrown = ofException.text('exception.type')
  // JavaScript's SDK gives the code of an error as its type.
  const ofCode = /^\d+$/.test(thrown ?? '') ? errorOf(stack ?? '')['type'] : undefined
  const type = fields.useFirstText([table.ERROR_TYPE]) ?? ofCode ?? thrown ?? read['type']
  const members = { type, message: read['message'], stack }
  const given = Object.entries(members).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text.toWellFormed()] as const],
  )
  return given.length === 0 ? null : Object.fromEntries(given)
}

/** Milliseconds; null when unknown or before 1970. An end before the start counts as the start. */
export function spanTimes({ startNs, endNs }: Span): {
  readonly startedAt: number | null
  readonly endedAt: number | null
} {
  const startedAt = startNs <= 0n ? null : Number(startNs / NS_PER_MS)
  const endedAt = endNs <= 0n ? null : Number(endNs / NS_PER_MS)
  return { startedAt, endedAt: startedAt !== null && endedAt !== null ? Math.max(startedAt, endedAt) : endedAt }
}
