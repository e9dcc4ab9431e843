/** The encodings of an export over HTTP. */
export type OtlpEncoding = 'protobuf' | 'json'

/** What a body has: spans in an encoding, or log records. */
export type SpanForm = OtlpEncoding | `${OtlpEncoding} logs`
