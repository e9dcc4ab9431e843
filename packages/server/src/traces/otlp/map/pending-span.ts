import type { Span } from '../wire/span.ts'

const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/i

/**
 * Logfire announces a span by another one below it, which says whose child the span will be. That is the span itself,
 * not ended yet: its step is replaced when the span comes.
 */
export function withoutPending(span: Span): Span {
  const { attributes, parentSpanId } = span
  if (attributes.get('logfire.span_type') !== 'pending_span' || parentSpanId === null) return span
  const parent = attributes.get('logfire.pending_parent_id')
  const isChild = typeof parent === 'string' && SPAN_ID.test(parent)
  return {
    ...span,
    name: span.name.replace(/ \(pending\)$/, ''),
    spanId: parentSpanId,
    parentSpanId: isChild ? parent.toLowerCase() : null,
    endNs: 0n,
    isPending: true,
  }
}
