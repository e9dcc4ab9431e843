/** The encodings of an export over HTTP. */
export type OtlpEncoding = 'protobuf' | 'json'

/** What a body has: spans in an encoding, log records, or a request of a sender that has an API of its own. */
export type SpanForm = OtlpEncoding | `${OtlpEncoding} logs` | 'langfuse' | 'langsmith'
