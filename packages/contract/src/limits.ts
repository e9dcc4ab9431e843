/** Limits a client can meet. Bytes are counted on the raw request, before any decoding. */
export interface Limits {
  /** One `POST /v1/traces` body, bytes. */
  readonly traceBodyBytes: number
  /** One NDJSON line, bytes without its line end. */
  readonly lineBytes: number
  /** One whole NDJSON request, bytes. */
  readonly ndjsonRequestBytes: number
  /** Lines answered in one JSON (not NDJSON) step-append response. */
  readonly linesPerJsonResponse: number
  /** Any other JSON request body (keys, projects, patches), bytes. */
  readonly controlBodyBytes: number
  /** Nesting of objects and arrays; the outermost one counts as 1. */
  readonly jsonDepth: number
  readonly metadataKeys: number
  /** The metadata of one trace, bytes as sent: every list shows it. */
  readonly metadataBytes: number
  /** Characters (UTF-16 code units) in one metadata key. */
  readonly metadataKeyLength: number
  readonly stepsPerTraceBody: number
  /** One uploaded artifact, bytes. */
  readonly uploadBytes: number
  /** Uploaded and linked media of one trace and its steps. */
  readonly attachmentsPerTrace: number
  /** Definitions of metrics in one project. */
  readonly metricsPerProject: number
  /** One metric event, bytes as sent: every list shows it whole. */
  readonly metricEventBytes: number
  /** One JSON body of `POST /v1/metrics/events`, an event or an array of them, bytes. */
  readonly metricBatchBytes: number
  /** Monitors of one project. */
  readonly monitorsPerProject: number
  /** Webhooks of one project. */
  readonly webhooksPerProject: number
  readonly listLimitDefault: number
  readonly listLimitMax: number
}

/** Characters in a name, a session or user id, an idempotency key, a reason. Part of the schemas, so the same everywhere. */
export const NAME_LENGTH = 1000

/** A body of `/v1/session`, bytes: a key, a token or an id and what stands around it. It is read from anybody, so no more than that. */
export const SESSION_BODY_BYTES = 4096

export const DEFAULT_LIMITS: Limits = {
  traceBodyBytes: 16 * 1024 * 1024,
  lineBytes: 4 * 1024 * 1024,
  ndjsonRequestBytes: 256 * 1024 * 1024,
  linesPerJsonResponse: 100_000,
  controlBodyBytes: 1024 * 1024,
  jsonDepth: 64,
  metadataKeys: 256,
  metadataBytes: 256 * 1024,
  metadataKeyLength: 200,
  stepsPerTraceBody: 50_000,
  uploadBytes: 1024 * 1024 * 1024,
  attachmentsPerTrace: 10_000,
  metricsPerProject: 1000,
  metricEventBytes: 128 * 1024,
  metricBatchBytes: 16 * 1024 * 1024,
  monitorsPerProject: 2000,
  webhooksPerProject: 100,
  listLimitDefault: 50,
  listLimitMax: 1000,
}
