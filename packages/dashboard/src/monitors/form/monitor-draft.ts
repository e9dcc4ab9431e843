import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type {
  Monitor,
  MonitorCreate,
  MonitorFilters,
  MonitorPatch,
  MonitorSource,
} from '@spoor/contract/schemas/monitor'
import {
  type FilterNameOf,
  filtersTakenBy,
  filterType,
  takesMany,
  TRACE_ONLY_FILTERS,
} from '@spoor/contract/trace-filters'
import type { MonitorMeasure } from '@spoor/contract/aggregations'
import { parseJson } from '../../lib/parse-json.ts'
import { toNumber } from '../../lib/typed-number.ts'
import { isShare } from '../monitor-words.ts'
import { ofMetric, ofTraces } from './allowed-aggregations.ts'
import type { MonitorSearch } from '../search.ts'

export const WINDOW_UNITS = { s: 1, min: 60, h: 3600, d: 86_400 } as const
export type WindowUnit = keyof typeof WINDOW_UNITS

export interface MetadataRow {
  /** Identifies a row while it is edited. */
  readonly id: number
  readonly key: string
  /** JSON, or else plain text; empty for any value. */
  readonly value: string
}

export interface MonitorDraft {
  readonly name: string
  readonly kind: 'metric' | 'traces'
  readonly metric: string
  readonly measure: MonitorMeasure
  readonly option: string
  readonly aggregation: Monitor['aggregation']
  readonly window: string
  readonly windowUnit: WindowUnit
  readonly comparison: Monitor['comparison']
  readonly threshold: string
  readonly resolveThreshold: string
  readonly minSamples: string
  readonly consecutive: string
  readonly noData: Monitor['no_data']
  /** Filters other than metadata, by API name; '' is none. */
  readonly filters: Readonly<Record<FilterName, string>>
  readonly metadata: readonly MetadataRow[]
}

const OF_EVENTS = filtersTakenBy('events')
export type FilterName = FilterNameOf<'monitors'> | 'source'

export const FILTERS_OF = {
  metric: [...OF_EVENTS, 'source'],
  traces: [...OF_EVENTS, ...TRACE_ONLY_FILTERS],
} satisfies Record<MonitorDraft['kind'], readonly FilterName[]>

const NO_FILTERS = Object.fromEntries(
  [...filtersTakenBy('monitors'), 'source' as const].map((name) => [name, '']),
) as Record<FilterName, string>

export function newMonitorDraft({
  metric,
  measure = 'error_rate',
}: Pick<MonitorSearch, 'metric' | 'measure'>): MonitorDraft {
  return {
    name: '',
    kind: metric === undefined ? 'traces' : 'metric',
    metric: metric ?? '',
    measure,
    option: '',
    aggregation: metric === undefined ? (ofTraces(measure)[0] ?? 'avg') : 'pass_rate',
    window: '1',
    windowUnit: 'h',
    comparison: 'gt',
    threshold: '',
    resolveThreshold: '',
    minSamples: '1',
    consecutive: '1',
    noData: 'hold',
    filters: NO_FILTERS,
    metadata: [],
  }
}

export function draftOfMonitor(monitor: Monitor): MonitorDraft {
  const { source, filters } = monitor
  const { metadata = {}, ...fields } = filters
  const units = Object.entries(WINDOW_UNITS) as [WindowUnit, number][]
  const [unit, seconds] = units.findLast(([, each]) => monitor.window_seconds % each === 0) ?? ['s', 1]
  return {
    name: monitor.name,
    kind: source.kind,
    metric: source.metric ?? '',
    measure: source.measure ?? 'error_rate',
    option: source.option ?? '',
    aggregation: monitor.aggregation,
    window: String(monitor.window_seconds / seconds),
    windowUnit: unit,
    comparison: monitor.comparison,
    threshold: String(monitor.threshold),
    resolveThreshold: monitor.resolve_threshold === null ? '' : String(monitor.resolve_threshold),
    minSamples: String(monitor.min_samples),
    consecutive: String(monitor.consecutive),
    noData: monitor.no_data,
    filters: { ...NO_FILTERS, ...toTexts(fields) },
    metadata: Object.entries(metadata).map(([key, value], id) => ({
      id,
      key,
      value: value === null ? '' : JSON.stringify(value),
    })),
  }
}

/** The choices for a source; all while its metric is not loaded. */
export function allowedAggregations(
  { kind, measure }: MonitorDraft,
  metric: Metric | undefined,
): readonly Monitor['aggregation'][] {
  if (kind === 'traces') return ofTraces(measure)
  return metric === undefined ? [] : ofMetric(metric.kind)
}

/** Drops or replaces values that the source does not support. */
export function fitToSource(draft: MonitorDraft, metric: Metric | undefined): MonitorDraft {
  const allowed = allowedAggregations(draft, metric)
  const aggregation = allowed.includes(draft.aggregation) ? draft.aggregation : (allowed[0] ?? draft.aggregation)
  const options = draft.kind === 'metric' ? (metric?.options ?? []) : []
  const isKnown = options.some(({ value }) => value === draft.option)
  return { ...draft, aggregation, option: isKnown ? draft.option : (options[0]?.value ?? '') }
}

/** The same; a threshold of a share can also be a percentage. */
export function toThreshold(text: string, isOfShare: boolean): number {
  const percentage = isOfShare ? /^\s*([\d.,]+)\s*%\s*$/.exec(text)?.[1] : undefined
  if (percentage === undefined) return toNumber(text)
  const value = toNumber(percentage)
  return typeof value === 'number' ? Number((value / 100).toPrecision(15)) : toNumber(text)
}

function toMetadataValue(text: string): string | number | boolean | null {
  if (text === '') return null
  const value = parseJson(text)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : text
}

function toTexts(fields: object): Partial<Record<FilterName, string>> {
  const toText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toText(value)]))
}

/** Several values are typed as a list in JSON: `["a", "b"]`, arguments as an object: `{"city": "Bern"}`. */
function toFilterValue(name: FilterName, text: string): unknown {
  if (name === 'source') return text
  if (filterType(name) === 'boolean') return text === 'true'
  if (filterType(name) === 'texts') return parseJson(text) ?? text
  const list = takesMany(name) ? parseJson(text) : undefined
  return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : text
}

function toFilters({ kind, filters, metadata }: MonitorDraft): MonitorFilters {
  const fields = FILTERS_OF[kind].flatMap((name) =>
    filters[name] === '' ? [] : [[name, toFilterValue(name, filters[name])] as const],
  )
  const pairs = metadata.flatMap(({ key, value }) => (key === '' ? [] : [[key, toMetadataValue(value)] as const]))
  return {
    ...(Object.fromEntries(fields) as MonitorFilters),
    ...(pairs.length === 0 ? {} : { metadata: Object.fromEntries(pairs) }),
  }
}

function toSource({ kind, metric, measure, option, aggregation }: MonitorDraft): MonitorSource {
  if (kind === 'traces') return { kind, measure }
  return { kind, metric, ...(aggregation === 'share' ? { option } : {}) }
}

/** All fields, so that an update also clears the emptied ones. */
export function toMonitor(draft: MonitorDraft): Required<Omit<MonitorCreate, 'enabled'>> {
  const counts = draft.aggregation === 'count'
  const window = toNumber(draft.window)
  const source = toSource(draft)
  const ofShare = isShare({ source, aggregation: draft.aggregation })
  return {
    name: draft.name,
    source,
    filters: toFilters(draft),
    aggregation: draft.aggregation,
    window_seconds: typeof window === 'number' ? window * WINDOW_UNITS[draft.windowUnit] : window,
    comparison: draft.comparison,
    threshold: toThreshold(draft.threshold, ofShare),
    resolve_threshold: draft.resolveThreshold === '' ? null : toThreshold(draft.resolveThreshold, ofShare),
    min_samples: counts ? 1 : toNumber(draft.minSamples),
    consecutive: toNumber(draft.consecutive),
    no_data: counts ? 'hold' : draft.noData,
  }
}

/** Only the changed fields, because any change except the name resets the monitor's state. Null if there are none. */
export function toMonitorPatch(draft: MonitorDraft, monitor: Monitor): MonitorPatch | null {
  const before: Record<string, unknown> = toMonitor(draftOfMonitor(monitor))
  const changed = Object.entries(toMonitor(draft)).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]),
  )
  return changed.length === 0 ? null : (Object.fromEntries(changed) as MonitorPatch)
}

export function isComplete({ kind, metric, threshold, window }: MonitorDraft): boolean {
  return (kind === 'traces' || metric !== '') && threshold.trim() !== '' && window.trim() !== ''
}

export interface DraftFieldsProps {
  readonly draft: MonitorDraft
  set(change: Partial<MonitorDraft>): void
}
