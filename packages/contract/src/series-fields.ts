/*
 * The one table of what series of traces and of steps are grouped by, what they measure, and how a measure becomes one
 * number. Queries, SQL, the tools for agents and the documents follow from it.
 */

export type SeriesRows = 'traces' | 'steps'

interface SeriesField {
  /** In the dashboard. */
  readonly label: string
  /** The rows that have it. Rows of the other kind have the values of their trace, or of all their steps. */
  readonly of: readonly SeriesRows[]
}

const TRACES = ['traces'] as const
const STEPS = ['steps'] as const
const BOTH = ['traces', 'steps'] as const

export const SERIES_FIELDS = {
  name: { label: 'Name', of: TRACES },
  run_type: { label: 'Run type', of: TRACES },
  model: { label: 'Model', of: BOTH },
  status: { label: 'Status', of: BOTH },
  error_type: { label: 'Error type', of: BOTH },
  tool: { label: 'Tool', of: STEPS },
  step_name: { label: 'Step name', of: STEPS },
  step_type: { label: 'Step type', of: STEPS },
  user_id: { label: 'User', of: TRACES },
  session_id: { label: 'Session', of: TRACES },
  tag: { label: 'Tag', of: TRACES },
  cluster: { label: 'Cluster', of: TRACES },
} as const satisfies Readonly<Record<string, SeriesField>>

export type SeriesFieldName = keyof typeof SERIES_FIELDS
export const SERIES_FIELD_NAMES = Object.keys(SERIES_FIELDS) as SeriesFieldName[]

/** How the measured numbers of the rows become one. */
export const SERIES_STATS = ['count', 'sum', 'mean', 'min', 'max', 'p50', 'p90', 'p95', 'p99', 'rate'] as const
export type SeriesStat = (typeof SERIES_STATS)[number]

const NUMBERS = ['sum', 'mean', 'min', 'max', 'p50', 'p90', 'p95', 'p99', 'count'] as const

interface SeriesMeasure {
  /** In the dashboard. */
  readonly label: string
  readonly of: readonly SeriesRows[]
  /** The first is the default. */
  readonly stats: readonly SeriesStat[]
}

export const SERIES_MEASURES = {
  count: { label: 'Count', of: BOTH, stats: ['count'] },
  error_rate: { label: 'Error rate', of: BOTH, stats: ['rate', 'sum', 'count'] },
  recovered_errors: { label: 'Recovered errors', of: TRACES, stats: NUMBERS },
  duration_ms: { label: 'Duration', of: BOTH, stats: ['p50', ...NUMBERS] },
  time_to_first_token_ms: { label: 'Time to first token', of: STEPS, stats: ['p50', ...NUMBERS] },
  total_tokens: { label: 'Tokens', of: BOTH, stats: NUMBERS },
  input_tokens: { label: 'Input tokens', of: BOTH, stats: NUMBERS },
  output_tokens: { label: 'Output tokens', of: BOTH, stats: NUMBERS },
  cached_tokens: { label: 'Cached tokens', of: BOTH, stats: NUMBERS },
  cost_usd: { label: 'Cost', of: BOTH, stats: NUMBERS },
  wasted_tokens: { label: 'Wasted tokens', of: TRACES, stats: NUMBERS },
  wasted_cost_usd: { label: 'Wasted cost', of: TRACES, stats: NUMBERS },
} as const satisfies Readonly<Record<string, SeriesMeasure>>

export type SeriesMeasureName = keyof typeof SERIES_MEASURES
export const SERIES_MEASURE_NAMES = Object.keys(SERIES_MEASURES) as SeriesMeasureName[]

/** Those of a metric by its kind; an enum has none. */
export const METRIC_STATS = { boolean: ['rate', 'sum', 'count'], numeric: ['mean', ...NUMBERS], enum: [] } as const

/** A measure that prices turn tokens into. */
export function isCost(measure: unknown): measure is 'cost_usd' | 'wasted_cost_usd' {
  return measure === 'cost_usd' || measure === 'wasted_cost_usd'
}

/** By what groups are ranked: their value, their number of rows, or how much the value changed in either direction. */
export const SERIES_ORDERS = ['value', 'count', 'change'] as const
export type SeriesOrder = (typeof SERIES_ORDERS)[number]

/** A field or measure with a name of its own: a key of metadata, or a metric. */
export type NamedField<Kind extends 'metadata' | 'metric' = 'metadata' | 'metric'> = `${Kind}.${string}`
export type SeriesFieldText = SeriesFieldName | NamedField
export type SeriesMeasureText = SeriesMeasureName | NamedField<'metric'>

/** The name behind `metadata.` or `metric.`; null for another text. */
export function nameOfField(field: string, kind: 'metadata' | 'metric'): string | null {
  return field.startsWith(`${kind}.`) ? field.slice(kind.length + 1) : null
}

/** A monitor of a metric has groups by fields of traces, and by the source of events. */
export const EVENT_GROUP_FIELDS = [
  ...SERIES_FIELD_NAMES.filter((name) => (SERIES_FIELDS[name].of as readonly SeriesRows[]).includes('traces')),
  'source' as const,
]
/** Fields that events of metrics have themselves. */
export const METRIC_GROUPS = ['run_type', 'model', 'source'] as const

export function measuresOf(rows: SeriesRows): readonly SeriesMeasureName[] {
  return SERIES_MEASURE_NAMES.filter((name) => (SERIES_MEASURES[name].of as readonly SeriesRows[]).includes(rows))
}
