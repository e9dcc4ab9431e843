// Written by npm run sdk-types from the contract.

/** A trace with its initial steps. */
export interface TraceBody {
  /** Name of the trace. */
  readonly name: string
  /** The run type: `agent` (the default), `workflow`, `chat`, `task`, `eval` or any other slug. */
  readonly run_type?: string | undefined
  /**
   * Free-form key/value pairs of the trace; filterable by `meta_key` and `meta_value`: at most 256 keys
   * of at most 200 characters, 262144 bytes in all. Stored losslessly.
   */
  readonly metadata?:
    | {
        readonly [field: string]: unknown
      }
    | undefined
  /** Initial steps, in order. */
  readonly steps?: readonly StepBody[] | undefined
  /** How the run ended. Without it, the trace has failed if any step failed. */
  readonly status?: 'ok' | 'error' | undefined
  /** When the run began. ISO 8601 (RFC 3339) with `Z` or an offset; stored to the millisecond. */
  readonly started_at?: string | undefined
  /**
   * When the run ended; not before it began. ISO 8601 (RFC 3339) with `Z` or an offset; stored to the
   * millisecond.
   */
  readonly ended_at?: string | undefined
  /** The session or conversation of the run. */
  readonly session_id?: string | undefined
  /** The end user of the run. */
  readonly user_id?: string | undefined
}

/** One step of a trace. */
export interface StepBody {
  /**
   * A step id chosen by the client (`st_` and a UUIDv7 in base32), so that steps of one request can name
   * each other as parents.
   */
  readonly id?: string | undefined
  /** Name of the step. */
  readonly name: string
  /**
   * The kind of step: `llm`, `retrieval`, `tool`, `agent`, `chain`, `embedding`, `rerank`, `guardrail`,
   * `evaluator`, `other` (the default) or any other slug.
   */
  readonly type?: string | undefined
  /** The identifier of the model, for `llm` steps. Traces can be filtered by it. */
  readonly model?: string | undefined
  /** Input and output messages of the step, in order. */
  readonly messages?: readonly Message[] | undefined
  readonly token_usage?: TokenUsage | undefined
  /**
   * Free-form key/value pairs of the step: at most 256 keys of at most 200 characters. Stored
   * losslessly.
   */
  readonly metadata?:
    | {
        readonly [field: string]: unknown
      }
    | undefined
  /** Makes a retry safe: the same key in the same trace counts once. Scoped to the trace. */
  readonly idempotency_key?: string | undefined
  /**
   * The parent step. If omitted, the parent is the step that arrived just before, and is marked as
   * inferred.
   */
  readonly parent_step_id?: string | undefined
  /** How the step ended. A failed step makes a trace fail that has no status of its own. */
  readonly status?: 'ok' | 'error' | undefined
  readonly error?: StepError | undefined
  /** When the step began. ISO 8601 (RFC 3339) with `Z` or an offset; stored to the millisecond. */
  readonly started_at?: string | undefined
  /**
   * When the step ended; not before it began. ISO 8601 (RFC 3339) with `Z` or an offset; stored to the
   * millisecond.
   */
  readonly ended_at?: string | undefined
  /** Media of the project to link to the step. */
  readonly attachments?:
    | readonly {
        /** The `uri` from the answer to the upload of the media. */
        readonly uri: string
      }[]
    | undefined
}

/** One message. Further fields are stored verbatim. */
export interface Message {
  /** The role, for example `user`, `assistant`, `system` or `tool`. */
  readonly role: string
  /** The parts of the message, in order. */
  readonly content?:
    | readonly {
        /** The type of the part, for example `text`. Other types are stored verbatim. */
        readonly type: string
        /** The text of a `text` part. */
        readonly text?: string | undefined
        readonly [field: string]: unknown
      }[]
    | undefined
  readonly [field: string]: unknown
}

/** Tokens that the step used. */
export interface TokenUsage {
  /** Tokens read by the model, including cached ones. Default: 0. */
  readonly input?: number | undefined
  /** Tokens written by the model. Default: 0. */
  readonly output?: number | undefined
  /** Input tokens that were read from a cache. */
  readonly cache_read?: number | undefined
  /** Input tokens that were written to a cache. */
  readonly cache_write?: number | undefined
  /** Output tokens used for reasoning. */
  readonly reasoning?: number | undefined
  /** Tokens of `cache_write` that the cache keeps for an hour. */
  readonly cache_write_1h?: number | undefined
  /** Input tokens that are audio. */
  readonly input_audio?: number | undefined
  /** Output tokens that are audio. */
  readonly output_audio?: number | undefined
  /** Input tokens that are images. */
  readonly input_image?: number | undefined
  /** Output tokens that are images. */
  readonly output_image?: number | undefined
  /** The call was made in a batch, at the price for that. */
  readonly batch?: boolean | undefined
  /** What it cost, US dollars. It wins over prices. */
  readonly cost_usd?: number | undefined
}

/** What went wrong in the step. It does not set `status`. */
export interface StepError {
  /** The class of the error, for example `TimeoutError`. */
  readonly type?: string | undefined
  /** What went wrong, in words. */
  readonly message?: string | undefined
  /** Where it went wrong: the stack of the error. */
  readonly stack?: string | undefined
}

/** Acknowledges a committed trace. */
export interface CommitReceipt {
  /** The committed trace; for a retry with the same `Idempotency-Key` the first one. */
  readonly id: string
  /**
   * Always `committed`: this request emitted `trace.committed`. A trace that is committed as failed also
   * emits `trace.flagged`, and reads show its `state` as `flagged`.
   */
  readonly state: 'committed'
  /** The ids of its steps, in the order sent. */
  readonly step_ids: readonly string[]
  /** When it was committed. */
  readonly committed_at: string
}

/** The result for each line of a step append. */
export interface AppendResponse {
  /** Whether any line was refused. If so, the status is 207, otherwise 200. */
  readonly errors: boolean
  /** One result per line that is not blank, in line order. */
  readonly results: readonly LineResult[]
}

/** The result for one line. */
export type LineResult = AcceptedLine | RefusedLine

/** A line whose step is in the trace. */
export interface AcceptedLine {
  /** The physical line of the request, from 1; blank lines count but have no result. */
  readonly line: number
  /** `created`: the step is durable and readable. `duplicate`: the same step was already written. */
  readonly status: 'created' | 'duplicate'
  /** The step; for a duplicate the first one. */
  readonly step_id: string
}

/** A line that was refused. Other lines are not affected. */
export interface RefusedLine {
  /** The physical line of the request, from 1; blank lines count but have no result. */
  readonly line: number
  /** Nothing of this line was written. */
  readonly status: 'error'
  readonly code: ErrorCode
  /** What is wrong with the line, in words. */
  readonly detail: string
  /** The place of the error as a JSON pointer into the line; null for the line itself. */
  readonly pointer: string | null
}

/** One page of traces. */
export interface TraceFeed {
  /** One page of traces, in the requested order. */
  readonly traces: readonly {
    /** The trace. */
    readonly id: string
    /** The name of the trace. */
    readonly name: string
    /** The run type, an open slug: `agent`, `workflow`, `chat`, `task`, `eval` or your own. */
    readonly run_type: string
    /** `committed` at first; `flagged` once it is marked as failed or flagged. */
    readonly state: 'committed' | 'flagged'
    /**
     * The run's own word: what was set on the trace, else, of spans, how its root ended. If neither says
     * anything, `error` if any of its steps failed, once it is complete; otherwise `ok`.
     */
    readonly status: 'ok' | 'error'
    /** How many steps failed in a run that is `ok`: it coped with them. Of a failed run 0. */
    readonly recovered_errors: number
    /** Free-form key/value pairs, exactly as sent. */
    readonly metadata: {
      readonly [field: string]: unknown
    }
    /**
     * Whether more of it may come: `true` until it is complete. A trace with all its steps in one commit
     * is complete at once; one that comes in pieces, when its root has come and then nothing for a while
     * (`SPOOR_TRACE_QUIET_SECONDS`). Once complete, it stays so.
     */
    readonly growing: boolean
    /**
     * Whether its root has come: of spans of OpenTelemetry, one without a parent; otherwise always `true`.
     * Without a root a trace is not complete, however long nothing comes.
     */
    readonly root_seen: boolean
    /**
     * When the service committed it, by its clock. Lists sorted by creation are in order of arrival, which
     * differs from these times if the clock was set back.
     */
    readonly created_at: string
    /** When the latest steps or changes of it were committed. */
    readonly updated_at: string
    /** When the run began: its own time, or that of its earliest step. */
    readonly started_at: string | null
    /** Milliseconds from its start to its end, by its own times or those of its steps; null if unknown. */
    readonly duration_ms: number | null
    /** The number of its steps. */
    readonly step_count: number
    /** The models that its steps used, each once. */
    readonly models: readonly string[]
    readonly token_usage: TokenTotals
    /** The session or conversation of the run. */
    readonly session_id: string | null
    /** The end user of the run. */
    readonly user_id: string | null
    /** The number of media attached to it and its steps. */
    readonly attachment_count: number
    /**
     * What it was asked: the first text of a user: that of its root, else of the step that began first. In
     * one line, at most 240 characters, ending with `...` if there is more; null if there is none.
     */
    readonly input_preview: string | null
    /**
     * What came out: the last text of a model: that of its root, else of the step that ended last; of a
     * failed trace, the type and message of its first failed step that has them. In one line, at most 240
     * characters, ending with `...` if there is more; null if there is none.
     */
    readonly output_preview: string | null
    /**
     * The total cost of its steps; null if no step has a cost, or its steps use more than 100 models. US
     * dollars, rounded to 10 decimals, at current prices.
     */
    readonly cost_usd: number | null
    /** Only with `q`: where the trace has its words. Null if they are in its name alone. */
    readonly snippet?:
      | {
          /** The first step that has all the words. */
          readonly step_id: string
          /** About 160 characters around the first word, in one line, with `…` where it was cut. */
          readonly text: string
          /** Where the words are in `text`, in order. Offsets count UTF-16 code units, as JavaScript does. */
          readonly ranges: readonly (readonly number[])[]
        }
      | null
      | undefined
    /**
     * Only with `metric_values`: by name of the metric, the value of its event with the latest time, on
     * the trace or on a step of it.
     */
    readonly metric_values?:
      | {
          readonly [field: string]: boolean | number | string | null
        }
      | undefined
  }[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** One trace, without its steps. */
export interface TraceRow {
  /** The trace. */
  readonly id: string
  /** The name of the trace. */
  readonly name: string
  /** The run type, an open slug: `agent`, `workflow`, `chat`, `task`, `eval` or your own. */
  readonly run_type: string
  /** `committed` at first; `flagged` once it is marked as failed or flagged. */
  readonly state: 'committed' | 'flagged'
  /**
   * The run's own word: what was set on the trace, else, of spans, how its root ended. If neither says
   * anything, `error` if any of its steps failed, once it is complete; otherwise `ok`.
   */
  readonly status: 'ok' | 'error'
  /** How many steps failed in a run that is `ok`: it coped with them. Of a failed run 0. */
  readonly recovered_errors: number
  /** Free-form key/value pairs, exactly as sent. */
  readonly metadata: {
    readonly [field: string]: unknown
  }
  /**
   * Whether more of it may come: `true` until it is complete. A trace with all its steps in one commit
   * is complete at once; one that comes in pieces, when its root has come and then nothing for a while
   * (`SPOOR_TRACE_QUIET_SECONDS`). Once complete, it stays so.
   */
  readonly growing: boolean
  /**
   * Whether its root has come: of spans of OpenTelemetry, one without a parent; otherwise always `true`.
   * Without a root a trace is not complete, however long nothing comes.
   */
  readonly root_seen: boolean
  /**
   * When the service committed it, by its clock. Lists sorted by creation are in order of arrival, which
   * differs from these times if the clock was set back.
   */
  readonly created_at: string
  /** When the latest steps or changes of it were committed. */
  readonly updated_at: string
  /** When the run began: its own time, or that of its earliest step. */
  readonly started_at: string | null
  /** Milliseconds from its start to its end, by its own times or those of its steps; null if unknown. */
  readonly duration_ms: number | null
  /** The number of its steps. */
  readonly step_count: number
  /** The models that its steps used, each once. */
  readonly models: readonly string[]
  readonly token_usage: TokenTotals
  /** The session or conversation of the run. */
  readonly session_id: string | null
  /** The end user of the run. */
  readonly user_id: string | null
  /** The number of media attached to it and its steps. */
  readonly attachment_count: number
  /**
   * What it was asked: the first text of a user: that of its root, else of the step that began first. In
   * one line, at most 240 characters, ending with `...` if there is more; null if there is none.
   */
  readonly input_preview: string | null
  /**
   * What came out: the last text of a model: that of its root, else of the step that ended last; of a
   * failed trace, the type and message of its first failed step that has them. In one line, at most 240
   * characters, ending with `...` if there is more; null if there is none.
   */
  readonly output_preview: string | null
  /**
   * The total cost of its steps; null if no step has a cost, or its steps use more than 100 models. US
   * dollars, rounded to 10 decimals, at current prices.
   */
  readonly cost_usd: number | null
}

/** Tokens summed over all steps of a trace. */
export interface TokenTotals {
  /** Tokens read by models, including cached ones. */
  readonly input: number
  /** Tokens written by models, including reasoning. */
  readonly output: number
  /** `input + output`, the key of `sort=total_tokens`. */
  readonly total: number
  /** Part of `input`: tokens that were read from a cache. */
  readonly cache_read: number
  /** Part of `input`: tokens that were written to a cache. */
  readonly cache_write: number
  /** Part of `output`: reasoning tokens. */
  readonly reasoning: number
}

/** One whole trace. */
export interface Trace {
  /** The trace. */
  readonly id: string
  /** The name of the trace. */
  readonly name: string
  /** The run type, an open slug: `agent`, `workflow`, `chat`, `task`, `eval` or your own. */
  readonly run_type: string
  /** `committed` at first; `flagged` once it is marked as failed or flagged. */
  readonly state: 'committed' | 'flagged'
  /**
   * The run's own word: what was set on the trace, else, of spans, how its root ended. If neither says
   * anything, `error` if any of its steps failed, once it is complete; otherwise `ok`.
   */
  readonly status: 'ok' | 'error'
  /** How many steps failed in a run that is `ok`: it coped with them. Of a failed run 0. */
  readonly recovered_errors: number
  /** Free-form key/value pairs, exactly as sent. */
  readonly metadata: {
    readonly [field: string]: unknown
  }
  /**
   * Whether more of it may come: `true` until it is complete. A trace with all its steps in one commit
   * is complete at once; one that comes in pieces, when its root has come and then nothing for a while
   * (`SPOOR_TRACE_QUIET_SECONDS`). Once complete, it stays so.
   */
  readonly growing: boolean
  /**
   * Whether its root has come: of spans of OpenTelemetry, one without a parent; otherwise always `true`.
   * Without a root a trace is not complete, however long nothing comes.
   */
  readonly root_seen: boolean
  /**
   * When the service committed it, by its clock. Lists sorted by creation are in order of arrival, which
   * differs from these times if the clock was set back.
   */
  readonly created_at: string
  /** When the latest steps or changes of it were committed. */
  readonly updated_at: string
  /** When the run began: its own time, or that of its earliest step. */
  readonly started_at: string | null
  /** Milliseconds from its start to its end, by its own times or those of its steps; null if unknown. */
  readonly duration_ms: number | null
  /** The number of its steps. */
  readonly step_count: number
  /** The models that its steps used, each once. */
  readonly models: readonly string[]
  readonly token_usage: TokenTotals
  /** The session or conversation of the run. */
  readonly session_id: string | null
  /** The end user of the run. */
  readonly user_id: string | null
  /** The number of media attached to it and its steps. */
  readonly attachment_count: number
  /**
   * What it was asked: the first text of a user: that of its root, else of the step that began first. In
   * one line, at most 240 characters, ending with `...` if there is more; null if there is none.
   */
  readonly input_preview: string | null
  /**
   * What came out: the last text of a model: that of its root, else of the step that ended last; of a
   * failed trace, the type and message of its first failed step that has them. In one line, at most 240
   * characters, ending with `...` if there is more; null if there is none.
   */
  readonly output_preview: string | null
  /**
   * The total cost of its steps; null if no step has a cost. US dollars, rounded to 10 decimals, at
   * current prices.
   */
  readonly cost_usd: number | null
  /** When the run ended: its own time, or that of its latest step. */
  readonly ended_at: string | null
  /** The reason given when it was marked as failed or flagged. */
  readonly flag_reason: string | null
  /** All steps, in arrival order. */
  readonly steps: readonly Step[]
  /** Media of the trace without a step. */
  readonly attachments: readonly Attachment[]
  /** The metric events of the trace and its steps, oldest first. */
  readonly metric_events: readonly MetricEvent[]
  /**
   * Models of steps that used tokens but have no price, so that `cost_usd` does not include them; at
   * most 100.
   */
  readonly unpriced_models: readonly string[]
}

/**
 * The row of a trace and the parts that `include` names. With any part, also `ended_at` and
 * `flag_reason`; with steps, also `unpriced_models`.
 */
export interface PartialTrace {
  /** The trace. */
  readonly id: string
  /** The name of the trace. */
  readonly name: string
  /** The run type, an open slug: `agent`, `workflow`, `chat`, `task`, `eval` or your own. */
  readonly run_type: string
  /** `committed` at first; `flagged` once it is marked as failed or flagged. */
  readonly state: 'committed' | 'flagged'
  /**
   * The run's own word: what was set on the trace, else, of spans, how its root ended. If neither says
   * anything, `error` if any of its steps failed, once it is complete; otherwise `ok`.
   */
  readonly status: 'ok' | 'error'
  /** How many steps failed in a run that is `ok`: it coped with them. Of a failed run 0. */
  readonly recovered_errors: number
  /** Free-form key/value pairs, exactly as sent. */
  readonly metadata: {
    readonly [field: string]: unknown
  }
  /**
   * Whether more of it may come: `true` until it is complete. A trace with all its steps in one commit
   * is complete at once; one that comes in pieces, when its root has come and then nothing for a while
   * (`SPOOR_TRACE_QUIET_SECONDS`). Once complete, it stays so.
   */
  readonly growing: boolean
  /**
   * Whether its root has come: of spans of OpenTelemetry, one without a parent; otherwise always `true`.
   * Without a root a trace is not complete, however long nothing comes.
   */
  readonly root_seen: boolean
  /**
   * When the service committed it, by its clock. Lists sorted by creation are in order of arrival, which
   * differs from these times if the clock was set back.
   */
  readonly created_at: string
  /** When the latest steps or changes of it were committed. */
  readonly updated_at: string
  /** When the run began: its own time, or that of its earliest step. */
  readonly started_at: string | null
  /** Milliseconds from its start to its end, by its own times or those of its steps; null if unknown. */
  readonly duration_ms: number | null
  /** The number of its steps. */
  readonly step_count: number
  /** The models that its steps used, each once. */
  readonly models: readonly string[]
  readonly token_usage: TokenTotals
  /** The session or conversation of the run. */
  readonly session_id: string | null
  /** The end user of the run. */
  readonly user_id: string | null
  /** The number of media attached to it and its steps. */
  readonly attachment_count: number
  /**
   * What it was asked: the first text of a user: that of its root, else of the step that began first. In
   * one line, at most 240 characters, ending with `...` if there is more; null if there is none.
   */
  readonly input_preview: string | null
  /**
   * What came out: the last text of a model: that of its root, else of the step that ended last; of a
   * failed trace, the type and message of its first failed step that has them. In one line, at most 240
   * characters, ending with `...` if there is more; null if there is none.
   */
  readonly output_preview: string | null
  /**
   * The total cost of its steps; null if no step has a cost, or its steps use more than 100 models. US
   * dollars, rounded to 10 decimals, at current prices.
   */
  readonly cost_usd: number | null
  /** When the run ended: its own time, or that of its latest step. */
  readonly ended_at?: string | null | undefined
  /** The reason given when it was marked as failed or flagged. */
  readonly flag_reason?: string | null | undefined
  /** All steps, in arrival order. */
  readonly steps?: readonly Step[] | undefined
  /** Media of the trace without a step. */
  readonly attachments?: readonly Attachment[] | undefined
  /** The metric events of the trace and its steps, oldest first. */
  readonly metric_events?: readonly MetricEvent[] | undefined
  /**
   * Models of steps that used tokens but have no price, so that `cost_usd` does not include them; at
   * most 100.
   */
  readonly unpriced_models?: readonly string[] | undefined
}

/** One step of a trace, as stored. */
export interface Step {
  /** The step. */
  readonly id: string
  /** The position in arrival order, from 0, without gaps. */
  readonly position: number
  /** The name of the step. */
  readonly name: string
  /** The kind of step; `other` by default. */
  readonly type: string
  /** The model that it used. */
  readonly model: string | null
  /** How it ended; `ok` by default. */
  readonly status: 'ok' | 'error'
  /** When it began, as sent by the client. */
  readonly started_at: string | null
  /** When it ended, as sent by the client. */
  readonly ended_at: string | null
  /** When the service committed it. */
  readonly received_at: string
  /** The parent step; null for a root. */
  readonly parent_step_id: string | null
  /** Whether the client sent no parent, so that the parent is the step that arrived just before. */
  readonly parent_inferred: boolean
  /** The key it was sent with. */
  readonly idempotency_key: string | null
  /**
   * What the sender says it cost, else the cost of its tokens; null if it used none, names no model, or
   * its model has no price. US dollars, rounded to 10 decimals, at current prices.
   */
  readonly cost_usd: number | null
  /** Whether `cost_usd` is computed from prices or was sent; null without a cost. */
  readonly cost_source: 'price' | 'sender' | null
  /**
   * The step on which its tokens or its cost are counted in the sums of the trace, if that is another
   * one; null else.
   */
  readonly usage_counted_on: string | null
  /** Input and output messages of the step, in order. */
  readonly messages?: readonly Message[] | undefined
  readonly token_usage?: TokenUsage | undefined
  /**
   * Free-form key/value pairs of the step: at most 256 keys of at most 200 characters. Stored
   * losslessly.
   */
  readonly metadata?:
    | {
        readonly [field: string]: unknown
      }
    | undefined
  readonly error?: StepError | undefined
  /** Media linked to this step. */
  readonly attachments: readonly Attachment[]
}

/** One page of the steps of a trace. */
export interface StepPage {
  /** One page of the steps, in arrival order. */
  readonly steps: readonly Step[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** A media artifact attached to a trace or a step. */
export interface Attachment {
  /** The attachment. */
  readonly id: string
  /** Names the bytes: `media://<project_id>/<sha256>`. */
  readonly uri: string
  /** The kind of artifact. */
  readonly kind: 'image' | 'audio' | 'video' | 'sensor' | 'file'
  /** The media type found in the bytes. */
  readonly content_type: string
  /** Size of the artifact, bytes. */
  readonly size_bytes: number
  /** The width of an image in pixels; null if unknown. */
  readonly width: number | null
  /** The height of an image in pixels; null if unknown. */
  readonly height: number | null
  /** SHA-256 of the bytes, lower-case hex. */
  readonly sha256: string
  /** The name it was uploaded under. */
  readonly filename: string | null
  /** The owning trace. */
  readonly trace_id: string
  /** The owning step; null if it belongs to the whole trace. */
  readonly step_id: string | null
  /** When it was stored. */
  readonly created_at: string
}

/** An artifact and its owner; the parts can have any order. */
export interface MediaUpload {
  /** The owning trace. It must exist. By its id or by the 32 hex digits that OpenTelemetry knows it by. */
  readonly trace_id: string
  /** The owning step of that trace; if omitted, the artifact belongs to the whole trace. */
  readonly step_id?: string | undefined
  /**
   * The kind of artifact. Display and security depend on the content type found in the bytes, not on
   * this.
   */
  readonly kind: 'image' | 'audio' | 'video' | 'sensor' | 'file'
  /** The artifact, in exactly one part with its file name and content type. */
  readonly file: Blob
}

/** A signed URL for one upload. */
export interface UploadTarget {
  /** Accepts one upload, without an API key. */
  readonly url: string
  /** Always `PUT`. */
  readonly method: 'PUT'
  /** Headers that the upload must carry. */
  readonly headers: {
    readonly [field: string]: string
  }
  /** Names the media after the upload. */
  readonly uri: string
  /** The upload must begin before this time. */
  readonly expires_at: string
}

/** The definition of a metric. */
export interface Metric {
  /** The metric. */
  readonly id: string
  /** The name that events use, unique in the project. */
  readonly name: string
  /** The kind of value. */
  readonly kind: 'boolean' | 'numeric' | 'enum'
  /** What the metric means, in words. */
  readonly description: string | null
  /** For a numeric metric: the minimum value of an event. Null: none. */
  readonly min: number | null
  /** For a numeric metric: the maximum value of an event. Null: none. */
  readonly max: number | null
  /** For a numeric metric: the unit of its values. */
  readonly unit: string | null
  /** For an enum metric: its options, in order; otherwise null. */
  readonly options: readonly MetricOption[] | null
  /** Which way is better: `higher` or `lower`. Null if not set. */
  readonly direction: 'higher' | 'lower' | null
  /** When it was defined. */
  readonly created_at: string
  /** When it was last changed. */
  readonly updated_at: string
}

/** One option of an enum metric. */
export interface MetricOption {
  /** The value in events. */
  readonly value: string
  /** The label shown to people; null if there is none. */
  readonly label: string | null
}

/** One page of metrics. */
export interface MetricList {
  /** One page of metrics, oldest first. */
  readonly metrics: readonly Metric[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** A metric to define. */
export interface MetricCreate {
  /**
   * The name that events use, unique in the project. At least one visible character, no control
   * characters; not `events`, `.` or `..`.
   */
  readonly name: string
  /** `boolean`: passed or not. `numeric`: a number. `enum`: one of its options. */
  readonly kind: 'boolean' | 'numeric' | 'enum'
  /** What the metric means, in words. */
  readonly description?: string | undefined
  /** For a numeric metric: the minimum value of an event. */
  readonly min?: number | undefined
  /** For a numeric metric: the maximum value of an event. Not below `min`. */
  readonly max?: number | undefined
  /** Only for a numeric metric: the unit of its values, for example `ms`. */
  readonly unit?: string | undefined
  /** Required for an enum metric, not allowed for others: its options, each value once. */
  readonly options?: readonly MetricOptionBody[] | undefined
  /** Which way is better: `higher` or `lower`. */
  readonly direction?: 'higher' | 'lower' | undefined
}

/** One option of an enum metric. */
export interface MetricOptionBody {
  /** The value in events. */
  readonly value: string
  /** The label shown to people. */
  readonly label?: string | undefined
}

/** A change of a metric; omitted fields stay unchanged. */
export interface MetricPatch {
  /** What the metric means; null: none. */
  readonly description?: string | null | undefined
  /** Only for a numeric metric: the unit of its values; null: none. */
  readonly unit?: string | null | undefined
  /** Which way is better: `higher` or `lower`. Null: neither. */
  readonly direction?: 'higher' | 'lower' | null | undefined
  /** Only for a numeric metric: the new minimum, not above the current one; null: none. */
  readonly min?: number | null | undefined
  /** Only for a numeric metric: the new maximum, not below the current one; null: none. */
  readonly max?: number | null | undefined
  /**
   * Only for an enum metric: all its options from now on. They must include every current value; labels
   * and order may change.
   */
  readonly options?: readonly MetricOptionBody[] | undefined
}

/** A metric event of a trace. */
export interface MetricEvent {
  /** The event. */
  readonly id: string
  /** The metric. */
  readonly name: string
  /** The trace that the event is about. */
  readonly trace_id: string
  /** The step that the event is about; null if it is about the whole trace. */
  readonly step_id: string | null
  /** For boolean metrics. */
  readonly passed: boolean | null
  /** A number for numeric metrics, the value of an option for enum metrics. */
  readonly value: number | string | null
  /** Who or what produced the value. */
  readonly source: 'human' | 'code' | 'llm' | null
  /** Why, in words. */
  readonly comment: string | null
  /** Free-form key/value pairs, exactly as sent. */
  readonly metadata: {
    readonly [field: string]: unknown
  }
  /** The key it was recorded with. */
  readonly idempotency_key: string | null
  /** When the value was determined: lists and series are ordered by this. */
  readonly at: string
  /** When it was recorded. */
  readonly created_at: string
}

/** One value of a metric for a trace or one of its steps. */
export interface MetricEventBody {
  /** A defined metric. */
  readonly name: string
  /** The trace that the event is about, by its id or by the 32 hex digits that OpenTelemetry knows it by. */
  readonly trace_id: string
  /** The step of that trace that the event is about; null or omitted if it is about the whole trace. */
  readonly step_id?: string | null | undefined
  /** For a boolean metric. Send exactly one of `passed` and `value`. */
  readonly passed?: boolean | undefined
  /** A number for a numeric metric, the value of an option for an enum metric. */
  readonly value?: number | string | undefined
  /** Who or what produced the value. */
  readonly source?: 'human' | 'code' | 'llm' | undefined
  /** Why, in words. */
  readonly comment?: string | undefined
  /**
   * Free-form key/value pairs, for example the evaluator: at most 256 keys of at most 200 characters.
   * Stored losslessly.
   */
  readonly metadata?:
    | {
        readonly [field: string]: unknown
      }
    | undefined
  /** Makes a retry safe: the same key in the same trace counts once. Keys of steps are separate. */
  readonly idempotency_key?: string | undefined
  /**
   * When the value was determined: from the year 2000 to five minutes ahead of the clock of the service,
   * stored to the millisecond. Default: now.
   */
  readonly at?: string | undefined
}

/** One page of metric events. */
export interface MetricEventList {
  /** One page of events, newest `at` first. */
  readonly events: readonly MetricEvent[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** The result for each event of a batch. */
export interface MetricBatchResponse {
  /** Whether any event was refused. If so, the status is 207, otherwise 200. */
  readonly errors: boolean
  /** One result per event, in the order sent. */
  readonly results: readonly MetricLineResult[]
}

/** The result for one metric event. */
export type MetricLineResult = AcceptedMetricEvent | RefusedLine

/** An event that is recorded. */
export interface AcceptedMetricEvent {
  /** The element of the array, or the physical line of the NDJSON request, from 1. */
  readonly line: number
  /** `created`: the event is durable and readable. `duplicate`: the same event was already recorded. */
  readonly status: 'created' | 'duplicate'
  /** The event; for a duplicate the first one. */
  readonly event_id: string
}

/** The price of the tokens of one model. */
export interface Price {
  /** The model name that the price is for. */
  readonly model: string
  /** Input tokens that were neither read from a cache nor written to one. US dollars per million tokens. */
  readonly input_usd_per_million: number
  /** Output tokens, including reasoning tokens. US dollars per million tokens. */
  readonly output_usd_per_million: number
  /** Input tokens that were read from a cache; null: the price of input. US dollars per million tokens. */
  readonly cache_read_usd_per_million: number | null
  /** Input tokens that were written to a cache; null: the price of input. US dollars per million tokens. */
  readonly cache_write_usd_per_million: number | null
  /** Whether it is built in or set by the project. */
  readonly source: 'builtin' | 'project'
  /** The date of the built-in list; null for a price of the project. */
  readonly effective_date: string | null
  /** When the project set it; null for a built-in price. */
  readonly updated_at: string | null
  /** What certain tokens cost instead; absent for a price of the project and if the model has none. */
  readonly special_rates?:
    | readonly {
        /**
         * Which tokens: those of a call through a batch API, of audio, of images, of a call that keeps its
         * cache for an hour, or of any call.
         */
        readonly applies_to: 'all' | 'batch' | 'audio' | 'image' | 'cache_1h'
        /** Only calls with more input tokens than this; null: of any length. */
        readonly above_input_tokens: number | null
        /** Input tokens that were neither read from a cache nor written to one. US dollars per million tokens. */
        readonly input_usd_per_million: number
        /** Output tokens, including reasoning tokens. US dollars per million tokens. */
        readonly output_usd_per_million: number
        /** Input tokens that were read from a cache; null: the price of input. US dollars per million tokens. */
        readonly cache_read_usd_per_million: number | null
        /** Input tokens that were written to a cache; null: the price of input. US dollars per million tokens. */
        readonly cache_write_usd_per_million: number | null
      }[]
    | undefined
}

/** One page of prices. */
export interface PriceList {
  /** One page of prices, by model. */
  readonly prices: readonly Price[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** The price of a model. */
export interface PriceBody {
  /** Input tokens that were neither read from a cache nor written to one. US dollars per million tokens. */
  readonly input_usd_per_million: number
  /** Output tokens, including reasoning tokens. US dollars per million tokens. */
  readonly output_usd_per_million: number
  /** Input tokens that were read from a cache; null: the price of input. US dollars per million tokens. */
  readonly cache_read_usd_per_million?: number | null | undefined
  /** Input tokens that were written to a cache; null: the price of input. US dollars per million tokens. */
  readonly cache_write_usd_per_million?: number | null | undefined
}

/** A metric over time. */
export interface MetricSeries {
  /** The metric. */
  readonly name: string
  /** From this time on. */
  readonly start_time: string
  /** Before this time. */
  readonly end_time: string
  /** The length of each bucket; `all`: one bucket for the whole time. */
  readonly bucket: string
  /** The number of groups other than the 100 largest. Their rows are in the points with `other`. */
  readonly groups_left_out: number
  /** By time, then by group, null first and `other` last. Buckets without events are omitted. */
  readonly points: readonly MetricSeriesPoint[]
}

/**
 * One bucket of one group. It has `pass_rate` for a boolean metric, `avg, min, max, p50, p95` for a
 * numeric metric, `counts` for an enum metric.
 */
export interface MetricSeriesPoint {
  /** The start of the bucket. The requested time range may cut the first and the last bucket. */
  readonly at: string
  /**
   * The value of the group; null without a value, and without `group_by`. A metadata value has the form
   * of `meta_value`: a string has no quotes unless it would read as other JSON; a value of more than 124
   * bytes is `sha256:` and a hash.
   */
  readonly group: string | null
  /** Set on the point that combines all groups other than the 100 largest. Its `group` is null. */
  readonly other?: true | undefined
  /** The number of events. */
  readonly count: number
  /** For a boolean metric: the exact share of events that passed. */
  readonly pass_rate?: number | undefined
  /** Mean. */
  readonly avg?: number | undefined
  /** Minimum. */
  readonly min?: number | undefined
  /** Maximum. */
  readonly max?: number | undefined
  /**
   * Median. Interpolated between neighbours. Exact for up to 8192 values in the bucket and group; for
   * more values, computed from a uniform sample of 8192.
   */
  readonly p50?: number | undefined
  /**
   * 95th percentile. Interpolated between neighbours. Exact for up to 8192 values in the bucket and
   * group; for more values, computed from a uniform sample of 8192.
   */
  readonly p95?: number | undefined
  /** For an enum metric: the number of events of each option. Options without events are omitted. */
  readonly counts?:
    | {
        readonly [field: string]: number
      }
    | undefined
}

/** A measure of traces over time. */
export interface TraceSeries {
  /** The measure. */
  readonly measure: 'count' | 'error_rate' | 'recovered_errors' | 'duration_ms' | 'total_tokens' | 'cost_usd'
  /** From this time on. */
  readonly start_time: string
  /** Before this time. */
  readonly end_time: string
  /** The length of each bucket; `all`: one bucket for the whole time. */
  readonly bucket: string
  /** The number of groups other than the 100 largest. Their rows are in the points with `other`. */
  readonly groups_left_out: number
  /** For `cost_usd`: models that were used but have no price. Their tokens are not in the cost. */
  readonly unpriced_models: readonly string[]
  /** By time, then by group, null first and `other` last. Buckets without traces are omitted. */
  readonly points: readonly TraceSeriesPoint[]
}

/**
 * One bucket of one group. It has `error_rate` for that measure, `avg, min, max, p50, p95, p99` for
 * `duration_ms`, the same and `sum` for `total_tokens`, and `sum` for `cost_usd` and
 * `recovered_errors`.
 */
export interface TraceSeriesPoint {
  /** The start of the bucket. The requested time range may cut the first and the last bucket. */
  readonly at: string
  /**
   * The value of the group; null without a value, and without `group_by`. A metadata value has the form
   * of `meta_value`: a string has no quotes unless it would read as other JSON; a value of more than 124
   * bytes is `sha256:` and a hash.
   */
  readonly group: string | null
  /** Set on the point that combines all groups other than the 100 largest. Its `group` is null. */
  readonly other?: true | undefined
  /** The number of traces; for `duration_ms` only those with a known duration. */
  readonly count: number
  /** The exact share of traces with status `error`. */
  readonly error_rate?: number | undefined
  /** The total: tokens, US dollars, or failed steps of traces that are `ok`. */
  readonly sum?: number | undefined
  /** Mean. */
  readonly avg?: number | undefined
  /** Minimum. */
  readonly min?: number | undefined
  /** Maximum. */
  readonly max?: number | undefined
  /**
   * Median. Interpolated between neighbours. Exact for up to 8192 values in the bucket and group; for
   * more values, computed from a uniform sample of 8192.
   */
  readonly p50?: number | undefined
  /**
   * 95th percentile. Interpolated between neighbours. Exact for up to 8192 values in the bucket and
   * group; for more values, computed from a uniform sample of 8192.
   */
  readonly p95?: number | undefined
  /**
   * 99th percentile. Interpolated between neighbours. Exact for up to 8192 values in the bucket and
   * group; for more values, computed from a uniform sample of 8192.
   */
  readonly p99?: number | undefined
}

/** What came from one sender, and what of it was not understood. */
export interface Sender {
  /**
   * The name of the instrumentation scope of OpenTelemetry, up to 100 characters; empty if spans have
   * none. `spoor` is a recorder of Spoor, `api` is what is sent as JSON.
   */
  readonly scope: string
  /** The version of the scope, up to 100 characters; may be empty. */
  readonly version: string
  /** The number of its steps. */
  readonly spans: number
  /** The share of steps whose type is `other`. */
  readonly share_other: number
  /**
   * Steps with advice of the kinds `type` or `content`: there is a sign of a model or of content that
   * was not read. Other spans without such a sign, as of HTTP or a database, are not among them.
   */
  readonly not_understood: number
  /** Calls of models (`llm`, `embedding`) that name a model and have no tokens. Failed ones do not count. */
  readonly without_tokens: number
  /**
   * Steps with tokens whose model has no price now, and whose sender gave no cost; and calls of models
   * that name no model.
   */
  readonly without_price: number
  /** Calls of tools without arguments or without a result. A failed call needs no result. */
  readonly without_arguments: number
  /** Calls of models (`llm`) without a message that has a text, another part or a call. */
  readonly without_text: number
  /** What to change, by the number of spans, most first; at most 20. Empty if all was understood. */
  readonly advice: readonly SenderAdvice[]
}

/** What to change at a sender, and for how many spans. */
export interface SenderAdvice {
  /**
   * What is missing. `type`: a span counts tokens or names a model, but does not say that it calls one.
   * `content`: an attribute looks like a text or data of the agent, and stayed in the metadata.
   * `tokens`: a call of a model has no token counts. `model`: a call of a model does not name the model.
   * `price`: a step used tokens of a model without a price. `arguments`: a call of a tool has no
   * arguments. `result`: a call of a tool has no result. `text`: a call of a model has no messages with
   * a text.
   */
  readonly kind: 'type' | 'content' | 'tokens' | 'model' | 'price' | 'arguments' | 'result' | 'text'
  /**
   * For `type` and `content`, the name of the attribute, with `*` for its numbers; for `price`, the
   * model. Never a value.
   */
  readonly attribute: string | null
  /** The number of spans. */
  readonly count: number
}

/** What came in. */
export interface SenderList {
  /** The senders, most spans first; at most 100. */
  readonly senders: readonly Sender[]
  /** False if there are too many senders to count or to show them all. */
  readonly complete: boolean
}

/** A saved view of the list of traces. */
export interface View {
  /** The view. */
  readonly id: string
  /** The name, unique in the project: at least one visible character, no control characters. */
  readonly name: string
  readonly query: ViewQuery
  /**
   * How a client shows the view, such as its columns, in its own words: at most 4000 characters of JSON.
   * The dashboard stores the parameters of its address here that are no filters; a `range` of its own
   * moves with the clock.
   */
  readonly display: {
    readonly [field: string]: unknown
  }
  /** The key that created it, also by a session; it may be revoked by now. */
  readonly created_by: string
  /** When it was created. */
  readonly created_at: string
  /** When it was last changed. */
  readonly updated_at: string
}

/** One page of saved views. */
export interface ViewList {
  /** One page of views, oldest first. */
  readonly views: readonly View[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** A view to save. */
export interface ViewCreate {
  /** The name, unique in the project: at least one visible character, no control characters. */
  readonly name: string
  readonly query: ViewQuery
  /**
   * How a client shows the view, such as its columns, in its own words: at most 4000 characters of JSON.
   * The dashboard stores the parameters of its address here that are no filters; a `range` of its own
   * moves with the clock.
   */
  readonly display?:
    | {
        readonly [field: string]: unknown
      }
    | undefined
}

/** A change of a view; omitted fields stay unchanged, others are replaced as a whole. */
export interface ViewPatch {
  /** The name, unique in the project: at least one visible character, no control characters. */
  readonly name?: string | undefined
  readonly query?: ViewQuery | undefined
  /**
   * How a client shows the view, such as its columns, in its own words: at most 4000 characters of JSON.
   * The dashboard stores the parameters of its address here that are no filters; a `range` of its own
   * moves with the clock.
   */
  readonly display?:
    | {
        readonly [field: string]: unknown
      }
    | undefined
}

/** Which traces the view lists and in which order: the parameters of `GET /v1/traces`. */
export interface ViewQuery {
  /** Traces with this status. */
  readonly status?: 'ok' | 'error' | undefined
  /** Traces that are flagged (`true`) or not flagged (`false`). */
  readonly flagged?: boolean | undefined
  /** Traces of which more may come (`true`) or that are complete (`false`). */
  readonly growing?: boolean | undefined
  /** Traces that are `ok` although steps of them failed (`true`), or all others (`false`). */
  readonly recovered_errors?: boolean | undefined
  /** Traces of exactly this run category. Can have up to 10 values: any of them. */
  readonly run_type?: string | readonly string[] | undefined
  /** All traces but those that `run_type` finds. Can have up to 10 values: none of them. */
  readonly not_run_type?: string | readonly string[] | undefined
  /** Traces with a step that used exactly this model. Can have up to 10 values: any of them. */
  readonly model?: string | readonly string[] | undefined
  /** All traces but those that `model` finds. Can have up to 10 values: none of them. */
  readonly not_model?: string | readonly string[] | undefined
  /** Traces with a step whose error has exactly this type. Can have up to 10 values: any of them. */
  readonly error_type?: string | readonly string[] | undefined
  /** All traces but those that `error_type` finds. Can have up to 10 values: none of them. */
  readonly not_error_type?: string | readonly string[] | undefined
  /** Traces with exactly this name. Can have up to 10 values: any of them. */
  readonly name?: string | readonly string[] | undefined
  /** All traces but those that `name` finds. Can have up to 10 values: none of them. */
  readonly not_name?: string | readonly string[] | undefined
  /** Traces of this session. Can have up to 10 values: any of them. */
  readonly session_id?: string | readonly string[] | undefined
  /** All traces but those that `session_id` finds. Can have up to 10 values: none of them. */
  readonly not_session_id?: string | readonly string[] | undefined
  /** Traces that ran for this user. Can have up to 10 values: any of them. */
  readonly user_id?: string | readonly string[] | undefined
  /** All traces but those that `user_id` finds. Can have up to 10 values: none of them. */
  readonly not_user_id?: string | readonly string[] | undefined
  /**
   * Traces with this tag: a text in the list `tags` of their metadata. Can have up to 10 values: any of
   * them.
   */
  readonly tag?: string | readonly string[] | undefined
  /** All traces but those that `tag` finds. Can have up to 10 values: none of them. */
  readonly not_tag?: string | readonly string[] | undefined
  /** Traces that took at least this long, milliseconds. A trace of unknown duration does not match. */
  readonly min_duration_ms?: number | undefined
  /** Traces that took at most this long, milliseconds. A trace of unknown duration does not match. */
  readonly max_duration_ms?: number | undefined
  /** Traces that used at least this many tokens. */
  readonly min_total_tokens?: number | undefined
  /** Traces that used at most this many tokens. */
  readonly max_total_tokens?: number | undefined
  /** Traces with at least this many steps. */
  readonly min_step_count?: number | undefined
  /** Traces with at most this many steps. */
  readonly max_step_count?: number | undefined
  /** Traces that cost at least this at current prices, US dollars. A trace without a cost does not match. */
  readonly min_cost_usd?: number | undefined
  /** Traces that cost at most this at current prices, US dollars. A trace without a cost does not match. */
  readonly max_cost_usd?: number | undefined
  /** Traces of this cluster; no traces if the cluster does not exist. */
  readonly cluster?: string | undefined
  /**
   * Traces without an event of this metric, neither on the trace nor on a step of it; all traces if the
   * metric does not exist.
   */
  readonly without_metric?: string | undefined
  /**
   * Traces with an event of this metric, on the trace or on a step of it; no traces if the metric does
   * not exist. The filters by a value apply to the same event.
   */
  readonly metric?: string | undefined
  /** Traces with an event of a boolean metric that has this value; of `metric` if given. */
  readonly passed?: boolean | undefined
  /** Traces with an event of a numeric metric of at least this value; of `metric` if given. */
  readonly min_value?: number | undefined
  /** Traces with an event of a numeric metric of at most this value; of `metric` if given. */
  readonly max_value?: number | undefined
  /** Traces with an event of an enum metric that has this option; of `metric` if given. */
  readonly option?: string | undefined
  /** Traces created at this time or later: RFC 3339, or a date alone for its midnight UTC. */
  readonly start_time?: string | undefined
  /** Traces created before this time: RFC 3339, or a date alone for its midnight UTC. */
  readonly end_time?: string | undefined
  /**
   * Full-text search in names of traces and steps, texts of messages, arguments and results of tools,
   * and errors: words separated by spaces, all of which must occur in one step or in the name of the
   * trace. `refun*` is any word that begins so.
   */
  readonly q?: string | undefined
  /** The sort key; if omitted, `created_at`. */
  readonly sort?: 'created_at' | 'duration_ms' | 'total_tokens' | 'step_count' | 'cost_usd' | undefined
  /** If omitted, `desc`: largest or newest first. */
  readonly order?: 'desc' | 'asc' | undefined
  /** Values by key, as `meta_value` gives them; all must match. `null` matches any value of the key. */
  readonly metadata?:
    | {
        readonly [field: string]: string | null
      }
    | undefined
}

/** A monitor and its state. */
export interface Monitor {
  /** The monitor. */
  readonly id: string
  /** The name of the monitor. */
  readonly name: string
  readonly source: MonitorSource
  readonly filters: MonitorFilters
  /**
   * How the rows of the window are aggregated. `pass_rate` is for boolean metrics, `share` for one
   * option of an enum metric; both are between 0 and 1, and so is `avg` of `error_rate`.
   */
  readonly aggregation: 'avg' | 'sum' | 'count' | 'min' | 'max' | 'p50' | 'p95' | 'p99' | 'pass_rate' | 'share'
  /** The length of the window of each evaluation, in seconds. */
  readonly window_seconds: number
  /** The monitor breaches if this comparison of the value with the threshold holds. */
  readonly comparison: 'gt' | 'gte' | 'lt' | 'lte'
  /** The value is compared with this. */
  readonly threshold: number
  /** As given; null: `threshold` itself. */
  readonly resolve_threshold: number | null
  /** The minimum number of rows of an evaluation. */
  readonly min_samples: number
  /** The number of consecutive breaching evaluations before the monitor fires. */
  readonly consecutive: number
  /** How an evaluation without rows counts. */
  readonly no_data: 'hold' | 'ok' | 'fire'
  /** Whether it is evaluated. */
  readonly enabled: boolean
  /** The state of the monitor. */
  readonly state: 'normal' | 'fired'
  /** When it entered this state: the time of that evaluation. */
  readonly state_since: string
  /** The value of the last evaluation; null if it had too few rows. */
  readonly last_value: number | null
  /** Rows of the last evaluation; null before the first one. */
  readonly last_samples: number | null
  /** The time of the last evaluation of this definition; null before the first one. */
  readonly last_evaluated_at: string | null
  /** When it was created. */
  readonly created_at: string
  /** When it was last changed. */
  readonly updated_at: string
  /** The number of the revision; each change increments it. */
  readonly revision: number
}

/** One page of monitors. */
export interface MonitorList {
  /** One page of monitors, oldest first. */
  readonly monitors: readonly Monitor[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** A monitor to create. */
export interface MonitorCreate {
  /** The name: at least one visible character, no control characters. It need not be unique. */
  readonly name: string
  readonly source: MonitorSource
  readonly filters?: MonitorFilters | undefined
  /**
   * How the rows of the window are aggregated. `pass_rate` is for boolean metrics, `share` for one
   * option of an enum metric; both are between 0 and 1, and so is `avg` of `error_rate`.
   */
  readonly aggregation: 'avg' | 'sum' | 'count' | 'min' | 'max' | 'p50' | 'p95' | 'p99' | 'pass_rate' | 'share'
  /** The length of the window of each evaluation, in seconds. */
  readonly window_seconds: number
  /** The monitor breaches if this comparison of the value with the threshold holds. */
  readonly comparison: 'gt' | 'gte' | 'lt' | 'lte'
  /** The value is compared with this. */
  readonly threshold: number
  /**
   * A fired monitor resolves only if the comparison does not hold for this threshold either. It must not
   * be on the breaching side of `threshold`. Omitted or null: `threshold` itself.
   */
  readonly resolve_threshold?: number | null | undefined
  /**
   * An evaluation with fewer rows changes nothing. Default for a new monitor: 1. Not allowed with
   * `count`, which is 0 without rows.
   */
  readonly min_samples?: number | undefined
  /**
   * The number of consecutive breaching evaluations before the monitor fires. One evaluation that does
   * not breach resolves it. Default for a new monitor: 1.
   */
  readonly consecutive?: number | undefined
  /**
   * How an evaluation without rows counts. `hold`: it is ignored. `ok`: it does not breach. `fire`: it
   * breaches. Default for a new monitor: `hold`. Not allowed with `count`.
   */
  readonly no_data?: 'hold' | 'ok' | 'fire' | undefined
  /** Whether it is evaluated. A disabled monitor is normal. Default for a new monitor: true. */
  readonly enabled?: boolean | undefined
}

/** What to change. `source` and `filters` are replaced as a whole; omitted fields stay unchanged. */
export interface MonitorPatch {
  /** The name: at least one visible character, no control characters. It need not be unique. */
  readonly name?: string | undefined
  readonly source?: MonitorSource | undefined
  readonly filters?: MonitorFilters | undefined
  /**
   * How the rows of the window are aggregated. `pass_rate` is for boolean metrics, `share` for one
   * option of an enum metric; both are between 0 and 1, and so is `avg` of `error_rate`.
   */
  readonly aggregation?:
    'avg' | 'sum' | 'count' | 'min' | 'max' | 'p50' | 'p95' | 'p99' | 'pass_rate' | 'share' | undefined
  /** The length of the window of each evaluation, in seconds. */
  readonly window_seconds?: number | undefined
  /** The monitor breaches if this comparison of the value with the threshold holds. */
  readonly comparison?: 'gt' | 'gte' | 'lt' | 'lte' | undefined
  /** The value is compared with this. */
  readonly threshold?: number | undefined
  /**
   * A fired monitor resolves only if the comparison does not hold for this threshold either. It must not
   * be on the breaching side of `threshold`. Omitted or null: `threshold` itself.
   */
  readonly resolve_threshold?: number | null | undefined
  /**
   * An evaluation with fewer rows changes nothing. Default for a new monitor: 1. Not allowed with
   * `count`, which is 0 without rows.
   */
  readonly min_samples?: number | undefined
  /**
   * The number of consecutive breaching evaluations before the monitor fires. One evaluation that does
   * not breach resolves it. Default for a new monitor: 1.
   */
  readonly consecutive?: number | undefined
  /**
   * How an evaluation without rows counts. `hold`: it is ignored. `ok`: it does not breach. `fire`: it
   * breaches. Default for a new monitor: `hold`. Not allowed with `count`.
   */
  readonly no_data?: 'hold' | 'ok' | 'fire' | undefined
  /** Whether it is evaluated. A disabled monitor is normal. Default for a new monitor: true. */
  readonly enabled?: boolean | undefined
}

/** What a monitor watches. */
export interface MonitorSource {
  /** What is watched: events of a metric, or traces. */
  readonly kind: 'metric' | 'traces'
  /** For kind `metric`: the name of a defined metric. */
  readonly metric?: string | undefined
  /** For kind `traces`: the measure of the traces. */
  readonly measure?: 'count' | 'error_rate' | 'recovered_errors' | 'duration_ms' | 'total_tokens' | undefined
  /** For enum metrics with `share`: the value of the option. */
  readonly option?: string | undefined
}

/** Which rows count. A row must match every given filter. */
export interface MonitorFilters {
  /** Traces of exactly this run category. Can have up to 10 values: any of them. */
  readonly run_type?: string | readonly string[] | undefined
  /** All traces but those that `run_type` finds. Can have up to 10 values: none of them. */
  readonly not_run_type?: string | readonly string[] | undefined
  /** Traces with a step that used exactly this model. Can have up to 10 values: any of them. */
  readonly model?: string | readonly string[] | undefined
  /** All traces but those that `model` finds. Can have up to 10 values: none of them. */
  readonly not_model?: string | readonly string[] | undefined
  /** Events from this source. Only for metrics. */
  readonly source?: 'human' | 'code' | 'llm' | undefined
  /** Traces with this status. Only for traces. */
  readonly status?: 'ok' | 'error' | undefined
  /** Traces of which more may come (`true`) or that are complete (`false`). Only for traces. */
  readonly growing?: boolean | undefined
  /**
   * Traces that are `ok` although steps of them failed (`true`), or all others (`false`). Only for
   * traces.
   */
  readonly recovered_errors?: boolean | undefined
  /**
   * Traces with a step whose error has exactly this type. Can have up to 10 values: any of them. Only
   * for traces.
   */
  readonly error_type?: string | readonly string[] | undefined
  /**
   * All traces but those that `error_type` finds. Can have up to 10 values: none of them. Only for
   * traces.
   */
  readonly not_error_type?: string | readonly string[] | undefined
  /** Traces with exactly this name. Can have up to 10 values: any of them. Only for traces. */
  readonly name?: string | readonly string[] | undefined
  /** All traces but those that `name` finds. Can have up to 10 values: none of them. Only for traces. */
  readonly not_name?: string | readonly string[] | undefined
  /** Traces of this session. Can have up to 10 values: any of them. Only for traces. */
  readonly session_id?: string | readonly string[] | undefined
  /**
   * All traces but those that `session_id` finds. Can have up to 10 values: none of them. Only for
   * traces.
   */
  readonly not_session_id?: string | readonly string[] | undefined
  /** Traces that ran for this user. Can have up to 10 values: any of them. Only for traces. */
  readonly user_id?: string | readonly string[] | undefined
  /** All traces but those that `user_id` finds. Can have up to 10 values: none of them. Only for traces. */
  readonly not_user_id?: string | readonly string[] | undefined
  /**
   * Traces with this tag: a text in the list `tags` of their metadata. Can have up to 10 values: any of
   * them. Only for traces.
   */
  readonly tag?: string | readonly string[] | undefined
  /** All traces but those that `tag` finds. Can have up to 10 values: none of them. Only for traces. */
  readonly not_tag?: string | readonly string[] | undefined
  /**
   * Values by key; all must match. A value is compared as JSON text, a string also without its quotes.
   * `null` matches any value of the key. For an event, its own metadata takes precedence over that of
   * its trace.
   */
  readonly metadata?:
    | {
        readonly [field: string]: string | number | boolean | null
      }
    | undefined
}

/** One page of the history of a monitor. */
export interface MonitorHistory {
  /** One page of changes of state, newest first. */
  readonly history: readonly MonitorHistoryEntry[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** One change of state. */
export interface MonitorHistoryEntry {
  /** The time of the evaluation, or of the change. */
  readonly at: string
  /** The state of the monitor. */
  readonly to: 'normal' | 'fired'
  /** The value of the window; null if it had too few rows or nothing was evaluated. */
  readonly value: number | null
  /** Rows in the window. */
  readonly samples: number
  /** The threshold at that time. */
  readonly threshold: number
  /**
   * `evaluation`: an evaluation changed the state. `change`, `disable`, `delete`: a fired monitor was
   * changed, disabled or deleted, so it is normal.
   */
  readonly cause: 'evaluation' | 'change' | 'disable' | 'delete'
  /** The revision of the monitor at that time. */
  readonly revision: number
  /** When the change was recorded: later than `at` if the service was down. */
  readonly recorded_at: string
}

/** A monitor to preview, and the time range. */
export interface MonitorPreview {
  /** The name: at least one visible character, no control characters. It need not be unique. */
  readonly name?: string | undefined
  readonly source: MonitorSource
  readonly filters?: MonitorFilters | undefined
  /**
   * How the rows of the window are aggregated. `pass_rate` is for boolean metrics, `share` for one
   * option of an enum metric; both are between 0 and 1, and so is `avg` of `error_rate`.
   */
  readonly aggregation: 'avg' | 'sum' | 'count' | 'min' | 'max' | 'p50' | 'p95' | 'p99' | 'pass_rate' | 'share'
  /** The length of the window of each evaluation, in seconds. */
  readonly window_seconds: number
  /** The monitor breaches if this comparison of the value with the threshold holds. */
  readonly comparison: 'gt' | 'gte' | 'lt' | 'lte'
  /** The value is compared with this. */
  readonly threshold: number
  /**
   * A fired monitor resolves only if the comparison does not hold for this threshold either. It must not
   * be on the breaching side of `threshold`. Omitted or null: `threshold` itself.
   */
  readonly resolve_threshold?: number | null | undefined
  /**
   * An evaluation with fewer rows changes nothing. Default for a new monitor: 1. Not allowed with
   * `count`, which is 0 without rows.
   */
  readonly min_samples?: number | undefined
  /**
   * The number of consecutive breaching evaluations before the monitor fires. One evaluation that does
   * not breach resolves it. Default for a new monitor: 1.
   */
  readonly consecutive?: number | undefined
  /**
   * How an evaluation without rows counts. `hold`: it is ignored. `ok`: it does not breach. `fire`: it
   * breaches. Default for a new monitor: `hold`. Not allowed with `count`.
   */
  readonly no_data?: 'hold' | 'ok' | 'fire' | undefined
  /** Whether it is evaluated. A disabled monitor is normal. Default for a new monitor: true. */
  readonly enabled?: boolean | undefined
  /** The start (RFC 3339, or a date for its midnight UTC). Default: one day before `end_time`. */
  readonly start_time?: string | undefined
  /** The end, not in the future. Default: now. */
  readonly end_time?: string | undefined
}

/** What a monitor would have done. */
export interface MonitorPreviewResult {
  /** Every evaluation, oldest first. */
  readonly evaluations: readonly {
    /** The time of the evaluation, which is the end of its window. */
    readonly at: string
    /** The value of the window; null if it had too few rows. */
    readonly value: number | null
    /** Rows in the window. */
    readonly samples: number
    /** The state of the monitor. */
    readonly state: 'normal' | 'fired'
  }[]
  /** The changes of state, which a real monitor would have reported, oldest first. */
  readonly transitions: readonly {
    /** The time of the evaluation. */
    readonly at: string
    /** The state of the monitor. */
    readonly to: 'normal' | 'fired'
    /** The value of the window; null if it had too few rows. */
    readonly value: number | null
  }[]
  /** Seconds from one evaluation to the next. */
  readonly step_seconds: number
}

/** A webhook, without its secret. */
export interface Webhook {
  /** The webhook. */
  readonly id: string
  /** The project of the webhook. */
  readonly project_id: string
  /**
   * The URL that receives deliveries. A key without `manage` sees only scheme, host and port, with `/…`
   * for the rest: `https://example.com/…`.
   */
  readonly url: string
  /** The event types that are delivered, each once. */
  readonly events: readonly (
    | 'trace.committed'
    | 'trace.completed'
    | 'trace.flagged'
    | 'metric.event'
    | 'monitor.fired'
    | 'monitor.resolved'
    | 'cluster.created'
    | 'cluster.shifted'
  )[]
  /** What is sent: the event itself or a message about it. */
  readonly format: 'json' | 'slack' | 'discord' | 'pagerduty'
  /** What the webhook is for. */
  readonly description: string
  /** Whether it gets events. */
  readonly enabled: boolean
  /**
   * Why it is disabled. `by_request`: a request disabled it. `gone`: its receiver answered `410`.
   * `no_success`: no delivery succeeded for 5 days. Null while it is enabled.
   */
  readonly disabled_reason: 'by_request' | 'gone' | 'no_success' | null
  /** Since when it is disabled; null while it is enabled. */
  readonly disabled_at: string | null
  /** Until when the previous secret also signs; null if it no longer does. */
  readonly previous_secret_expires_at: string | null
  /** When it was created. */
  readonly created_at: string
  /** When it was last changed. Slightly in the future if it was changed several times at once. */
  readonly updated_at: string
}

/** A webhook, with its secret if the service has just generated it. */
export interface WebhookWithSecret {
  /** The webhook. */
  readonly id: string
  /** The project of the webhook. */
  readonly project_id: string
  /**
   * The URL that receives deliveries. A key without `manage` sees only scheme, host and port, with `/…`
   * for the rest: `https://example.com/…`.
   */
  readonly url: string
  /** The event types that are delivered, each once. */
  readonly events: readonly (
    | 'trace.committed'
    | 'trace.completed'
    | 'trace.flagged'
    | 'metric.event'
    | 'monitor.fired'
    | 'monitor.resolved'
    | 'cluster.created'
    | 'cluster.shifted'
  )[]
  /** What is sent: the event itself or a message about it. */
  readonly format: 'json' | 'slack' | 'discord' | 'pagerduty'
  /** What the webhook is for. */
  readonly description: string
  /** Whether it gets events. */
  readonly enabled: boolean
  /**
   * Why it is disabled. `by_request`: a request disabled it. `gone`: its receiver answered `410`.
   * `no_success`: no delivery succeeded for 5 days. Null while it is enabled.
   */
  readonly disabled_reason: 'by_request' | 'gone' | 'no_success' | null
  /** Since when it is disabled; null while it is enabled. */
  readonly disabled_at: string | null
  /** Until when the previous secret also signs; null if it no longer does. */
  readonly previous_secret_expires_at: string | null
  /** When it was created. */
  readonly created_at: string
  /** When it was last changed. Slightly in the future if it was changed several times at once. */
  readonly updated_at: string
  /** The secret, if the service generated it. Shown only once. */
  readonly secret?: string | undefined
}

/** One page of webhooks. */
export interface WebhookList {
  /** One page of webhooks, oldest first. */
  readonly webhooks: readonly Webhook[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** A webhook to create. */
export interface WebhookCreate {
  /**
   * The URL that receives deliveries: `http` or `https`, without user name, password or fragment.
   * Private addresses are refused unless the operator allows them.
   */
  readonly url: string
  /** The event types to deliver; duplicates are ignored. */
  readonly events: readonly (
    | 'trace.committed'
    | 'trace.completed'
    | 'trace.flagged'
    | 'metric.event'
    | 'monitor.fired'
    | 'monitor.resolved'
    | 'cluster.created'
    | 'cluster.shifted'
  )[]
  /**
   * What is sent. `json`: the event. `slack`, `discord`: a message for an incoming webhook of theirs.
   * `pagerduty`: an event for its Events API v2, `https://events.pagerduty.com/v2/enqueue`; the `secret`
   * is the integration key then, and required. Default: `json`. It cannot be changed.
   */
  readonly format?: 'json' | 'slack' | 'discord' | 'pagerduty' | undefined
  /** What the webhook is for, in words. Default: empty. */
  readonly description?: string | undefined
  /**
   * The key that signs deliveries: 16 to 256 printable characters; a shorter one is refused
   * (`too_short`). After a `whsec_` prefix, the rest is base64. It is never shown again. If omitted, the
   * service generates a secret and shows it in this answer.
   */
  readonly secret?: string | undefined
  /**
   * Whether it gets events. Default for a new webhook: true. A webhook that is enabled again gets events
   * from then on.
   */
  readonly enabled?: boolean | undefined
}

/** What to change; omitted fields stay unchanged. The secret is changed by rotation. */
export interface WebhookPatch {
  /**
   * The URL that receives deliveries: `http` or `https`, without user name, password or fragment.
   * Private addresses are refused unless the operator allows them.
   */
  readonly url?: string | undefined
  /** The event types to deliver; duplicates are ignored. */
  readonly events?:
    | readonly (
        | 'trace.committed'
        | 'trace.completed'
        | 'trace.flagged'
        | 'metric.event'
        | 'monitor.fired'
        | 'monitor.resolved'
        | 'cluster.created'
        | 'cluster.shifted'
      )[]
    | undefined
  /** What the webhook is for, in words. Default: empty. */
  readonly description?: string | undefined
  /**
   * Whether it gets events. Default for a new webhook: true. A webhook that is enabled again gets events
   * from then on.
   */
  readonly enabled?: boolean | undefined
}

/** The next secret of a webhook; `{}` if the service generates it. */
export interface WebhookRotate {
  /**
   * The key that signs deliveries: 16 to 256 printable characters; a shorter one is refused
   * (`too_short`). After a `whsec_` prefix, the rest is base64. It is never shown again. If omitted, the
   * service generates a secret and shows it in this answer.
   */
  readonly secret?: string | undefined
}

/** A trace was committed; one event for each trace. */
export interface TraceCommittedEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'trace.committed'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    readonly trace: TraceRow
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** A trace is complete; one event for each trace. */
export interface TraceCompletedEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'trace.completed'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    readonly trace: TraceRow
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** A trace was marked as failed or flagged. */
export interface TraceFlaggedEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'trace.flagged'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    readonly trace: TraceRow
    /** Why it was flagged, if the request gave a reason. */
    readonly reason?: string | undefined
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** A metric event was recorded. */
export interface MetricRecordedEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'metric.event'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    readonly event: MetricEvent
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** A monitor crossed its threshold. */
export interface MonitorFiredEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'monitor.fired'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    readonly monitor: Monitor
    /** The value of the window; null if it had too few rows. */
    readonly value: number | null
    /** The time of the evaluation. */
    readonly at: string
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** A monitor returned to normal. */
export interface MonitorResolvedEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'monitor.resolved'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    readonly monitor: Monitor
    /** The value of the window; null if it had too few rows. */
    readonly value: number | null
    /** The time of the evaluation. */
    readonly at: string
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** A new cluster appeared. */
export interface ClusterCreatedEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'cluster.created'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    readonly cluster: Cluster
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** The members of a cluster changed materially. */
export interface ClusterShiftedEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'cluster.shifted'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    readonly cluster: Cluster
    /** The cluster in the previous run. */
    readonly previous: {
      /** The number of its traces. */
      readonly size: number
      /** Its share of all traces of the run. */
      readonly share: number
    }
    /** Traces that are in it now but were not before. */
    readonly joined: number
    /** Traces that were in it but are in other clusters now. */
    readonly left: number
    /** The similarity of its old and new members; 1: identical. */
    readonly similarity: number
    /** What changed most. */
    readonly reason: 'split' | 'merged' | 'membership' | 'grew' | 'shrank'
    /** Its share of all traces of this run. */
    readonly share: number
    /** Clusters that it split into. */
    readonly split_into: readonly string[]
    /** Clusters that were merged into it. */
    readonly merged_from: readonly string[]
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** A test event, sent by `POST …/ping`. */
export interface PingEvent {
  /**
   * The event, the same in every attempt. Store the ids you have handled, so that you handle each event
   * once.
   */
  readonly id: string
  /** The type of the event. */
  readonly type: 'ping'
  /** When it happened. */
  readonly timestamp: string
  /** The project of the event. */
  readonly project_id: string
  /** What happened. */
  readonly data: {
    /** The webhook that was pinged. */
    readonly webhook_id: string
    /**
     * JSON pointers into `data` of the parts that were cut because the body would have more than 20,000
     * bytes: an object is `{}`, a list or text keeps its beginning. Absent if nothing was cut.
     */
    readonly truncated?: readonly string[] | undefined
  }
}

/** The delivery of one event to one webhook. */
export interface Delivery {
  /** The delivery. */
  readonly id: string
  /** The webhook of the delivery. */
  readonly webhook_id: string
  /** The event: `webhook-id` of every attempt and `id` in the body. */
  readonly event_id: string
  /** The type of the event. */
  readonly event:
    | 'trace.committed'
    | 'trace.completed'
    | 'trace.flagged'
    | 'metric.event'
    | 'monitor.fired'
    | 'monitor.resolved'
    | 'cluster.created'
    | 'cluster.shifted'
    | 'ping'
  /**
   * `pending` until an attempt succeeds or the delivery is given up. `cancelled`: its webhook was
   * deleted before that.
   */
  readonly status: 'pending' | 'succeeded' | 'failed' | 'cancelled'
  /**
   * Why it failed. `attempts_exhausted`: every attempt of the schedule failed. `expired`: 24 hours
   * passed since the first attempt failed, or since it was due while its webhook was disabled. `gone`:
   * the receiver answered `410`. `trace_deleted`: its trace was deleted. While its webhook is enabled, a
   * delivery fails only after an attempt, except when its trace is deleted. Null unless it failed.
   */
  readonly reason: 'attempts_exhausted' | 'expired' | 'gone' | 'trace_deleted' | null
  /** Attempts made so far. */
  readonly attempt_count: number
  /** The HTTP status of the last attempt; null if it got no answer. */
  readonly last_response_status: number | null
  /** Why the last attempt got no complete answer. */
  readonly last_error:
    | 'address_refused'
    | 'dns_failed'
    | 'connection_refused'
    | 'connection_failed'
    | 'tls_failed'
    | 'timeout'
    | 'bad_response'
    | 'interrupted'
    | null
  /** When the last attempt was made; null before the first attempt. */
  readonly last_attempt_at: string | null
  /**
   * The earliest time of the next attempt: when it is due, or when a receiver that failed ten times in a
   * row is retried, with this delivery or one that has waited longer. Null unless the delivery is
   * pending and its webhook is enabled.
   */
  readonly next_attempt_at: string | null
  /** When the event happened. */
  readonly created_at: string
  /** When it succeeded, failed or was cancelled; null while it is pending. */
  readonly finished_at: string | null
}

/** A delivery with its body and attempts. */
export interface DeliveryDetail {
  /** The delivery. */
  readonly id: string
  /** The webhook of the delivery. */
  readonly webhook_id: string
  /** The event: `webhook-id` of every attempt and `id` in the body. */
  readonly event_id: string
  /** The type of the event. */
  readonly event:
    | 'trace.committed'
    | 'trace.completed'
    | 'trace.flagged'
    | 'metric.event'
    | 'monitor.fired'
    | 'monitor.resolved'
    | 'cluster.created'
    | 'cluster.shifted'
    | 'ping'
  /**
   * `pending` until an attempt succeeds or the delivery is given up. `cancelled`: its webhook was
   * deleted before that.
   */
  readonly status: 'pending' | 'succeeded' | 'failed' | 'cancelled'
  /**
   * Why it failed. `attempts_exhausted`: every attempt of the schedule failed. `expired`: 24 hours
   * passed since the first attempt failed, or since it was due while its webhook was disabled. `gone`:
   * the receiver answered `410`. `trace_deleted`: its trace was deleted. While its webhook is enabled, a
   * delivery fails only after an attempt, except when its trace is deleted. Null unless it failed.
   */
  readonly reason: 'attempts_exhausted' | 'expired' | 'gone' | 'trace_deleted' | null
  /** Attempts made so far. */
  readonly attempt_count: number
  /** The HTTP status of the last attempt; null if it got no answer. */
  readonly last_response_status: number | null
  /** Why the last attempt got no complete answer. */
  readonly last_error:
    | 'address_refused'
    | 'dns_failed'
    | 'connection_refused'
    | 'connection_failed'
    | 'tls_failed'
    | 'timeout'
    | 'bad_response'
    | 'interrupted'
    | null
  /** When the last attempt was made; null before the first attempt. */
  readonly last_attempt_at: string | null
  /**
   * The earliest time of the next attempt: when it is due, or when a receiver that failed ten times in a
   * row is retried, with this delivery or one that has waited longer. Null unless the delivery is
   * pending and its webhook is enabled.
   */
  readonly next_attempt_at: string | null
  /** When the event happened. */
  readonly created_at: string
  /** When it succeeded, failed or was cancelled; null while it is pending. */
  readonly finished_at: string | null
  /** The body of every attempt as JSON text; empty after its trace was deleted. */
  readonly body: string
  /** Every attempt, oldest first. */
  readonly attempts: readonly DeliveryAttempt[]
}

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  /** The number of the attempt. Redeliveries continue the count. */
  readonly number: number
  /** When it began. */
  readonly started_at: string
  /** Its duration in milliseconds. */
  readonly duration_ms: number
  /** The request, without its body. */
  readonly request: {
    /**
     * The URL of the request. A key without `manage` sees only scheme, host and port, with `/…` for the
     * rest.
     */
    readonly url: string
    /** The headers sent; for a key without `manage` without the signatures. */
    readonly headers: {
      readonly [field: string]: string
    }
  }
  /** The answer of the receiver; null if there was none. */
  readonly response: {
    /** The HTTP status. */
    readonly status: number
    /**
     * The headers received, with lower-case names; for a key without `manage` without those that contain
     * URLs (such as `location`).
     */
    readonly headers: {
      readonly [field: string]: string
    }
    /** The first 16 KiB of the body. */
    readonly body: string
    /** Whether the body was longer. */
    readonly truncated: boolean
  } | null
  /** Why there was no complete answer; null if there was one. */
  readonly error: {
    /**
     * Why the attempt got no answer. `dns_failed`: the host name cannot be resolved, or only to addresses
     * that the service does not deliver to; `address_refused`: the URL contains such an address.
     */
    readonly code:
      | 'address_refused'
      | 'dns_failed'
      | 'connection_refused'
      | 'connection_failed'
      | 'tls_failed'
      | 'timeout'
      | 'bad_response'
      | 'interrupted'
    /** The error in words. */
    readonly detail: string
  } | null
}

/** One page of deliveries. */
export interface DeliveryList {
  /** One page of deliveries, newest first. */
  readonly deliveries: readonly Delivery[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** Which deliveries to send again. */
export interface RedeliverFailed {
  /** Failed deliveries created at this time or later: RFC 3339, or a date alone for its midnight UTC. */
  readonly since: string
}

/** How many deliveries will be sent again. */
export interface RedeliveredCount {
  /** The number of deliveries. */
  readonly count: number
}

/** A group of similar traces. */
export interface Cluster {
  /** The cluster. A cluster that a later run finds again keeps its id. */
  readonly id: string
  /** A short name. */
  readonly label: string
  /** What its traces have in common, in one sentence. */
  readonly description: string
  /** Traces in it, including those assigned since the run. */
  readonly size: number
  /** `fail` if its error rate is materially higher than that of the other traces of the project. */
  readonly color: 'fail' | 'ok'
  /** Words that distinguish it from other clusters, the best first. */
  readonly keywords: readonly string[]
  /** Share of its traces that had failed at the time of the run, by its `failure_by`. */
  readonly error_rate: number
  /** When a run first found it. */
  readonly first_seen_at: string
}

/** All clusters of the project. */
export interface ClusterList {
  /** The clusters of the latest run, the largest first. */
  readonly clusters: readonly {
    /** The cluster. A cluster that a later run finds again keeps its id. */
    readonly id: string
    /** A short name. */
    readonly label: string
    /** What its traces have in common, in one sentence. */
    readonly description: string
    /** Traces in it, including those assigned since the run. */
    readonly size: number
    /** `fail` if its error rate is materially higher than that of the other traces of the project. */
    readonly color: 'fail' | 'ok'
    /** Words that distinguish it from other clusters, the best first. */
    readonly keywords: readonly string[]
    /** Share of its traces that had failed at the time of the run, by its `failure_by`. */
    readonly error_rate: number
    /** When a run first found it. */
    readonly first_seen_at: string
    /** The label that the discovery gave it, if it was renamed; null otherwise. */
    readonly automatic_label: string | null
    /**
     * What the user of a typical trace asked first, its beginning; null if no user speaks in its typical
     * traces.
     */
    readonly typical_request: string | null
    /**
     * The same of another typical trace, chosen to differ from the first; null if its typical traces ask
     * for the same.
     */
    readonly other_request: string | null
    /**
     * How alike its traces were at the time of the run: the mean cosine similarity of their embeddings and
     * the centroid.
     */
    readonly tightness: number
    /**
     * Whether the run found two groups in it that are clearly apart, so that a higher `k_max` may split
     * it. The label is that of the larger group, and the two requests are from both.
     */
    readonly mixed: boolean
  }[]
  /**
   * When the latest run was computed; null before the first discovery of the project, when the list is
   * empty.
   */
  readonly computed_at: string | null
  /** Which traces the latest run took as failed; null before the first. */
  readonly failure_by: string | null
}

/** A cluster with representative traces and its centroid. */
export interface ClusterDetail {
  /** A cluster with examples. */
  readonly cluster: {
    /** The cluster. A cluster that a later run finds again keeps its id. */
    readonly id: string
    /** A short name. */
    readonly label: string
    /** What its traces have in common, in one sentence. */
    readonly description: string
    /** Traces in it, including those assigned since the run. */
    readonly size: number
    /** `fail` if its error rate is materially higher than that of the other traces of the project. */
    readonly color: 'fail' | 'ok'
    /** Words that distinguish it from other clusters, the best first. */
    readonly keywords: readonly string[]
    /** Share of its traces that had failed at the time of the run, by its `failure_by`. */
    readonly error_rate: number
    /** When a run first found it. */
    readonly first_seen_at: string
    /** The label that the discovery gave it, if it was renamed; null otherwise. */
    readonly automatic_label: string | null
    /**
     * What the user of a typical trace asked first, its beginning; null if no user speaks in its typical
     * traces.
     */
    readonly typical_request: string | null
    /**
     * The same of another typical trace, chosen to differ from the first; null if its typical traces ask
     * for the same.
     */
    readonly other_request: string | null
    /**
     * How alike its traces were at the time of the run: the mean cosine similarity of their embeddings and
     * the centroid.
     */
    readonly tightness: number
    /**
     * Whether the run found two groups in it that are clearly apart, so that a higher `k_max` may split
     * it. The label is that of the larger group, and the two requests are from both.
     */
    readonly mixed: boolean
  }
  /**
   * At most 10 traces that differ from one another: the most typical one, the typical one most unlike
   * it, then others. Those of a mixed cluster are from both of its parts.
   */
  readonly representative_traces: readonly RepresentativeTrace[]
  /** The centroid of its embeddings, as a unit vector. */
  readonly centroid: readonly number[]
  /** When the latest run was computed. */
  readonly computed_at: string
  /** Which traces the latest run took as failed. */
  readonly failure_by: string
}

/** A representative trace of a cluster. */
export interface RepresentativeTrace {
  /** The trace. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** What its user asked first, its beginning; null if no user speaks in it. */
  readonly request: string | null
  /** Cosine similarity of its embedding and the centroid. */
  readonly similarity: number
}

/** Traces on a plane, where similar traces lie close together. */
export interface ClusterMap {
  /** Traces of the latest run. */
  readonly points: readonly ClusterMapPoint[]
  /**
   * When the latest run was computed; null before the first discovery of the project, when the list is
   * empty.
   */
  readonly computed_at: string | null
}

/** A trace on the map. */
export interface ClusterMapPoint {
  /** The trace. */
  readonly trace_id: string
  /** Horizontal position, from left to right. */
  readonly x: number
  /** Vertical position, from bottom to top. */
  readonly y: number
  /** The cluster of the trace. */
  readonly cluster_id: string
}

/** A discovery that produced clusters. */
export interface ClusterRun {
  /** The job that computed it. */
  readonly id: string
  /** When it was computed. */
  readonly computed_at: string
  /** The window in hours. */
  readonly window_hours: number
  /** The minimum number of clusters. */
  readonly k_min: number
  /** The maximum number of clusters. */
  readonly k_max: number
  /** Whether only complete traces count. */
  readonly only_complete: boolean
  /**
   * Which traces count as failed. `status`: traces with the status `error`. `metric:NAME`: traces whose
   * latest event of the boolean metric, on the trace or a step of it, did not pass; traces without an
   * event are in no error rate. `metadata:KEY=VALUE`: traces whose metadata has the value, as
   * `meta_value` of lists finds it; the first `=` ends the key.
   */
  readonly failure_by: string
  /** Traces in the run: the newest of the window, at most 100,000. */
  readonly traces: number
  /** The clusters it found, the largest first. */
  readonly clusters: readonly {
    /** The cluster. */
    readonly id: string
    /** The automatic label at that time. */
    readonly label: string
    /** Traces in it at that time. */
    readonly size: number
  }[]
  /** New clusters. */
  readonly created: number
  /** Clusters that kept their id but changed materially. */
  readonly shifted: number
  /** Clusters of the previous run that no longer exist. */
  readonly ended: number
  /** The version of the embedder. Embeddings of different versions cannot be compared. */
  readonly embedder_version: string
  /** How well the clusters fit. */
  readonly quality: {
    /** Mean cosine similarity of the traces and the centroid of their cluster. */
    readonly cohesion: number
    /**
     * Mean silhouette by cosine distance, from -1 to 1: how much closer traces are to their own cluster
     * than to the next one.
     */
    readonly silhouette: number
  }
  /** Milliseconds from the last start to the end. */
  readonly duration_ms: number
}

/** One page of runs. */
export interface ClusterRunList {
  /** One page of runs, newest first. */
  readonly runs: readonly ClusterRun[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** When discoveries run automatically. */
export interface ClusterSchedule {
  /** Whether discoveries run automatically; false until it is set. */
  readonly enabled: boolean
  /** Hours from one discovery to the next. */
  readonly every_hours: number
  /** The window in hours. */
  readonly window_hours: number
  /** The minimum number of clusters. */
  readonly k_min: number
  /** The maximum number of clusters. */
  readonly k_max: number
  /** Whether only complete traces count. */
  readonly only_complete: boolean
  /**
   * Which traces count as failed. `status`: traces with the status `error`. `metric:NAME`: traces whose
   * latest event of the boolean metric, on the trace or a step of it, did not pass; traces without an
   * event are in no error rate. `metadata:KEY=VALUE`: traces whose metadata has the value, as
   * `meta_value` of lists finds it; the first `=` ends the key.
   */
  readonly failure_by: string
  /** When the next discovery is due; null while the schedule is disabled. */
  readonly next_run_at: string | null
}

/** A schedule to set; omitted fields get their defaults. */
export interface ClusterScheduleBody {
  /** Whether discoveries run automatically. */
  readonly enabled: boolean
  /** Hours from one discovery to the next. Default: 24. */
  readonly every_hours?: number | undefined
  /** The window in hours: traces created in this time before the run. Default: 24. */
  readonly window_hours?: number | undefined
  /** The minimum number of clusters, if enough traces differ. Not above `k_max`. Default: 2. */
  readonly k_min?: number | undefined
  /** The maximum number of clusters. Default: 12. */
  readonly k_max?: number | undefined
  /**
   * Whether only complete traces count, so that a trace that is still growing waits for a later
   * discovery. Default: false.
   */
  readonly only_complete?: boolean | undefined
  /**
   * Which traces count as failed in error rates and colors. `status`: traces with the status `error`.
   * `metric:NAME`: traces whose latest event of the boolean metric, on the trace or a step of it, did
   * not pass; traces without an event are in no error rate. `metadata:KEY=VALUE`: traces whose metadata
   * has the value, as `meta_value` of lists finds it; the first `=` ends the key. Default: `status`.
   */
  readonly failure_by?: string | undefined
}

/** A discovery to run; `{}` uses the defaults. */
export interface DiscoveryBody {
  /** The window in hours: traces created in this time before the run. Default: 24. */
  readonly window_hours?: number | undefined
  /** The minimum number of clusters, if enough traces differ. Not above `k_max`. Default: 2. */
  readonly k_min?: number | undefined
  /** The maximum number of clusters. Default: 12. */
  readonly k_max?: number | undefined
  /**
   * Whether only complete traces count, so that a trace that is still growing waits for a later
   * discovery. Default: false.
   */
  readonly only_complete?: boolean | undefined
  /**
   * Which traces count as failed in error rates and colors. `status`: traces with the status `error`.
   * `metric:NAME`: traces whose latest event of the boolean metric, on the trace or a step of it, did
   * not pass; traces without an event are in no error rate. `metadata:KEY=VALUE`: traces whose metadata
   * has the value, as `meta_value` of lists finds it; the first `=` ends the key. Default: `status`.
   */
  readonly failure_by?: string | undefined
}

/** A discovery that runs in the background. */
export interface DiscoveryAccepted {
  /** The job: a new one, or the one that is already queued or running. */
  readonly job_id: string
}

/** A discovery. The newest 100 finished discoveries are retained. */
export interface DiscoveryJob {
  /** The job. */
  readonly id: string
  /** The status of the job. A job that was running when the service stopped starts again. */
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed'
  /** The progress; null unless the job is running. */
  readonly progress: {
    /**
     * The current phase. Phases run in this order; `reading` only reads traces that no earlier run has
     * read.
     */
    readonly phase: 'listing' | 'reading' | 'embedding' | 'clustering' | 'saving'
    /** The completed share of the phase. */
    readonly share: number
  } | null
  /** Why it failed; null unless it failed. */
  readonly error: string | null
  /** The result; null unless the job succeeded. */
  readonly result: DiscoveryResult | null
  /** The window in hours. */
  readonly window_hours: number
  /** The minimum number of clusters. */
  readonly k_min: number
  /** The maximum number of clusters. */
  readonly k_max: number
  /** Whether only complete traces count. */
  readonly only_complete: boolean
  /**
   * Which traces count as failed. `status`: traces with the status `error`. `metric:NAME`: traces whose
   * latest event of the boolean metric, on the trace or a step of it, did not pass; traces without an
   * event are in no error rate. `metadata:KEY=VALUE`: traces whose metadata has the value, as
   * `meta_value` of lists finds it; the first `=` ends the key.
   */
  readonly failure_by: string
  /** When it was requested. */
  readonly created_at: string
  /** When it last started; null before. */
  readonly started_at: string | null
  /** When it ended; null before. */
  readonly finished_at: string | null
}

/** The result of a discovery. */
export interface DiscoveryResult {
  /**
   * `insufficient_data`: there were fewer than 20 traces, so nothing was discovered and the existing
   * clusters stay unchanged. `too_few_distinct_traces`: there are fewer clusters than `k_min`, because
   * too few traces differ.
   */
  readonly reason: 'insufficient_data' | 'too_few_distinct_traces' | null
  /** Traces in the run: the newest of the window, at most 100,000. */
  readonly traces: number
  /** Clusters found. */
  readonly clusters: number
  /** New clusters. */
  readonly created: number
  /** Clusters that kept their id but changed materially. */
  readonly shifted: number
  /** Clusters of the previous run that no longer exist. */
  readonly ended: number
  /** How well the clusters fit; null if nothing was discovered. */
  readonly quality: {
    /** Mean cosine similarity of the traces and the centroid of their cluster. */
    readonly cohesion: number
    /**
     * Mean silhouette by cosine distance, from -1 to 1: how much closer traces are to their own cluster
     * than to the next one.
     */
    readonly silhouette: number
  } | null
}

/** A change of status or flag. */
export type TracePatch = unknown | unknown

/** A new trace. */
export interface TailCommitted {
  /** The committed trace. */
  readonly id: string
  /** When it was committed. */
  readonly committed_at: string
}

/** A project. It sees only its own data. */
export interface Project {
  /** The project. */
  readonly id: string
  /** The name of the project. */
  readonly name: string
  /** When it was created. */
  readonly created_at: string
  /**
   * Which spans of OpenTelemetry the project takes: `keep` all of them (the default), or `agents_only`:
   * spans about agents and models, and their ancestors.
   */
  readonly span_filter: 'keep' | 'agents_only'
}

/** One page of projects. */
export interface ProjectList {
  /** One page of projects, oldest first. */
  readonly projects: readonly Project[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** A project to create. */
export interface ProjectCreate {
  /** The name: at least one visible character, no control characters. It need not be unique. */
  readonly name: string
}

/** An API key, without its secret. */
export interface Key {
  /** The key. */
  readonly id: string
  /** The name of the key. */
  readonly name: string
  /** What the key may do. */
  readonly scopes: readonly ('ingest' | 'read' | 'media:sign' | 'manage' | 'admin')[]
  /** When it expires; null if it does not. */
  readonly expires_at: string | null
  /** The last four characters of the secret. */
  readonly last_four: string
  /** When it was created. */
  readonly created_at: string
}

/** A new API key with its secret. */
export interface CreatedKey {
  /** The key. */
  readonly id: string
  /** The name of the key. */
  readonly name: string
  /** What the key may do. */
  readonly scopes: readonly ('ingest' | 'read' | 'media:sign' | 'manage' | 'admin')[]
  /** When it expires; null if it does not. */
  readonly expires_at: string | null
  /** The last four characters of the secret. */
  readonly last_four: string
  /** When it was created. */
  readonly created_at: string
  /** The value for `x-api-key`. Shown only once. */
  readonly secret: string
}

/** One page of keys. */
export interface KeyList {
  /** One page of keys that are not revoked, oldest first. */
  readonly keys: readonly Key[]
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next_cursor: string | null
}

/** An API key to create. */
export interface KeyCreate {
  /** The name: at least one visible character, no control characters. It need not be unique. */
  readonly name: string
  /**
   * What the key may do; duplicates are ignored. A key without `admin` can only grant scopes that it
   * has.
   */
  readonly scopes: readonly ('ingest' | 'read' | 'media:sign' | 'manage' | 'admin')[]
  /**
   * When it expires: a time in the future (RFC 3339). A key without `admin` cannot create a key that
   * outlives it. If omitted, the new key does not expire, or expires with the creating key if that key
   * expires and has no `admin`.
   */
  readonly expires_at?: string | undefined
}

/** A browser session. Its token is only in the cookie. */
export interface Session {
  /** The key that started it. The session ends with the key. */
  readonly key_id: string
  /** When that key expires; null if it does not. */
  readonly key_expires_at: string | null
  /** The current project: the project of the key, until the session switches. */
  readonly project_id: string
  /** The name of that project. */
  readonly project_name: string
  /** What it may do: the scopes of the key. */
  readonly scopes: readonly ('ingest' | 'read' | 'media:sign' | 'manage' | 'admin')[]
  /** When it expires. */
  readonly expires_at: string
  /** When it started. */
  readonly created_at: string
}

/** Signs in by exactly one of the two. */
export interface SessionCreate {
  /** The API key. */
  readonly key?: string | undefined
  /**
   * Instead of a key: the text after `#sign-in=` in the URL that the first start prints. Valid once, for
   * an hour.
   */
  readonly sign_in_token?: string | undefined
}

/** The process is alive. */
export interface Health {
  /** Always `ok`. */
  readonly status: 'ok'
  /** The version of the service. */
  readonly version: string
}

/** Whether the service can handle requests. */
export interface Readiness {
  /** `ready` if every check is ok. */
  readonly status: 'ready' | 'unavailable'
  /** All checks. */
  readonly checks: readonly ReadinessCheck[]
}

/** The check of one part that the service needs. */
export interface ReadinessCheck {
  /** The part that was checked, for example `telemetry` or `control`. */
  readonly name: string
  /** Whether it works. */
  readonly ok: boolean
  /** Why it does not work, or a warning for the operator although it works; otherwise null. */
  readonly detail: string | null
}

/** An error (RFC 9457). */
export interface Problem {
  /** The kind of problem: `/problems/` and the code, a page of this service that explains it. */
  readonly type: string
  /** The kind of problem in words, the same for every occurrence. */
  readonly title: string
  /** The HTTP status of this answer. */
  readonly status: number
  /** The stable code of the kind of problem. Programs should use this. */
  readonly code:
    | 'malformed_json'
    | 'invalid_encoding'
    | 'invalid_position'
    | 'bad_request'
    | 'unauthorized'
    | 'insufficient_scope'
    | 'foreign_origin'
    | 'browser_refused'
    | 'upload_url_invalid'
    | 'upload_url_expired'
    | 'upload_url_used'
    | 'not_found'
    | 'not_acceptable'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'idempotency_conflict'
    | 'metric_conflict'
    | 'view_conflict'
    | 'webhook_disabled'
    | 'upload_in_progress'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'range_not_satisfiable'
    | 'misdirected_request'
    | 'validation_failed'
    | 'upload_mismatch'
    | 'undefined_metric'
    | 'unknown_trace'
    | 'unknown_step'
    | 'wrong_metric_kind'
    | 'value_out_of_range'
    | 'unknown_option'
    | 'malformed_multipart'
    | 'invalid_cursor'
    | 'cursor_expired'
    | 'full_text_disabled'
    | 'head_too_large'
    | 'internal_error'
    | 'too_many_connections'
    | 'too_many_reads'
    | 'queue_full'
    | 'disk_full'
    | 'storage_unavailable'
    | 'storage_damaged'
    | 'starting'
    | 'shutting_down'
  /** What happened in this case, in words. */
  readonly detail: string
  /** The id of this request in the logs of the service. */
  readonly request_id: string
  /** The errors in the request, if its content was refused; at most 20. */
  readonly errors?: readonly FieldProblem[] | undefined
}

/** One error in a request. */
export interface FieldProblem {
  /**
   * The place of the error: a JSON pointer into the body (empty for the whole body), `?name` for a query
   * parameter, or the name of a header.
   */
  readonly pointer: string
  readonly code: ErrorCode
  /** What is wrong, in words. */
  readonly detail: string
}

/**
 * A stable code of the error catalogue; `GET /problems/{code}` says what it means and what to do. A
 * line can fail with any code. These codes are only for fields and lines:
 *
 * - `required`: A required field or parameter is missing.
 * - `unknown_field`: There is no field or query parameter with this name. A misspelt name is never
 * silently ignored.
 * - `duplicate_field`: An object has the same field twice, or a query parameter that is not a list
 * occurs twice.
 * - `wrong_type`: The value does not have the JSON type of the field.
 * - `invalid_value`: The value has the right type but is not allowed here.
 * - `invalid_format`: The text does not have the format of the field, for example a time, an id or a
 * slug.
 * - `out_of_range`: The number is too small or too large, or a time is before another time that it
 * must follow.
 * - `too_long`: The text or the whole field is longer than its limit.
 * - `too_short`: The text or list has too few characters or entries. A `secret` needs at least 16
 * characters.
 * - `too_deep`: The JSON is nested more deeply than the limit, 64 levels by default.
 * - `too_many`: There are more entries, or more resources of this kind in the project, than the limit
 * allows.
 * - `address_refused`: The URL leads to a private, loopback or otherwise reserved address. The service
 * sends nothing there.
 * - `duplicate_id`: Two steps of one body have the same `id` or the same `idempotency_key`.
 * - `step_id_conflict`: The trace has a step with this `id` and different content. Steps never change
 * once they are written.
 * - `attachment_not_found`: The project has no media with this uri.
 * - `line_too_large`: The line is larger than the limit. The other lines are not affected.
 * - `request_too_large`: The request has reached its size limit. This line and all later lines were
 * not read.
 * - `too_many_lines`: A JSON answer cannot hold the results of more lines. This line and all later
 * lines were not read.
 */
export type ErrorCode =
  | 'malformed_json'
  | 'invalid_encoding'
  | 'invalid_position'
  | 'bad_request'
  | 'unauthorized'
  | 'insufficient_scope'
  | 'foreign_origin'
  | 'browser_refused'
  | 'upload_url_invalid'
  | 'upload_url_expired'
  | 'upload_url_used'
  | 'not_found'
  | 'not_acceptable'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'idempotency_conflict'
  | 'metric_conflict'
  | 'view_conflict'
  | 'webhook_disabled'
  | 'upload_in_progress'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'misdirected_request'
  | 'validation_failed'
  | 'upload_mismatch'
  | 'undefined_metric'
  | 'unknown_trace'
  | 'unknown_step'
  | 'wrong_metric_kind'
  | 'value_out_of_range'
  | 'unknown_option'
  | 'malformed_multipart'
  | 'invalid_cursor'
  | 'cursor_expired'
  | 'full_text_disabled'
  | 'head_too_large'
  | 'internal_error'
  | 'too_many_connections'
  | 'too_many_reads'
  | 'queue_full'
  | 'disk_full'
  | 'storage_unavailable'
  | 'storage_damaged'
  | 'starting'
  | 'shutting_down'
  | 'required'
  | 'unknown_field'
  | 'duplicate_field'
  | 'wrong_type'
  | 'invalid_value'
  | 'invalid_format'
  | 'out_of_range'
  | 'too_long'
  | 'too_short'
  | 'too_deep'
  | 'too_many'
  | 'address_refused'
  | 'duplicate_id'
  | 'step_id_conflict'
  | 'attachment_not_found'
  | 'line_too_large'
  | 'request_too_large'
  | 'too_many_lines'

/** A kind of problem. */
export interface ProblemType {
  /** The `type` of such a problem, which is this page. */
  readonly type: string
  /** The code. */
  readonly code:
    | 'malformed_json'
    | 'invalid_encoding'
    | 'invalid_position'
    | 'bad_request'
    | 'unauthorized'
    | 'insufficient_scope'
    | 'foreign_origin'
    | 'browser_refused'
    | 'upload_url_invalid'
    | 'upload_url_expired'
    | 'upload_url_used'
    | 'not_found'
    | 'not_acceptable'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'idempotency_conflict'
    | 'metric_conflict'
    | 'view_conflict'
    | 'webhook_disabled'
    | 'upload_in_progress'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'range_not_satisfiable'
    | 'misdirected_request'
    | 'validation_failed'
    | 'upload_mismatch'
    | 'undefined_metric'
    | 'unknown_trace'
    | 'unknown_step'
    | 'wrong_metric_kind'
    | 'value_out_of_range'
    | 'unknown_option'
    | 'malformed_multipart'
    | 'invalid_cursor'
    | 'cursor_expired'
    | 'full_text_disabled'
    | 'head_too_large'
    | 'internal_error'
    | 'too_many_connections'
    | 'too_many_reads'
    | 'queue_full'
    | 'disk_full'
    | 'storage_unavailable'
    | 'storage_damaged'
    | 'starting'
    | 'shutting_down'
    | 'required'
    | 'unknown_field'
    | 'duplicate_field'
    | 'wrong_type'
    | 'invalid_value'
    | 'invalid_format'
    | 'out_of_range'
    | 'too_long'
    | 'too_short'
    | 'too_deep'
    | 'too_many'
    | 'address_refused'
    | 'duplicate_id'
    | 'step_id_conflict'
    | 'attachment_not_found'
    | 'line_too_large'
    | 'request_too_large'
    | 'too_many_lines'
  /** The kind of problem in words. */
  readonly title: string
  /**
   * The HTTP status of a request that fails with this code; null if the code is only for one field of a
   * request or one line of a batch.
   */
  readonly status: number | null
  /** What the code means. */
  readonly meaning: string
  /** What to do. */
  readonly remedy: string
}

/** The error catalogue. */
export interface ProblemTypeList {
  /** Every code of the catalogue. */
  readonly problems: readonly ProblemType[]
}
