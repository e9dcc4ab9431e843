/*
 * The events in deliveries. Written out here so that the package needs no other; a test compares these types with the
 * contract. Times are ISO 8601 UTC with milliseconds. An event has at most 20,000 bytes: larger ones are shortened, and
 * `truncated` lists the places.
 */

interface EventOf<Type extends string, Data> {
  /** The same on every attempt. Store the ids you have seen to handle each event once. */
  readonly id: string
  readonly type: Type
  /** When it happened. */
  readonly timestamp: string
  readonly project_id: string
  readonly data: Data & {
    /** JSON pointers into `data` to what was removed or shortened. Absent if nothing was. */
    readonly truncated?: readonly string[]
  }
}

/** The trace when the event was sent; it can be newer than the event. */
export interface WebhookTrace {
  readonly id: string
  readonly name: string
  readonly run_type: string
  readonly state: 'committed' | 'flagged'
  readonly status: 'ok' | 'error'
  /** How many steps failed in a run that is ok. */
  readonly recovered_errors: number
  /** Absent if it was too large. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Whether more of it may come. */
  readonly growing: boolean
  readonly root_seen: boolean
  readonly created_at: string
  readonly updated_at: string
  /** When the run began. */
  readonly started_at: string | null
  readonly duration_ms: number | null
  readonly step_count: number
  readonly models: readonly string[]
  readonly token_usage: {
    readonly input: number
    readonly output: number
    readonly total: number
    readonly cache_read: number
    readonly cache_write: number
    readonly reasoning: number
  }
  readonly session_id: string | null
  readonly user_id: string | null
  readonly attachment_count: number
  /** The first text of a user, at most 240 characters. */
  readonly input_preview: string | null
  /** The last answer of a model, or the error of a failed trace, at most 240 characters. */
  readonly output_preview: string | null
  /** US dollars, at the prices of when the event was sent. */
  readonly cost_usd: number | null
}

export interface WebhookMetricEvent {
  readonly id: string
  readonly name: string
  readonly trace_id: string
  readonly step_id: string | null
  readonly passed: boolean | null
  readonly value: number | string | null
  readonly source: 'human' | 'code' | 'llm' | null
  readonly comment: string | null
  /** Absent if it was too large. */
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly idempotency_key: string | null
  readonly at: string
  readonly created_at: string
}

export interface WebhookMonitor {
  readonly id: string
  readonly name: string
  readonly source: {
    readonly kind: 'metric' | 'traces'
    readonly metric?: string
    readonly measure?: string
    readonly option?: string
  }
  /** Absent if they were too large. */
  readonly filters?: Readonly<Record<string, unknown>>
  readonly aggregation: string
  readonly window_seconds: number
  readonly comparison: 'gt' | 'gte' | 'lt' | 'lte'
  readonly threshold: number
  readonly resolve_threshold: number | null
  readonly min_samples: number
  readonly consecutive: number
  readonly no_data: 'hold' | 'ok' | 'fire'
  readonly enabled: boolean
  readonly state: 'normal' | 'fired'
  readonly state_since: string
  readonly last_value: number | null
  readonly last_samples: number | null
  readonly last_evaluated_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly revision: number
}

export interface WebhookCluster {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly size: number
  readonly color: 'fail' | 'ok'
  readonly keywords?: readonly string[]
  readonly error_rate?: number
  readonly first_seen_at?: string
}

export type TraceCommittedEvent = EventOf<'trace.committed', { readonly trace: WebhookTrace }>
/** The trace is complete: it came in one commit, or in pieces and was quiet for a while after its root. */
export type TraceCompletedEvent = EventOf<'trace.completed', { readonly trace: WebhookTrace }>
export type TraceFlaggedEvent = EventOf<
  'trace.flagged',
  { readonly trace: WebhookTrace; readonly reason?: string | null }
>
export type MetricRecordedEvent = EventOf<'metric.event', { readonly event: WebhookMetricEvent }>
/** `value`: the aggregate of the window; null if the window had too few samples. `at`: the time of the evaluation. */
export type MonitorEvent<Type extends 'monitor.fired' | 'monitor.resolved' = 'monitor.fired' | 'monitor.resolved'> =
  EventOf<Type, { readonly monitor: WebhookMonitor; readonly value: number | null; readonly at: string }>
export type ClusterCreatedEvent = EventOf<'cluster.created', { readonly cluster: WebhookCluster }>
/**
 * `previous`: the cluster in the previous run; `joined` and `left`: numbers of traces; `similarity`: of its old and new
 * members, 0 to 1. Shares are of all traces of a run.
 */
export type ClusterShiftedEvent = EventOf<
  'cluster.shifted',
  {
    readonly cluster: WebhookCluster
    readonly previous: { readonly size: number; readonly share: number }
    readonly joined: number
    readonly left: number
    readonly similarity: number
    readonly reason: 'split' | 'merged' | 'membership' | 'grew' | 'shrank'
    readonly share: number
    readonly split_into: readonly string[]
    readonly merged_from: readonly string[]
  }
>
export type PingEvent = EventOf<'ping', { readonly webhook_id: string }>

/** Distinguished by `type`. */
export type WebhookEvent =
  | TraceCommittedEvent
  | TraceCompletedEvent
  | TraceFlaggedEvent
  | MetricRecordedEvent
  | MonitorEvent<'monitor.fired'>
  | MonitorEvent<'monitor.resolved'>
  | ClusterCreatedEvent
  | ClusterShiftedEvent
  | PingEvent
