/*
 * The one place for every limit on length, size or number that a client can reach.
 * Bytes are counted on the raw request, before any decoding.
 */

/** A limit that the operator can set. A new one needs a row in `LIMITS` and the code that enforces it. */
interface Limit {
  readonly default: number
  /** The range of the setting. */
  readonly minimum: number
  readonly maximum: number
  /** In the description of `GET /v1/settings`, in `--help` and in the table of settings. */
  readonly description: string
  /** In the guide: the response beyond the limit. */
  readonly beyond: string
  /** On the settings page of the dashboard. */
  readonly label: string
}

const KB = 1024
const MB = 1024 * KB

export const LIMITS = {
  traceBodyBytes: {
    default: 16 * MB,
    minimum: KB,
    maximum: 2 ** 31,
    description: 'One body of `POST /v1/traces`, bytes.',
    beyond: '`413 payload_too_large`',
    label: 'Body of one trace',
  },
  /** Without its line end. */
  lineBytes: {
    default: 4 * MB,
    minimum: KB,
    maximum: 2 ** 31,
    description: 'One NDJSON line, bytes without its line end.',
    beyond: 'that line: `line_too_large`',
    label: 'One line of NDJSON',
  },
  ndjsonRequestBytes: {
    default: 256 * MB,
    minimum: KB,
    maximum: 2 ** 40,
    description: 'One whole NDJSON request, bytes.',
    beyond: '`413` if announced, else the line it ends in: `request_too_large`',
    label: 'One NDJSON request',
  },
  /** An NDJSON answer has no such limit. */
  linesPerJsonResponse: {
    default: 100_000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Lines of a step append that are answered as one JSON document.',
    beyond: '`too_many_lines`; no limit with `Accept: application/x-ndjson`',
    label: 'Steps in one JSON append',
  },
  /** Keys, projects, patches: every body of kind `json`. */
  controlBodyBytes: {
    default: MB,
    minimum: KB,
    maximum: 64 * MB,
    description: 'Any other JSON request body, bytes.',
    beyond: '`413 payload_too_large`',
    label: 'Other JSON bodies',
  },
  /** The outermost object or array counts as 1. */
  jsonDepth: {
    default: 64,
    minimum: 4,
    maximum: 500,
    description: 'Nesting of objects and arrays.',
    beyond: '`422`, `too_deep`',
    label: 'JSON depth',
  },
  metadataKeys: {
    default: 256,
    minimum: 1,
    maximum: 100_000,
    description: 'Keys of one metadata object.',
    beyond: '`422`, `too_many`',
    label: 'Metadata keys of a trace',
  },
  /** For traces, not for steps: every list shows the metadata of a trace. */
  metadataBytes: {
    default: 256 * KB,
    minimum: KB,
    maximum: 4 * MB,
    description: 'The metadata of one trace, bytes as sent.',
    beyond: '`422`, `too_long`; the metadata of a step may be larger',
    label: 'Metadata of a trace',
  },
  /** Characters are UTF-16 code units here. */
  metadataKeyLength: {
    default: 200,
    minimum: 1,
    maximum: 10_000,
    description: 'Characters of one metadata key.',
    beyond: '`422`, `too_long`',
    label: 'Characters in a metadata key',
  },
  stepsPerTraceBody: {
    default: 50_000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Steps in one `POST /v1/traces`.',
    beyond: '`422`, `too_many`; append the others',
    label: 'Steps in the body of one trace',
  },
  uploadBytes: {
    default: 1024 * MB,
    minimum: KB,
    // Slightly less than the number of parts that S3 allows times our part size.
    maximum: 2 ** 37,
    description: 'One uploaded artifact, bytes.',
    beyond: '`413 payload_too_large`',
    label: 'One uploaded file',
  },
  attachmentsPerTrace: {
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Uploaded and linked media of one trace and its steps.',
    beyond: '`422`, `too_many`',
    label: 'Attachments of a trace',
  },
  metricsPerProject: {
    default: 1000,
    minimum: 1,
    maximum: 100_000,
    description: 'Definitions of metrics in one project.',
    beyond: '`422`, `too_many`',
    label: 'Metrics of a project',
  },
  /** Every list shows whole events. */
  metricEventBytes: {
    default: 128 * KB,
    minimum: KB,
    maximum: 4 * MB,
    description: 'One metric event, bytes as sent.',
    beyond: '`413`; of a batch that line: `line_too_large`',
    label: 'One metric event',
  },
  /** An event or an array of them. */
  metricBatchBytes: {
    default: 16 * MB,
    minimum: KB,
    maximum: 2 ** 31,
    description: 'One JSON body of `POST /v1/metrics/events`, bytes.',
    beyond: '`413 payload_too_large`',
    label: 'One batch of metric events',
  },
  monitorsPerProject: {
    default: 2000,
    minimum: 1,
    maximum: 100_000,
    description: 'Monitors of one project.',
    beyond: '`422`, `too_many`',
    label: 'Monitors of a project',
  },
  webhooksPerProject: {
    default: 100,
    minimum: 1,
    maximum: 10_000,
    description: 'Webhooks of one project.',
    beyond: '`422`, `too_many`',
    label: 'Webhooks of a project',
  },
  viewsPerProject: {
    default: 200,
    minimum: 1,
    maximum: 10_000,
    description: 'Saved views of one project.',
    beyond: '`422`, `too_many`',
    label: 'Saved views of a project',
  },
  listLimitDefault: {
    default: 50,
    minimum: 1,
    maximum: 100_000,
    description: 'Rows of a list page when `limit` is not given.',
    beyond: 'rows of a page when `limit` is not given',
    label: 'Default page size',
  },
  listLimitMax: {
    default: 1000,
    minimum: 1,
    maximum: 100_000,
    description: 'Rows of a list page at most.',
    beyond: 'lowered to this',
    label: 'Maximum page size',
  },
} as const satisfies Readonly<Record<string, Limit>>

export type LimitName = keyof typeof LIMITS

/** The limits in force. */
export type Limits = Readonly<Record<LimitName, number>>

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[]

export function mapLimits<T>(toValue: (name: LimitName) => T): Readonly<Record<LimitName, T>> {
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, toValue(name)])) as Record<LimitName, T>
}

export const DEFAULT_LIMITS: Limits = mapLimits((name) => LIMITS[name].default)

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

export type WireLimits<T> = { readonly [Name in LimitName as SnakeCase<Name>]: T }

/** The values by their names on the wire. */
export function toWireLimits<T>(values: Readonly<Record<LimitName, T>>): WireLimits<T> {
  return Object.fromEntries(LIMIT_NAMES.map((name) => [wireName(name), values[name]])) as WireLimits<T>
}

function wireName(name: LimitName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

// The limits below are part of the schemas and cannot be set. Characters are code points unless stated otherwise.

/** Characters in a name, a session or user id, an idempotency key, a reason. */
export const NAME_LENGTH = 1000
/** Metrics whose values the rows of a list have. */
export const LISTED_METRICS_MAX = 12
/** Values of one filter. Statements over many rows repeat their conditions, and the engine bounds their length. */
export const FILTER_VALUES_MAX = 10
/** Names of projects, keys and monitors: shorter than names of traces, because terminals and tables show them. */
export const CONTROL_NAME_LENGTH = 200
/** Run types and other slugs. */
export const SLUG_LENGTH = 64

/** Characters in the name of a metric, in the value of an option and in its label. */
export const METRIC_NAME_LENGTH = 100
export const METRIC_OPTIONS_MAX = 100
export const METRIC_UNIT_LENGTH = 40
export const METRIC_COMMENT_LENGTH = 10_000
/** Events in one part of an exported trace: as many as one commit takes. */
export const PART_METRIC_EVENTS_MAX = 1000
/** Removed events of a project whose content is still on disk: each read of its events names them. */
export const REMOVED_EVENTS_MAX = 10_000

/** Characters of the `display` of a saved view as JSON text. */
export const VIEW_DISPLAY_LENGTH = 4000
/** A day. */
export const GRACE_SECONDS_MAX = 86_400
export const DASHBOARDS_MAX = 100
export const DASHBOARD_TILES_MAX = 50

export const WEBHOOK_URL_LENGTH = 2048
export const WEBHOOK_SECRET_LENGTH = { least: 16, most: 256 } as const

/** 15 seconds to 30 days. */
export const MONITOR_WINDOW_SECONDS = { least: 15, most: 30 * 24 * 3600 } as const
export const MONITOR_CONSECUTIVE_MAX = 100
export const MONITOR_SAMPLES_MAX = 1_000_000_000
/** Changes of state stored for a monitor, the newest. */
export const MONITOR_HISTORY_MAX = 10_000
/** Evaluations of a preview. */
export const MONITOR_PREVIEW_MAX = 1000
/** Groups of a monitor that have a state of their own. */
export const MONITOR_GROUPS_MAX = 100
/** Groups of a preview. */
export const MONITOR_PREVIEW_GROUPS_MAX = 10

export const CLUSTERS = { least: 2, most: 50 } as const
/** 30 days. */
export const CLUSTER_WINDOW_HOURS_MAX = 720
/** 30 days from one scheduled discovery to the next. */
export const CLUSTER_INTERVAL_HOURS_MAX = 720
/** Traces of one discovery: the newest of its window. */
export const CLUSTER_TRACES_MAX = 100_000
/** Runs and finished discoveries stored for a project: the newest of each. */
export const CLUSTER_RUNS_KEPT = 100
/** Of a project. Each has clusters of its own. */
export const CLUSTER_SELECTIONS_MAX = 10
export const MAP_POINTS = { default: 5000, most: 20_000 } as const

/** The most buckets, and the most points, of one series. */
export const SERIES_POINTS_MAX = 10_000
/** Groups of one series; the rest form one group. */
export const SERIES_GROUPS_MAX = 100
/** The most buckets of a series whose request names no bucket length. */
export const SERIES_BUCKETS_CHOSEN = 200

/** Own prices of one project: far more than there are models, few enough to hold in memory together. */
export const OWN_PRICES_MAX = 1000
/** Unpriced models that a trace lists: the first ones. */
export const UNPRICED_MODELS_MAX = 100

/** Traces that a preview of masking reads, and texts that it shows. */
export const MOST_PREVIEWED_TRACES = 100
export const MOST_EXCERPTS = 20

/** Steps of each of two traces that are compared. */
export const COMPARED_STEPS = 10_000

/** The body of one delivery. Parts of larger events are cut. */
export const EVENT_BODY_BYTES = 20_000

/** A body of `/v1/session`: room for a key, a token or an id. It is read before the client is authenticated. */
export const SESSION_BODY_BYTES = 4096

/**
 * Values in a body of kind `json`: objects, arrays and everything in them. The largest valid body, a metric with 100
 * options, has about 310.
 */
export const JSON_BODY_VALUES = 2000
