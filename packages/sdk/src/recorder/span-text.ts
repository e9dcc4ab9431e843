export const SPANS_PATH = '/otlp/v1/traces'

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
  readonly attributes: Iterable<readonly [name: string, value: string]>
}

const LONGEST_NAME = 255

export function spanText({
  traceId,
  spanId,
  parentSpanId,
  name,
  startMs,
  endMs,
  isError,
  attributes,
}: SpanContent): string {
  const parent = parentSpanId === null ? '' : `,"parentSpanId":"${parentSpanId}"`
  const times = `"startTimeUnixNano":"${nanoseconds(startMs)}","endTimeUnixNano":"${nanoseconds(endMs)}"`
  const status = isError ? ',"status":{"code":2}' : ''
  const head = `{"traceId":"${traceId}","spanId":"${spanId}"${parent},"name":${JSON.stringify(cut(name) || 'unnamed')}`
  return `${head},"kind":1,${times},"attributes":${attributesText(attributes)}${status}}`
}

/** The service takes no longer names. Never ends in half of a character. */
export function cut(text: unknown): string {
  return String(text)
    .slice(0, LONGEST_NAME)
    .replace(/[\uD800-\uDBFF]$/, '')
}

/** The text before and after the spans of a request. */
export function exportFrame(serviceName: string | undefined): { head: string; tail: string } {
  const facts = [
    ['telemetry.sdk.name', 'spoor'],
    ['telemetry.sdk.language', 'nodejs'],
    ...(serviceName === undefined ? [] : [['service.name', String(serviceName)]]),
  ] as [string, string][]
  const scope = '{"name":"spoor"}'
  return {
    head: `{"resourceSpans":[{"resource":{"attributes":${attributesText(facts)}},"scopeSpans":[{"scope":${scope},"spans":[`,
    tail: ']}]}]}',
  }
}

/** @throws TypeError if it is no export */
export function spansIn(body: unknown): number {
  const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: unknown[] }[] }[] }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).length
}

function attributesText(attributes: Iterable<readonly [name: string, value: string]>): string {
  const texts: string[] = []
  for (const [key, value] of attributes) texts.push(`{"key":"${key}","value":{"stringValue":${JSON.stringify(value)}}}`)
  return `[${texts.join(',')}]`
}

/** To the microsecond, which is what a double holds. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}
