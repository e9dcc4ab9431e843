import type { Span, SpanOrigin } from './wire/span.ts'

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
