// Written by npm run sdk-types from the contract.

import type {
  TraceBody,
  StepBody,
  CommitReceipt,
  AppendResponse,
  TraceFeed,
  TraceRow,
  TokenTotals,
  Trace,
  PartialTrace,
  StepPage,
  Attachment,
  MediaUpload,
  UploadTarget,
  Metric,
  MetricList,
  MetricCreate,
  MetricPatch,
  MetricEvent,
  MetricEventBody,
  MetricEventList,
  MetricBatchResponse,
  Price,
  PriceList,
  PriceBody,
  MetricSeries,
  TraceSeries,
  SenderList,
  View,
  ViewList,
  ViewCreate,
  ViewPatch,
  Monitor,
  MonitorList,
  MonitorCreate,
  MonitorPatch,
  MonitorHistory,
  MonitorPreview,
  MonitorPreviewResult,
  Webhook,
  WebhookWithSecret,
  WebhookList,
  WebhookCreate,
  WebhookPatch,
  WebhookRotate,
  Delivery,
  DeliveryDetail,
  DeliveryList,
  RedeliverFailed,
  RedeliveredCount,
  ClusterList,
  ClusterDetail,
  ClusterMap,
  ClusterRunList,
  ClusterSchedule,
  ClusterScheduleBody,
  DiscoveryBody,
  DiscoveryAccepted,
  DiscoveryJob,
  TracePatch,
  Project,
  ProjectList,
  ProjectCreate,
  CreatedKey,
  KeyList,
  KeyCreate,
} from './api-types.ts'

/** Method and path of each operation. */
export const ROUTES = {
  commitTrace: ['POST', '/v1/traces'],
  listTraces: ['GET', '/v1/traces'],
  getTrace: ['GET', '/v1/traces/{id}'],
  patchTrace: ['PATCH', '/v1/traces/{id}'],
  deleteTrace: ['DELETE', '/v1/traces/{id}'],
  tailTraces: ['GET', '/v1/traces/tail'],
  appendSteps: ['POST', '/v1/traces/{id}/steps'],
  listSteps: ['GET', '/v1/traces/{id}/steps'],
  findStep: ['GET', '/v1/steps/{id}'],
  uploadMedia: ['POST', '/v1/media/upload'],
  serveMedia: ['GET', '/v1/media/serve'],
  headMedia: ['HEAD', '/v1/media/serve'],
  signUpload: ['GET', '/v1/media/signed-url'],
  putDirectUpload: ['PUT', '/v1/media/direct/{token}'],
  defineMetric: ['POST', '/v1/metrics'],
  listMetrics: ['GET', '/v1/metrics'],
  getMetric: ['GET', '/v1/metrics/{name}'],
  patchMetric: ['PATCH', '/v1/metrics/{name}'],
  recordMetricEvents: ['POST', '/v1/metrics/events'],
  listMetricEvents: ['GET', '/v1/metrics/events'],
  listPrices: ['GET', '/v1/prices'],
  putPrice: ['PUT', '/v1/prices/{model}'],
  deletePrice: ['DELETE', '/v1/prices/{model}'],
  getMetricSeries: ['GET', '/v1/metrics/{name}/series'],
  getTraceSeries: ['GET', '/v1/traces/series'],
  getTraceFacets: ['GET', '/v1/traces/facets'],
  listSessions: ['GET', '/v1/sessions'],
  getTraceSession: ['GET', '/v1/sessions/{session_id}'],
  listUsers: ['GET', '/v1/users'],
  getTraceUser: ['GET', '/v1/users/{user_id}'],
  listSenders: ['GET', '/v1/senders'],
  createView: ['POST', '/v1/views'],
  listViews: ['GET', '/v1/views'],
  patchView: ['PATCH', '/v1/views/{id}'],
  deleteView: ['DELETE', '/v1/views/{id}'],
  createMonitor: ['POST', '/v1/monitors'],
  listMonitors: ['GET', '/v1/monitors'],
  readMonitor: ['GET', '/v1/monitors/{id}'],
  patchMonitor: ['PATCH', '/v1/monitors/{id}'],
  deleteMonitor: ['DELETE', '/v1/monitors/{id}'],
  readMonitorHistory: ['GET', '/v1/monitors/{id}/history'],
  previewMonitor: ['POST', '/v1/monitors/preview'],
  createWebhook: ['POST', '/v1/projects/{project_id}/webhooks'],
  listWebhooks: ['GET', '/v1/projects/{project_id}/webhooks'],
  readWebhook: ['GET', '/v1/projects/{project_id}/webhooks/{id}'],
  patchWebhook: ['PATCH', '/v1/projects/{project_id}/webhooks/{id}'],
  deleteWebhook: ['DELETE', '/v1/projects/{project_id}/webhooks/{id}'],
  rotateWebhookSecret: ['POST', '/v1/projects/{project_id}/webhooks/{id}/rotate-secret'],
  pingWebhook: ['POST', '/v1/projects/{project_id}/webhooks/{id}/ping'],
  listDeliveries: ['GET', '/v1/projects/{project_id}/webhooks/{id}/deliveries'],
  readDelivery: ['GET', '/v1/projects/{project_id}/webhooks/{id}/deliveries/{delivery_id}'],
  redeliver: ['POST', '/v1/projects/{project_id}/webhooks/{id}/deliveries/{delivery_id}/redeliver'],
  redeliverFailed: ['POST', '/v1/projects/{project_id}/webhooks/{id}/deliveries/redeliver-failed'],
  listClusters: ['GET', '/v1/clusters'],
  readCluster: ['GET', '/v1/clusters/{id}'],
  renameCluster: ['PATCH', '/v1/clusters/{id}'],
  discoverClusters: ['POST', '/v1/clusters/discover'],
  listDiscoveries: ['GET', '/v1/clusters/discover'],
  readDiscovery: ['GET', '/v1/clusters/discover/{job_id}'],
  readClusterMap: ['GET', '/v1/clusters/map'],
  listClusterRuns: ['GET', '/v1/clusters/runs'],
  readClusterSchedule: ['GET', '/v1/clusters/schedule'],
  setClusterSchedule: ['PUT', '/v1/clusters/schedule'],
  createProject: ['POST', '/v1/projects'],
  listProjects: ['GET', '/v1/projects'],
  changeProject: ['PATCH', '/v1/projects/{id}'],
  createKey: ['POST', '/v1/projects/{id}/keys'],
  listKeys: ['GET', '/v1/projects/{id}/keys'],
  revokeKey: ['DELETE', '/v1/projects/{id}/keys/{key_id}'],
} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>

/** What each operation takes and answers. */
export interface Operations {
  /** Commit a trace */
  readonly commitTrace: {
    readonly body: TraceBody
    readonly answer: CommitReceipt
  }
  /** List and filter traces */
  readonly listTraces: {
    readonly query?: {
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
      /** Traces whose metadata has this key. Can be repeated, in pairs with `meta_value`; all must match. */
      readonly meta_key?: readonly string[] | undefined
      /**
       * The value of its `meta_key`, as JSON text; a string also without its quotes. A list has the value of
       * each of its elements too. With as many values as keys, the first value belongs to the first key and
       * so on; with fewer, each value belongs to the key just before it. Requires a `meta_key`.
       */
      readonly meta_value?: readonly string[] | undefined
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
      /** The sort key. */
      readonly sort?: 'created_at' | 'duration_ms' | 'total_tokens' | 'step_count' | 'cost_usd' | undefined
      /** `desc`: largest or newest first. `asc`: smallest or oldest first. */
      readonly order?: 'desc' | 'asc' | undefined
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
      /**
       * Names of metrics whose latest value each row has as `metric_values`. Can be repeated. Filters
       * nothing.
       */
      readonly metric_values?: readonly string[] | undefined
    }
    readonly answer: TraceFeed
  }
  /** Read one trace */
  readonly getTrace: {
    readonly path: {
      /**
       * The trace. For a trace of another project the answer is the same as for one that does not exist. By
       * its id or by the 32 hex digits that OpenTelemetry knows it by.
       */
      readonly id: string
    }
    readonly query?: {
      /**
       * The parts to return with the row of the trace, separated by commas: `steps`, `messages` (of the
       * steps, and includes the steps), `attachments` (those without a step), `metric_events`. Empty: only
       * the row, as in the list of traces, which needs one look-up. If omitted: everything.
       */
      readonly include?: string | undefined
    }
    readonly answer: Trace | PartialTrace
  }
  /** Mark or flag a trace */
  readonly patchTrace: {
    readonly path: {
      /**
       * The trace. For a trace of another project the answer is the same as for one that does not exist. By
       * its id or by the 32 hex digits that OpenTelemetry knows it by.
       */
      readonly id: string
    }
    readonly body: TracePatch
    readonly answer: TraceRow
  }
  /** Delete a trace */
  readonly deleteTrace: {
    readonly path: {
      /**
       * The trace. For a trace of another project the answer is the same as for one that does not exist. By
       * its id or by the 32 hex digits that OpenTelemetry knows it by.
       */
      readonly id: string
    }
    readonly answer: undefined
  }
  /** Follow new traces live */
  readonly tailTraces: {
    readonly answer: undefined
  }
  /** Append steps to a trace */
  readonly appendSteps: {
    readonly path: {
      /**
       * The trace. For a trace of another project the answer is the same as for one that does not exist. By
       * its id or by the 32 hex digits that OpenTelemetry knows it by.
       */
      readonly id: string
    }
    readonly body: readonly StepBody[]
    readonly answer: AppendResponse
  }
  /** Read the steps of a trace in pages */
  readonly listSteps: {
    readonly path: {
      /**
       * The trace. For a trace of another project the answer is the same as for one that does not exist. By
       * its id or by the 32 hex digits that OpenTelemetry knows it by.
       */
      readonly id: string
    }
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: StepPage
  }
  /** Find the trace of a step */
  readonly findStep: {
    readonly path: {
      /** The step. */
      readonly id: string
    }
    readonly answer: {
      /** The step. */
      readonly id: string
      /** The trace that it is part of. */
      readonly trace_id: string
    }
  }
  /** Upload an artifact */
  readonly uploadMedia: {
    readonly body: MediaUpload
    readonly answer: Attachment
  }
  /** Read an artifact */
  readonly serveMedia: {
    readonly query: {
      /** The `uri` from the answer to the upload, URL-encoded. */
      readonly uri: string
    }
    readonly answer: undefined
  }
  /** Read the headers of an artifact */
  readonly headMedia: {
    readonly query: {
      /** The `uri` from the answer to the upload, URL-encoded. */
      readonly uri: string
    }
    readonly answer: undefined
  }
  /** Get a signed URL for a direct upload */
  readonly signUpload: {
    readonly query: {
      /** The owning trace. It must exist. By its id or by the 32 hex digits that OpenTelemetry knows it by. */
      readonly trace_id: string
      /** The owning step of that trace; if omitted, the artifact belongs to the whole trace. */
      readonly step_id?: string | undefined
      /**
       * The kind of artifact. Display and security depend on the content type found in the bytes, not on
       * this.
       */
      readonly kind: 'image' | 'audio' | 'video' | 'sensor' | 'file'
      /** The media type of the artifact, without parameters. The upload must have this `Content-Type`. */
      readonly content_type: string
      /** Exact size of the artifact, bytes. */
      readonly size_bytes: number
      /** SHA-256 of the bytes, lower-case hex. */
      readonly sha256: string
      /** The file name to show. */
      readonly filename?: string | undefined
    }
    readonly answer: UploadTarget
  }
  /** Upload to a signed URL */
  readonly putDirectUpload: {
    readonly path: {
      /** The signed token. */
      readonly token: string
    }
    readonly body: Blob
    readonly answer: Attachment
  }
  /** Define a metric */
  readonly defineMetric: {
    readonly body: MetricCreate
    readonly answer: Metric
  }
  /** List the metrics of the project */
  readonly listMetrics: {
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: MetricList
  }
  /** Read the definition of a metric */
  readonly getMetric: {
    readonly path: {
      /**
       * The name of the metric, percent-encoded. For a metric of another project the answer is the same as
       * for one that does not exist.
       */
      readonly name: string
    }
    readonly answer: Metric
  }
  /** Change a metric */
  readonly patchMetric: {
    readonly path: {
      /**
       * The name of the metric, percent-encoded. For a metric of another project the answer is the same as
       * for one that does not exist.
       */
      readonly name: string
    }
    readonly body: MetricPatch
    readonly answer: Metric
  }
  /** Record metric events */
  readonly recordMetricEvents: {
    readonly body: MetricEventBody | readonly MetricEventBody[]
    readonly answer: MetricEvent | MetricBatchResponse
  }
  /** List and filter metric events */
  readonly listMetricEvents: {
    readonly query?: {
      /** Events of this metric. */
      readonly name?: string | undefined
      /**
       * Events of this trace and its steps, by its id or by the 32 hex digits that OpenTelemetry knows it
       * by.
       */
      readonly trace_id?: string | undefined
      /** Events of this step. */
      readonly step_id?: string | undefined
      /** Events from this source. */
      readonly source?: 'human' | 'code' | 'llm' | undefined
      /** Events of traces with exactly this run type when the event was recorded. */
      readonly run_type?: string | undefined
      /** Events of traces that had used exactly this model when the event was recorded. */
      readonly model?: string | undefined
      /** Traces whose metadata has this key. Can be repeated, in pairs with `meta_value`; all must match. */
      readonly meta_key?: readonly string[] | undefined
      /**
       * The value of its `meta_key`, as JSON text; a string also without its quotes. A list has the value of
       * each of its elements too. With as many values as keys, the first value belongs to the first key and
       * so on; with fewer, each value belongs to the key just before it. Requires a `meta_key`.
       */
      readonly meta_value?: readonly string[] | undefined
      /** Events whose `at` is this time or later: RFC 3339, or a date for its midnight UTC. */
      readonly start_time?: string | undefined
      /** Events whose `at` is before this time: RFC 3339, or a date for its midnight UTC. */
      readonly end_time?: string | undefined
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: MetricEventList
  }
  /** List token prices */
  readonly listPrices: {
    readonly query?: {
      /**
       * Only the price that applies to steps with this `model`, which may be under a shorter name; an empty
       * list if there is none.
       */
      readonly model?: string | undefined
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: PriceList
  }
  /** Set the price of a model */
  readonly putPrice: {
    readonly path: {
      /** The model as steps name it, percent-encoded, for example `openai%2Fgpt-4o`. */
      readonly model: string
    }
    readonly body: PriceBody
    readonly answer: Price
  }
  /** Restore the built-in price of a model */
  readonly deletePrice: {
    readonly path: {
      /** The model as steps name it, percent-encoded, for example `openai%2Fgpt-4o`. */
      readonly model: string
    }
    readonly answer: undefined
  }
  /** A metric over time */
  readonly getMetricSeries: {
    readonly path: {
      /** The name of the metric, percent-encoded. */
      readonly name: string
    }
    readonly query?: {
      /** From this time on: RFC 3339, or a date for its midnight UTC. Default: 24 hours before the end. */
      readonly start_time?: string | undefined
      /** Before this time. Default: now. */
      readonly end_time?: string | undefined
      /**
       * The length of each bucket: a whole number and `s`, `m`, `h`, `d` or `w`. Buckets are aligned to UTC
       * (days and weeks: to the zone `tz`), buckets of weeks to Mondays. `all` is one bucket for the whole
       * time. Default: `1h`. If the time range is longer than a day, the default is the shortest of 1, 2, 3,
       * 6, 12 hours, 1, 2 days, 1, 2, 4 and more weeks with at most 200 buckets.
       */
      readonly bucket?: string | undefined
      /** An IANA time zone: buckets of days and weeks begin at its midnights. Default: UTC. */
      readonly tz?: string | undefined
      /**
       * One of run_type, model, source, or `metadata.` and a key. An event whose trace used several models
       * counts in each of them; an event without a value counts in the group null. The metadata of the event
       * takes precedence over that of its trace. The largest groups are those with the most events. The 100
       * largest groups are returned separately, all others as one (`other`).
       */
      readonly group_by?: 'run_type' | 'model' | 'source' | unknown | undefined
      /** Traces of exactly this run category. Can have up to 10 values: any of them. */
      readonly run_type?: string | readonly string[] | undefined
      /** All traces but those that `run_type` finds. Can have up to 10 values: none of them. */
      readonly not_run_type?: string | readonly string[] | undefined
      /** Traces with a step that used exactly this model. Can have up to 10 values: any of them. */
      readonly model?: string | readonly string[] | undefined
      /** All traces but those that `model` finds. Can have up to 10 values: none of them. */
      readonly not_model?: string | readonly string[] | undefined
      /** Events from this source. */
      readonly source?: 'human' | 'code' | 'llm' | undefined
      /** Traces whose metadata has this key. Can be repeated, in pairs with `meta_value`; all must match. */
      readonly meta_key?: readonly string[] | undefined
      /**
       * The value of its `meta_key`, as JSON text; a string also without its quotes. A list has the value of
       * each of its elements too. With as many values as keys, the first value belongs to the first key and
       * so on; with fewer, each value belongs to the key just before it. Requires a `meta_key`.
       */
      readonly meta_value?: readonly string[] | undefined
    }
    readonly answer: MetricSeries
  }
  /** Traces over time */
  readonly getTraceSeries: {
    readonly query: {
      /** The measure of the traces. */
      readonly measure: 'count' | 'error_rate' | 'recovered_errors' | 'duration_ms' | 'total_tokens' | 'cost_usd'
      /** From this time on: RFC 3339, or a date for its midnight UTC. Default: 24 hours before the end. */
      readonly start_time?: string | undefined
      /** Before this time. Default: now. */
      readonly end_time?: string | undefined
      /**
       * The length of each bucket: a whole number and `s`, `m`, `h`, `d` or `w`. Buckets are aligned to UTC
       * (days and weeks: to the zone `tz`), buckets of weeks to Mondays. `all` is one bucket for the whole
       * time. Default: `1h`. If the time range is longer than a day, the default is the shortest of 1, 2, 3,
       * 6, 12 hours, 1, 2 days, 1, 2, 4 and more weeks with at most 200 buckets.
       */
      readonly bucket?: string | undefined
      /** An IANA time zone: buckets of days and weeks begin at its midnights. Default: UTC. */
      readonly tz?: string | undefined
      /**
       * One of run_type, model, status, name, or `metadata.` and a key. A trace that used several models
       * counts in each of them (with the cost of that model); a trace without a value counts in the group
       * null. The largest groups are those with the highest total of the measure: traces, failed traces,
       * milliseconds, tokens or US dollars. The 100 largest groups are returned separately, all others as
       * one (`other`).
       */
      readonly group_by?: 'run_type' | 'model' | 'status' | 'name' | unknown | undefined
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
      /**
       * Full-text search in names of traces and steps, texts of messages, arguments and results of tools,
       * and errors: words separated by spaces, all of which must occur in one step or in the name of the
       * trace. `refun*` is any word that begins so.
       */
      readonly q?: string | undefined
      /** Traces whose metadata has this key. Can be repeated, in pairs with `meta_value`; all must match. */
      readonly meta_key?: readonly string[] | undefined
      /**
       * The value of its `meta_key`, as JSON text; a string also without its quotes. A list has the value of
       * each of its elements too. With as many values as keys, the first value belongs to the first key and
       * so on; with fewer, each value belongs to the key just before it. Requires a `meta_key`.
       */
      readonly meta_value?: readonly string[] | undefined
    }
    readonly answer: TraceSeries
  }
  /** Values to filter traces by */
  readonly getTraceFacets: {
    readonly query: {
      /**
       * One of run_type, model, error_type, name, session_id, user_id, metadata, or `metadata.` and a key.
       * `metadata` alone lists the keys.
       */
      readonly field: 'run_type' | 'model' | 'error_type' | 'name' | 'session_id' | 'user_id' | 'metadata' | unknown
      /** Only values that contain this text, regardless of case. */
      readonly q?: string | undefined
      /** The maximum number of values. A value above 100 is lowered to 100. */
      readonly limit?: number | undefined
    }
    readonly answer: {
      /** The requested field. */
      readonly field: string
      /** The values, the most frequent first. */
      readonly values: readonly {
        /** The value in the form of the filter; for a metadata key in the form of `meta_value`. */
        readonly value: string
        /** The number of counted traces that have it. */
        readonly count: number
      }[]
      /** Whether these are all values: every trace was counted and `limit` cut none. */
      readonly complete: boolean
    }
  }
  /** List sessions */
  readonly listSessions: {
    readonly query?: {
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
      /** Traces whose metadata has this key. Can be repeated, in pairs with `meta_value`; all must match. */
      readonly meta_key?: readonly string[] | undefined
      /**
       * The value of its `meta_key`, as JSON text; a string also without its quotes. A list has the value of
       * each of its elements too. With as many values as keys, the first value belongs to the first key and
       * so on; with fewer, each value belongs to the key just before it. Requires a `meta_key`.
       */
      readonly meta_value?: readonly string[] | undefined
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
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: {
      /** One page of sessions, newest activity first. */
      readonly sessions: readonly {
        /** The session. */
        readonly session_id: string
        /** When the first of its traces was created. */
        readonly first_at: string
        /** When the last of its traces was created. */
        readonly last_at: string
        /** The number of its traces. */
        readonly trace_count: number
        /** The number of their steps. */
        readonly step_count: number
        /** The number of its traces with status `error`. */
        readonly error_count: number
        /** The users of its traces, each once and sorted; at most 100. */
        readonly user_ids: readonly string[]
        readonly token_usage: TokenTotals
        /**
         * The cost of all steps, but those of traces with more than 100 models; null if no step has a cost. US
         * dollars, rounded to 10 decimals, at current prices.
         */
        readonly cost_usd: number | null
      }[]
      /** Pass it as `cursor` for the next page; null on the last one. */
      readonly next_cursor: string | null
    }
  }
  /** Read one session */
  readonly getTraceSession: {
    readonly path: {
      /** The `session_id` of its traces, percent-encoded. */
      readonly session_id: string
    }
    readonly query?: {
      /** `desc`: newest first. `asc`: oldest first. */
      readonly order?: 'desc' | 'asc' | undefined
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: {
      /** One session: what its traces amount to, as they are now. */
      readonly session: {
        /** The session. */
        readonly session_id: string
        /** When the first of its traces was created. */
        readonly first_at: string
        /** When the last of its traces was created. */
        readonly last_at: string
        /** The number of its traces. */
        readonly trace_count: number
        /** The number of their steps. */
        readonly step_count: number
        /** The number of its traces with status `error`. */
        readonly error_count: number
        /** The users of its traces, each once and sorted; at most 100. */
        readonly user_ids: readonly string[]
        readonly token_usage: TokenTotals
        /**
         * The cost of all steps, but those of traces with more than 100 models; null if no step has a cost. US
         * dollars, rounded to 10 decimals, at current prices.
         */
        readonly cost_usd: number | null
      }
      /** One page of its traces, in the requested order. */
      readonly traces: readonly TraceRow[]
      /** Pass it as `cursor` for the next page; null on the last one. */
      readonly next_cursor: string | null
    }
  }
  /** List users */
  readonly listUsers: {
    readonly query?: {
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
      /** Traces whose metadata has this key. Can be repeated, in pairs with `meta_value`; all must match. */
      readonly meta_key?: readonly string[] | undefined
      /**
       * The value of its `meta_key`, as JSON text; a string also without its quotes. A list has the value of
       * each of its elements too. With as many values as keys, the first value belongs to the first key and
       * so on; with fewer, each value belongs to the key just before it. Requires a `meta_key`.
       */
      readonly meta_value?: readonly string[] | undefined
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
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: {
      /** One page of users, newest activity first. */
      readonly users: readonly {
        /** The user. */
        readonly user_id: string
        /** When the first of its traces was created. */
        readonly first_at: string
        /** When the last of its traces was created. */
        readonly last_at: string
        /** The number of its traces. */
        readonly trace_count: number
        /** The number of their steps. */
        readonly step_count: number
        /** The number of its traces with status `error`. */
        readonly error_count: number
        /** The number of sessions of its traces. */
        readonly session_count: number
        readonly token_usage: TokenTotals
        /**
         * The cost of all steps, but those of traces with more than 100 models; null if no step has a cost. US
         * dollars, rounded to 10 decimals, at current prices.
         */
        readonly cost_usd: number | null
      }[]
      /** Pass it as `cursor` for the next page; null on the last one. */
      readonly next_cursor: string | null
    }
  }
  /** Read one user */
  readonly getTraceUser: {
    readonly path: {
      /** The `user_id` of its traces, percent-encoded. */
      readonly user_id: string
    }
    readonly query?: {
      /** `desc`: newest first. `asc`: oldest first. */
      readonly order?: 'desc' | 'asc' | undefined
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: {
      /** One user: what the traces that ran for the user amount to. */
      readonly user: {
        /** The user. */
        readonly user_id: string
        /** When the first of its traces was created. */
        readonly first_at: string
        /** When the last of its traces was created. */
        readonly last_at: string
        /** The number of its traces. */
        readonly trace_count: number
        /** The number of their steps. */
        readonly step_count: number
        /** The number of its traces with status `error`. */
        readonly error_count: number
        /** The number of sessions of its traces. */
        readonly session_count: number
        readonly token_usage: TokenTotals
        /**
         * The cost of all steps, but those of traces with more than 100 models; null if no step has a cost. US
         * dollars, rounded to 10 decimals, at current prices.
         */
        readonly cost_usd: number | null
      }
      /** One page of its traces, in the requested order. */
      readonly traces: readonly TraceRow[]
      /** Pass it as `cursor` for the next page; null on the last one. */
      readonly next_cursor: string | null
    }
  }
  /** What came in, and what was not understood */
  readonly listSenders: {
    readonly answer: SenderList
  }
  /** Save a view */
  readonly createView: {
    readonly body: ViewCreate
    readonly answer: View
  }
  /** List the saved views of the project */
  readonly listViews: {
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: ViewList
  }
  /** Rename or replace a saved view */
  readonly patchView: {
    readonly path: {
      /** The view. For a view of another project the answer is the same as for one that does not exist. */
      readonly id: string
    }
    readonly body: ViewPatch
    readonly answer: View
  }
  /** Delete a saved view */
  readonly deleteView: {
    readonly path: {
      /** The view. For a view of another project the answer is the same as for one that does not exist. */
      readonly id: string
    }
    readonly answer: undefined
  }
  /** Create a monitor */
  readonly createMonitor: {
    readonly body: MonitorCreate
    readonly answer: Monitor
  }
  /** List monitors */
  readonly listMonitors: {
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: MonitorList
  }
  /** Read a monitor */
  readonly readMonitor: {
    readonly path: {
      /** The monitor. */
      readonly id: string
    }
    readonly answer: Monitor
  }
  /** Change a monitor */
  readonly patchMonitor: {
    readonly path: {
      /** The monitor. */
      readonly id: string
    }
    readonly body: MonitorPatch
    readonly answer: Monitor
  }
  /** Delete a monitor */
  readonly deleteMonitor: {
    readonly path: {
      /** The monitor. */
      readonly id: string
    }
    readonly answer: undefined
  }
  /** Read the history of a monitor */
  readonly readMonitorHistory: {
    readonly path: {
      /** The monitor. */
      readonly id: string
    }
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: MonitorHistory
  }
  /** Preview a monitor on past data */
  readonly previewMonitor: {
    readonly body: MonitorPreview
    readonly answer: MonitorPreviewResult
  }
  /** Create a webhook */
  readonly createWebhook: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
    }
    readonly body: WebhookCreate
    readonly answer: WebhookWithSecret
  }
  /** List webhooks */
  readonly listWebhooks: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
    }
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: WebhookList
  }
  /** Read a webhook */
  readonly readWebhook: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
    }
    readonly answer: Webhook
  }
  /** Change, disable or enable a webhook */
  readonly patchWebhook: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
    }
    readonly body: WebhookPatch
    readonly answer: Webhook
  }
  /** Delete a webhook */
  readonly deleteWebhook: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
    }
    readonly answer: undefined
  }
  /** Change the secret of a webhook */
  readonly rotateWebhookSecret: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
    }
    readonly body: WebhookRotate
    readonly answer: WebhookWithSecret
  }
  /** Send a ping to a webhook */
  readonly pingWebhook: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
    }
    readonly answer: Delivery
  }
  /** List the deliveries of a webhook */
  readonly listDeliveries: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
    }
    readonly query?: {
      /** Deliveries of events of this type. */
      readonly event?:
        | 'trace.committed'
        | 'trace.completed'
        | 'trace.flagged'
        | 'metric.event'
        | 'monitor.fired'
        | 'monitor.resolved'
        | 'cluster.created'
        | 'cluster.shifted'
        | 'ping'
        | undefined
      /** Deliveries with this status. */
      readonly status?: 'pending' | 'succeeded' | 'failed' | 'cancelled' | undefined
      /** Created at this time or later: RFC 3339, or a date alone for its midnight UTC. */
      readonly start_time?: string | undefined
      /** Created before this time: RFC 3339, or a date alone for its midnight UTC. */
      readonly end_time?: string | undefined
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: DeliveryList
  }
  /** Read a delivery */
  readonly readDelivery: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
      /** The delivery. */
      readonly delivery_id: string
    }
    readonly answer: DeliveryDetail
  }
  /** Send a delivery again */
  readonly redeliver: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
      /** The delivery. */
      readonly delivery_id: string
    }
    readonly answer: Delivery
  }
  /** Send all failed deliveries again */
  readonly redeliverFailed: {
    readonly path: {
      /** The project of the key. For any other project the answer is the same as for one that does not exist. */
      readonly project_id: string
      /** The webhook. */
      readonly id: string
    }
    readonly body: RedeliverFailed
    readonly answer: RedeliveredCount
  }
  /** List clusters */
  readonly listClusters: {
    readonly answer: ClusterList
  }
  /** Read a cluster */
  readonly readCluster: {
    readonly path: {
      /** The cluster. */
      readonly id: string
    }
    readonly answer: ClusterDetail
  }
  /** Rename a cluster */
  readonly renameCluster: {
    readonly path: {
      /** The cluster. */
      readonly id: string
    }
    readonly body: {
      /** The label: at least one visible character, no control characters; null for the automatic one. */
      readonly label: string | null
    }
    readonly answer: ClusterDetail
  }
  /** Discover clusters */
  readonly discoverClusters: {
    readonly body: DiscoveryBody
    readonly answer: DiscoveryAccepted
  }
  /** List jobs */
  readonly listDiscoveries: {
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: {
      /** One page of jobs, newest first. */
      readonly jobs: readonly DiscoveryJob[]
      /** Pass it as `cursor` for the next page; null on the last one. */
      readonly next_cursor: string | null
    }
  }
  /** Read a discovery */
  readonly readDiscovery: {
    readonly path: {
      /** The job. */
      readonly job_id: string
    }
    readonly answer: DiscoveryJob
  }
  /** Read the map */
  readonly readClusterMap: {
    readonly query?: {
      /**
       * The maximum number of points. The sample is stable from run to run. A value above 20000 is lowered
       * to 20000.
       */
      readonly limit?: number | undefined
    }
    readonly answer: ClusterMap
  }
  /** List discoveries */
  readonly listClusterRuns: {
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: ClusterRunList
  }
  /** Read the schedule */
  readonly readClusterSchedule: {
    readonly answer: ClusterSchedule
  }
  /** Set the schedule */
  readonly setClusterSchedule: {
    readonly body: ClusterScheduleBody
    readonly answer: ClusterSchedule
  }
  /** Create a project */
  readonly createProject: {
    readonly body: ProjectCreate
    readonly answer: Project
  }
  /** List projects */
  readonly listProjects: {
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: ProjectList
  }
  /** Change a project */
  readonly changeProject: {
    readonly path: {
      /** The project. If the key may not see it, the answer is the same as for a project that does not exist. */
      readonly id: string
    }
    readonly body: {
      /**
       * Which spans of OpenTelemetry the project takes: `keep` all of them (the default), or `agents_only`:
       * spans about agents and models, and their ancestors.
       */
      readonly span_filter: 'keep' | 'agents_only'
    }
    readonly answer: Project
  }
  /** Create an API key */
  readonly createKey: {
    readonly path: {
      /** The project. If the key may not see it, the answer is the same as for a project that does not exist. */
      readonly id: string
    }
    readonly body: KeyCreate
    readonly answer: CreatedKey
  }
  /** List the API keys of a project */
  readonly listKeys: {
    readonly path: {
      /** The project. If the key may not see it, the answer is the same as for a project that does not exist. */
      readonly id: string
    }
    readonly query?: {
      /** The maximum number of rows. A value above 1000 is lowered to 1000. */
      readonly limit?: number | undefined
      /** `next_cursor` of the previous page. All other parameters must be the same. */
      readonly cursor?: string | undefined
    }
    readonly answer: KeyList
  }
  /** Revoke an API key */
  readonly revokeKey: {
    readonly path: {
      /** The project. If the key may not see it, the answer is the same as for a project that does not exist. */
      readonly id: string
      /** The key. */
      readonly key_id: string
    }
    readonly answer: undefined
  }
}

export type OperationId = keyof Operations
