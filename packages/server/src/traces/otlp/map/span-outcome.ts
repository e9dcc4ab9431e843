import type { Span } from '../wire/span.ts'
import { SpanFields } from './span-fields.ts'
import * as table from './mapping-table.ts'

const OK = 1
const ERROR = 2
const EXCEPTION_EVENT = 'exception'

export function spanStatus({ statusCode }: Span, fields: SpanFields): 'ok' | 'error' | null {
  if (statusCode === ERROR || fields.text(table.LANGFUSE_LEVEL)?.toUpperCase() === 'ERROR') return 'error'
  return statusCode === OK ? 'ok' : null
}

/**
 * What a failed span says about its error, or null. The event of the exception stays in the metadata, for its stack.
 */
export function spanError(
  span: Span,
  fields: SpanFields,
): { readonly type?: string; readonly message?: string } | null {
  const exception = span.events.findLast(({ name }) => name === EXCEPTION_EVENT)
  const ofException = new SpanFields(exception?.attributes ?? new Map())
  const type = fields.useFirstText(table.ERROR_TYPE) ?? ofException.text('exception.type')
  const message =
    ofException.text('exception.message') ??
    (span.statusMessage === '' ? fields.useFirstText([table.LANGFUSE_STATUS_MESSAGE]) : span.statusMessage)
  const error = {
    ...(type === undefined ? {} : { type: type.toWellFormed() }),
    ...(message === undefined ? {} : { message: message.toWellFormed() }),
  }
  return Object.keys(error).length === 0 ? null : error
}

const NS_PER_MS = 1_000_000n

/** Milliseconds; null when unknown or before 1970. An end before the start counts as the start. */
export function spanTimes({ startNs, endNs }: Span): {
  readonly startedAt: number | null
  readonly endedAt: number | null
} {
  const startedAt = startNs <= 0n ? null : Number(startNs / NS_PER_MS)
  const endedAt = endNs <= 0n ? null : Number(endNs / NS_PER_MS)
  return { startedAt, endedAt: startedAt !== null && endedAt !== null ? Math.max(startedAt, endedAt) : endedAt }
}
