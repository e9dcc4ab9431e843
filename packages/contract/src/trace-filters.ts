import type { ClusterId } from './ids.ts'
import { FINDING_KINDS } from './schemas/traces/finding.ts'
import { METRIC_NAME_LENGTH, NAME_LENGTH, SLUG_LENGTH } from './limits.ts'
import { STEP_FILTER_ROWS, type StepMeasure } from './step-filters.ts'

/*
 * The one table of trace filters. Query schemas, parsed filters, monitors, the dashboard's URL, chips and forms, and
 * the OpenAPI document follow from it. Filters by metadata, time and full text have rules of their own.
 */

export const TRACE_STATUSES = ['ok', 'error'] as const

/**
 * Where a filter applies. `lists`: `GET /v1/traces`. `series`: series of traces. `facets`: values to suggest.
 * `monitors`: monitors. `events`: metric events by their trace, in series.
 */
export type FilterTaker = 'lists' | 'series' | 'facets' | 'monitors' | 'events'

/** Numbers of a trace that a list is sorted and bounded by. */
export type BoundedMeasure = 'duration_ms' | 'total_tokens' | 'step_count' | 'cost_usd'

interface TraceFilter {
  /**
   * How its text is parsed. `number` is a whole number, and `value` is any number. `cluster` is an id or `none`, and
   * `metric` a name: their traces are looked up, because rows do not store them. `texts` are texts by key; in a query
   * each key is a parameter, such as `argument.city`. `time` is milliseconds since 1970 UTC inside the service.
   */
  readonly type: 'text' | 'texts' | 'choice' | 'boolean' | 'number' | 'value' | 'cluster' | 'metric' | 'time'
  readonly choices?: readonly string[]
  /** It is about one step, not about the trace. */
  readonly ofStep?: true
  /** For `text`, `texts` and `metric`. */
  readonly maxLength?: number
  /**
   * For `text` and `choice`: it may have several values, and a trace must have one of them. It also has a negation,
   * such as `not_model`: a trace must have none of them.
   */
  readonly many?: true
  /** The measure of a trace that it bounds, and on which side. The bound itself matches. */
  readonly bounds?: { readonly measure: BoundedMeasure | StepMeasure; readonly side: 'min' | 'max' }
  /** In the OpenAPI document. */
  readonly description: string
  /** In the dashboard. */
  readonly label: string
  readonly takenBy: readonly FilterTaker[]
}

const WATCHED = ['lists', 'series', 'monitors'] as const
const SUGGESTED = ['lists', 'series', 'facets', 'monitors'] as const
const OF_EVENTS = [...SUGGESTED, 'events'] as const

const OWN_FILTERS = {
  status: choice(TRACE_STATUSES, 'Status', 'Traces with this status.'),
  flagged: yesOrNo('Flagged', 'Traces that are flagged (`true`) or not flagged (`false`).', WATCHED),
  growing: yesOrNo('Growing', 'Traces of which more may come (`true`) or that are complete (`false`).', WATCHED),
  recovered_errors: yesOrNo(
    'Recovered errors',
    'Traces that are `ok` although steps of them failed (`true`), or all others (`false`).',
    WATCHED,
  ),
  run_type: valuesOf('Run type', 'Traces of exactly this run category.', OF_EVENTS, SLUG_LENGTH),
  model: valuesOf('Model', 'Traces with a step that used exactly this model.', OF_EVENTS),
  error_type: valuesOf('Error type', 'Traces with a step whose error has exactly this type.', SUGGESTED),
  finding: choice(
    ['any', ...FINDING_KINDS],
    'Finding',
    'Traces with a finding of this kind, or `any`: see `finding_kinds` of a trace.',
  ),
  name: valuesOf('Name', 'Traces with exactly this name.', SUGGESTED),
  session_id: valuesOf('Session', 'Traces of this session.', SUGGESTED),
  user_id: valuesOf('User', 'Traces that ran for this user.', SUGGESTED),
  tag: valuesOf('Tag', 'Traces with this tag: a text in the list `tags` of their metadata.', WATCHED),
  min_duration_ms: bound('min', 'duration_ms', 'Duration', 'that took at least this long, milliseconds'),
  max_duration_ms: bound('max', 'duration_ms', 'Duration', 'that took at most this long, milliseconds'),
  min_total_tokens: bound('min', 'total_tokens', 'Tokens', 'that used at least this many tokens'),
  max_total_tokens: bound('max', 'total_tokens', 'Tokens', 'that used at most this many tokens'),
  min_step_count: bound('min', 'step_count', 'Steps', 'with at least this many steps'),
  max_step_count: bound('max', 'step_count', 'Steps', 'with at most this many steps'),
  min_cost_usd: costBound('min', 'Cost at least', 'at least'),
  max_cost_usd: costBound('max', 'Cost at most', 'at most'),
  cluster: {
    type: 'cluster',
    description:
      'Traces of this cluster; no traces if the cluster does not exist. `none`: traces that arrived since the discovery and fit none.',
    label: 'Cluster',
    takenBy: WATCHED,
  },
  without_metric: ofMetric(
    'Without metric',
    'Traces without an event of this metric, neither on the trace nor on a step of it; all traces if the metric does not exist.',
  ),
  metric: ofMetric(
    'Metric',
    'Traces with an event of this metric, on the trace or on a step of it; no traces if the metric does not exist. The filters by a value apply to the same event.',
  ),
  passed: yesOrNo('Passed', eventOf('a boolean metric that has this value'), WATCHED),
  min_value: eventValue('Value at least', 'at least'),
  max_value: eventValue('Value at most', 'at most'),
  option: {
    type: 'text',
    maxLength: METRIC_NAME_LENGTH,
    description: eventOf('an enum metric that has this option'),
    label: 'Option',
    takenBy: WATCHED,
  },
  event_start_time: eventTime('Event from', 'is this time or later'),
  event_end_time: eventTime('Event before', 'is before this time'),
  ...STEP_FILTER_ROWS,
} as const satisfies Readonly<Record<string, TraceFilter>>

function choice<const Choice extends string>(choices: readonly Choice[], label: string, description: string) {
  return { type: 'choice', choices, description, label, takenBy: WATCHED } as const
}

function yesOrNo<const Takers extends readonly FilterTaker[]>(label: string, description: string, takenBy: Takers) {
  return { type: 'boolean', description, label, takenBy } as const
}

function valuesOf<const Takers extends readonly FilterTaker[]>(
  label: string,
  description: string,
  takenBy: Takers,
  maxLength = NAME_LENGTH,
) {
  return { type: 'text', many: true, maxLength, description, label, takenBy } as const
}

function bound<const Side extends 'min' | 'max', const Measure extends BoundedMeasure>(
  side: Side,
  measure: Measure,
  label: string,
  which: string,
) {
  const description = `Traces ${which}.${measure === 'duration_ms' ? ' A trace of unknown duration does not match.' : ''}`
  const words = side === 'min' ? 'at least' : 'at most'
  return {
    type: 'number',
    bounds: { measure, side },
    description,
    label: `${label} ${words}`,
    takenBy: WATCHED,
  } as const
}

function costBound<const Side extends 'min' | 'max'>(side: Side, label: string, words: string) {
  const description = `Traces that cost ${words} this at current prices, US dollars. A trace without a cost does not match.`
  return { type: 'value', bounds: { measure: 'cost_usd', side }, description, label, takenBy: WATCHED } as const
}

function ofMetric(label: string, description: string) {
  return { type: 'metric', maxLength: METRIC_NAME_LENGTH, description, label, takenBy: WATCHED } as const
}

function eventOf(words: string): string {
  return `Traces with an event of ${words}; of \`metric\` if given.`
}

function eventValue(label: string, words: string) {
  const description = eventOf(`a numeric metric of ${words} this value`)
  return { type: 'value', description, label, takenBy: WATCHED } as const
}

function eventTime(label: string, words: string) {
  const description = `Traces with an event whose \`at\` ${words}: RFC 3339, or a date for its midnight UTC; of \`metric\` if given.`
  return { type: 'time', description, label, takenBy: ['lists', 'series'] } as const
}

type Own = typeof OWN_FILTERS
type ManyName = { [Name in keyof Own]: Own[Name] extends { readonly many: true } ? Name : never }[keyof Own]
/** The filters that leave out what their own filter finds. There is nothing to suggest for them in particular. */
export type NegationName = `not_${ManyName}`
type NegationOf<Row extends TraceFilter> = Omit<Row, 'takenBy'> & {
  readonly takenBy: readonly Exclude<Row['takenBy'][number], 'facets'>[]
}
type Table = Own & { readonly [Name in ManyName as `not_${Name}`]: NegationOf<Own[Name]> }

/** By their names on the wire, in the order of documentation and checks. */
export const TRACE_FILTERS = Object.fromEntries(
  Object.entries<TraceFilter>(OWN_FILTERS).flatMap(([name, filter]) =>
    filter.many === true
      ? [[name, filter] as const, [`not_${name}`, toNegation(name, filter)] as const]
      : [[name, filter] as const],
  ),
) as unknown as Table

function toNegation(name: string, filter: TraceFilter): TraceFilter {
  return {
    ...filter,
    description: `All ${filter.ofStep === true ? 'steps' : 'traces'} but those that \`${name}\` finds.`,
    label: `${filter.label} is not`,
    takenBy: filter.takenBy.filter((taker) => taker !== 'facets'),
  }
}

export type FilterName = keyof Table
/** A cluster, or traces that fit none. */
export type ClusterFilter = ClusterId | typeof NO_CLUSTER
export const NO_CLUSTER = 'none'

export type FilterNameOf<Taker extends FilterTaker> = {
  [Name in FilterName]: Taker extends Table[Name]['takenBy'][number] ? Name : never
}[FilterName]

/** The type of a filter's parsed value. */
type ValueOf<Row> = Row extends { readonly type: 'choice'; readonly choices: readonly (infer Choice)[] }
  ? Choice | (Row extends { readonly many: true } ? readonly Choice[] : never)
  : Row extends { readonly type: 'boolean' }
    ? boolean
    : Row extends { readonly type: 'number' | 'value' }
      ? number
      : Row extends { readonly type: 'cluster' }
        ? ClusterFilter
        : Row extends { readonly type: 'texts' }
          ? Texts
          : Row extends { readonly many: true }
            ? string | readonly string[]
            : string

/** Texts by key, each with one value or several. */
export type Texts = Readonly<Record<string, string | readonly string[]>>

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** The filters by their names on the wire; an absent filter matches everything. */
export type WireFilters<Name extends FilterName = FilterName> = { -readonly [N in Name]?: ValueOf<Table[N]> }

/** The filters by a time. */
export type TimeFilterName = {
  [Name in FilterName]: Table[Name] extends { readonly type: 'time' } ? Name : never
}[FilterName]

/** The same inside the service; null matches everything. */
export type FilterValues<Name extends FilterName = FilterName> = {
  readonly [N in Name as CamelCase<N>]: (N extends TimeFilterName ? number : ValueOf<Table[N]>) | null
}

/** The filters of `Taker`. */
export type TraceFilters<Taker extends FilterTaker> = FilterValues<FilterNameOf<Taker>>

/** Filters by clusters and metric events, which rows do not store. */
const SCORED = ['metric', 'passed', 'min_value', 'max_value', 'option', 'event_start_time', 'event_end_time'] as const
const LOOKED_UP = ['cluster', 'without_metric', ...SCORED] as const
type LookedUpFilterName = (typeof LOOKED_UP)[number]

/** Filters of steps. */
export type StepFilterName = {
  [Name in FilterName]: Table[Name] extends { readonly ofStep: true } ? Name : never
}[FilterName]
export type StepFilters = FilterValues<StepFilterName>

/** Filters on the row itself, without filters that are looked up elsewhere and those of steps. */
export type RowFilterName = Exclude<FilterName, LookedUpFilterName | StepFilterName>
export type RowFilters = FilterValues<RowFilterName>

/** Filters by the bound of a number. */
export type BoundFilterName = {
  [Name in FilterName]: Table[Name] extends { readonly bounds: object } ? Name : never
}[FilterName]

const NAMES = Object.keys(TRACE_FILTERS) as FilterName[]

export function filtersTakenBy<Taker extends FilterTaker>(taker: Taker): readonly FilterNameOf<Taker>[] {
  return NAMES.filter((name) => (TRACE_FILTERS[name] as TraceFilter).takenBy.includes(taker)) as FilterNameOf<Taker>[]
}

/** `session_id` is `sessionId` inside the service. */
export function filterKey<Name extends FilterName>(name: Name): CamelCase<Name> {
  return (KEYS.get(name) ?? toCamelCase(name)) as CamelCase<Name>
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

/** Keys are read for each filter of each monitor. */
const KEYS: ReadonlyMap<string, string> = new Map(NAMES.map((name) => [name, toCamelCase(name)]))

/** The type of a filter, typed widely: code over all filters compiles whichever types there are. */
export function filterType(name: FilterName): TraceFilter['type'] {
  return TRACE_FILTERS[name].type
}

/** The name of its negation; null when it has none. */
export function negationOf(name: FilterName): NegationName | null {
  const negation = `not_${name}`
  return negation in TRACE_FILTERS ? (negation as NegationName) : null
}

/** Of a negation the filter whose values it leaves out, of others themselves. */
export function ownFilter(name: FilterName): FilterName {
  return name.startsWith('not_') ? (name.slice(4) as FilterName) : name
}

/** Whether it takes several values. */
export function takesMany(name: FilterName): boolean {
  return (TRACE_FILTERS[name] as TraceFilter).many === true
}

type FilterValue = string | boolean | number

/** The value of one filter; a list of at least two when it has several, null when it is not set. */
export function filterValue(filters: object, name: FilterName): FilterValue | readonly string[] | null {
  return (filters as Readonly<Record<string, FilterValue | readonly string[] | null>>)[filterKey(name)] ?? null
}

/** The values of one filter; a trace needs one of them. Empty if the filter is not set. */
export function filterValues(filters: object, name: FilterName): readonly FilterValue[] {
  const value = filterValue(filters, name)
  return value === null ? [] : typeof value === 'object' ? value : [value]
}

/** The values by key of a filter of `texts`. */
export function filterTexts(filters: object, name: FilterName): readonly (readonly [string, readonly string[]])[] {
  const texts = ((filters as Readonly<Record<string, unknown>>)[filterKey(name)] ?? {}) as Texts
  return Object.entries(texts).map(([key, value]) => [key, typeof value === 'string' ? [value] : value])
}

const STEP_FILTERS = NAMES.filter(
  (name): name is StepFilterName => (TRACE_FILTERS[name] as TraceFilter).ofStep === true,
)

/** The same filters without those of steps. */
export function withoutStepFilters<Filters extends object>(filters: Filters): Filters {
  return { ...filters, ...Object.fromEntries(STEP_FILTERS.map((name) => [filterKey(name), null])) }
}

/** Those among filters that are about one step; null if none is set. */
export function stepFilters(filters: object): Partial<StepFilters> | null {
  const entries = STEP_FILTERS.map((name) => [filterKey(name), filterValue(filters, name)] as const)
  const set = entries.filter(([, value]) => value !== null)
  return set.length === 0 ? null : Object.fromEntries(set)
}

const BOUND_FILTERS = NAMES.filter((name): name is BoundFilterName => 'bounds' in TRACE_FILTERS[name])

/** That a number of a trace or step lies on one side of a bound, or is equal to it. */
export interface Bound<Measure> {
  readonly measure: Measure
  readonly side: 'min' | 'max'
  readonly value: number
}

export type TraceBound = Bound<BoundedMeasure>

/** The bounds of traces among filters. */
export function traceBounds(filters: object): readonly TraceBound[] {
  return boundsAmong(filters, false) as readonly TraceBound[]
}

/** The bounds of steps among filters. */
export function stepBoundsAmong(filters: object): readonly Bound<StepMeasure>[] {
  return boundsAmong(filters, true) as readonly Bound<StepMeasure>[]
}

function boundsAmong(filters: object, areOfSteps: boolean): readonly Bound<string>[] {
  return BOUND_FILTERS.flatMap((name) => {
    const value = filterValue(filters, name)
    if (value === null || areOfSteps !== 'ofStep' in TRACE_FILTERS[name]) return []
    return [{ ...TRACE_FILTERS[name].bounds, value: value as number }]
  })
}

/**
 * Whether some of them depend on clusters, metric events or prices, which change without a commit of the trace, or on
 * words, which are looked up in steps.
 */
export function dependOnMoreThanRows(filters: { readonly text?: string | null }): boolean {
  return (
    (filters.text ?? null) !== null ||
    LOOKED_UP.some((name) => filterValue(filters, name) !== null) ||
    [...traceBounds(filters), ...stepBoundsAmong(filters)].some(({ measure }) => measure.endsWith('cost_usd'))
  )
}

/** Converts filters that have passed their schema. */
export function toTraceFilters<Taker extends FilterTaker>(taker: Taker, given: object): TraceFilters<Taker> {
  const values = given as Readonly<Record<string, unknown>>
  const entries = filtersTakenBy(taker).map((name) => [filterKey(name), toValue(values[name])])
  return Object.fromEntries(entries) as TraceFilters<Taker>
}

/** A list of one value means that value. */
function toValue(given: unknown): unknown {
  return (Array.isArray(given) && given.length === 1 ? given[0] : given) ?? null
}

/** Converts the filters that are set. */
export function fromTraceFilters<Taker extends FilterTaker>(
  taker: Taker,
  filters: TraceFilters<Taker>,
): WireFilters<FilterNameOf<Taker>> {
  const entries = filtersTakenBy(taker).map((name) => [name, toWire(name, filterValue(filters, name))])
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as WireFilters<FilterNameOf<Taker>>
}

function toWire(name: FilterName, value: ReturnType<typeof filterValue>): typeof value {
  return filterType(name) === 'time' && typeof value === 'number' ? new Date(value).toISOString() : value
}
