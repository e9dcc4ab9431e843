/** A span to send. Attributes are texts and whole numbers. */
interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly statusCode: number
  readonly attributes: Readonly<Record<string, unknown>>
}

/** An `ExportTraceServiceRequest` in protobuf. */
export function encodeSpans(spans: readonly SentSpan[]): Buffer {
  return message(1, message(2, Buffer.concat(spans.map((span) => message(2, encodeSpan(span))))))
}

function encodeSpan(span: SentSpan): Buffer {
  return Buffer.concat([
    message(1, Buffer.from(span.traceId, 'hex')),
    message(2, Buffer.from(span.spanId, 'hex')),
    message(4, Buffer.from(span.parentSpanId, 'hex')),
    message(5, Buffer.from(span.name)),
    time(7, span.startMs),
    time(8, span.endMs),
    ...Object.entries(span.attributes).map(([key, value]) =>
      message(9, Buffer.concat([message(1, Buffer.from(key)), message(2, encodeValue(value))])),
    ),
    message(15, Buffer.concat([varint(3 << 3), varint(span.statusCode)])),
  ])
}

function encodeValue(value: unknown): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(3 << 3), varint(Math.trunc(value))])
  return message(1, Buffer.from(String(value)))
}

function message(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes])
}

function time(field: number, ms: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(ms) * 1_000_000n)
  return Buffer.concat([varint((field << 3) | 1), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}
