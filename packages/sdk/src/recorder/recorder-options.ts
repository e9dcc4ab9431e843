/** Every field has a default. A wrong value is reported by `onWarning`, and nothing is recorded. */
export interface RecorderOptions {
  /** The address of the service. Default: `SPOOR_URL`, else `http://127.0.0.1:4319`. */
  readonly url?: string
  /** A key with the scope `ingest`. Default: `SPOOR_API_KEY`. Without a key nothing is recorded. */
  readonly apiKey?: string
  /** `service.name` of the traces. */
  readonly serviceName?: string
  /** The share of traces that are recorded, from 0 to 1, chosen by trace id. Default: 1. */
  readonly sampleRate?: number
  /** Holds traces that are not sampled until they end, and sends failed ones. Default: false. */
  readonly keepOnError?: boolean
  /**
   * Replaces values before they are queued. Called for every value in messages, metadata, errors and attachments, outer
   * values first; `path` is like `messages.0.content.0.text`. If it throws, the value is left out.
   */
  readonly mask?: (value: unknown, path: string) => unknown
  /** How long spans wait for others to be sent with, ms. Default: 500. */
  readonly delayMs?: number
  /**
   * The size of a request at which no more spans are added to it, in bytes of ASCII text. Default: 1 MiB. Other
   * characters count as one byte too.
   */
  readonly batchBytes?: number
  /** Limit of waiting records in memory, counted as in `batchBytes`. Default: 64 MiB. */
  readonly queueBytes?: number
  /** For how long the recorder may delay the end of the process, ms. Default: 10,000. */
  readonly shutdownTimeoutMs?: number
  /**
   * A folder for what cannot be sent now (Node, Bun, Deno). Default: `SPOOR_SPOOL_DIR`, else one in the cache of the
   * user, for this address and key alone. An empty text: none.
   */
  readonly spoolDir?: string
  /** Limit of the folder, bytes. Default: 1 GiB. */
  readonly spoolBytes?: number
  readonly fetch?: typeof fetch
  /** Called with everything that is lost or refused. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
}

export interface TraceOptions {
  readonly runType?: string
  readonly sessionId?: string
  readonly userId?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The W3C header of a request: the trace becomes part of the caller's trace. Invalid values are ignored. */
  readonly traceparent?: string | null
}

export interface StepOptions {
  /** `llm`, `tool`, `retrieval`, `agent`, `chain`, `embedding`, … Default: `other`. */
  readonly type?: string
  readonly model?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Tokens. `input` includes the cached ones, `output` the reasoning. */
export interface TokenUsage {
  readonly input?: number
  readonly output?: number
  readonly cache_read?: number
  readonly cache_write?: number
  readonly reasoning?: number
}

/** Bytes, or the `media://` uri of an upload. */
export type AttachedFile =
  | { readonly bytes: Uint8Array | ArrayBuffer; readonly contentType: string; readonly filename?: string }
  | { readonly uri: string }

export interface MetricOptions {
  readonly source?: 'human' | 'code' | 'llm'
  readonly comment?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** The verdicts on all records since the last flush: spans, metric events and flags, each counted as one. */
export interface FlushVerdicts {
  /** Nothing was refused or dropped and nothing waits: all is durable and readable. */
  readonly ok: boolean
  readonly stored: number
  /** Refused for good, by the service or because it was too large. */
  readonly refused: number
  /** Lost because the queue or the spool was full. */
  readonly dropped: number
  /** On disk, to be sent later. */
  readonly spooled: number
  /** Still in memory when the time was over. */
  readonly pending: number
  /** The first reasons of what was refused, and why the rest waits. */
  readonly reasons: readonly string[]
}
