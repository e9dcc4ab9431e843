/** The encodings of an export over HTTP. */
export type OtlpEncoding = 'protobuf' | 'json'
