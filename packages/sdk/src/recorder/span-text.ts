/** A span in the JSON encoding of OTLP. */
export interface SpanContent {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  /** Milliseconds since 1970. */
  readonly startMs: number
  readonly endMs: number
  readonly isError: boolean
  readonly attributes: readonly (readonly [name: string, value: string])[]
}

const LONGEST_NAME = 255

export function spanText({ name, startMs, endMs, isError, parentSpanId, attributes, ...ids }: SpanContent): string {
  return JSON.stringify({
    ...ids,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name: cut(name) || 'unnamed',
    kind: 1,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributes.map(([key, stringValue]) => ({ key, value: { stringValue } })),
    ...(isError ? { status: { code: 2 } } : {}),
  })
}

/** The service takes no longer names. Never ends in half of a character. */
export function cut(text: unknown): string {
  return String(text)
    .slice(0, LONGEST_NAME)
    .replace(/[\uD800-\uDBFF]$/, '')
}

/** To the microsecond, which is what a double holds. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}

/** What comes before and after the spans of a request. */
export function exportFrame(serviceName: string | undefined): { head: string; tail: string } {
  const facts = [
    ['telemetry.sdk.name', 'spoor'],
    ['telemetry.sdk.language', 'nodejs'],
    ...(serviceName === undefined ? [] : [['service.name', String(serviceName)]]),
  ]
  const attributes = facts.map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const scope = '{"name":"spoor"}'
  return {
    head: `{"resourceSpans":[{"resource":${JSON.stringify({ attributes })},"scopeSpans":[{"scope":${scope},"spans":[`,
    tail: ']}]}]}',
  }
}
