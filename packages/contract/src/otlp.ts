/** The content type of OTLP in protobuf. */
export const PROTOBUF_TYPE = 'application/x-protobuf'

/** The largest export of OpenTelemetry after decompression. Exporters send at most a few megabytes. */
export const EXPORT_BYTES = 64 * 1024 * 1024

/** Paths for exports of spans besides `/v1/traces`: the base for exporters, and the paths of Langfuse and LangSmith. */
export const OTLP_BASES = ['/otlp', '/api/public/otel', '/otel'] as const

/** The 32 hex digits by which a sender knows a trace, or a UUID; ids of our own are never that. */
export const OTEL_TRACE_ID = /^[0-9A-Fa-f]{8}-?(?:[0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}$/
