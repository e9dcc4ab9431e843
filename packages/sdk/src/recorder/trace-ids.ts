const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/
/** The random digits of a trace id that decide, and how many values they have. */
const DECIDING = { digits: 12, values: 2 ** 48 }

/** Of 16 bytes for a trace, of 8 for a span. */
export function randomHex(bytes: number): string {
  let text = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) text += HEX[byte]
  return text
}

/** The same for every process that knows the trace, so a trace is recorded whole or not at all. */
export function isSampled(traceId: string, rate: number): boolean {
  return rate >= 1 || Number.parseInt(traceId.slice(-DECIDING.digits), 16) < rate * DECIDING.values
}

export function parseTraceparent(header: unknown): { traceId: string; spanId: string } | null {
  const [, traceId, spanId] = typeof header === 'string' ? (TRACEPARENT.exec(header.trim()) ?? []) : []
  return traceId === undefined || spanId === undefined ? null : { traceId, spanId }
}
