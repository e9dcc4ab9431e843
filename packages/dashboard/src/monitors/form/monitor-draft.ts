import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type {
  Monitor,
  MonitorCreate,
  MonitorFilters,
  MonitorPatch,
  MonitorSource,
} from '@spoor/contract/schemas/monitor'
import { type MonitorMeasure, monitorMeasures } from '@spoor/contract/aggregations'
import { EVENT_GROUP_FIELDS } from '@spoor/contract/series-fields'
import { toNumber } from '../../lib/typed-number.ts'
import type { FeedSearch, MetadataFilter } from '../../traces/filters/search.ts'
import { isShare } from '../monitor-words.ts'
import { ofMetric, ofTraces } from './allowed-aggregations.ts'
import { groupFields, METADATA_GROUP, METRIC_GROUP } from '../../explore/groups.ts'
import type { MonitorSearch } from '../search.ts'

export const WINDOW_UNITS = { s: 1, min: 60, h: 3600, d: 86_400 } as const
export type WindowUnit = keyof typeof WINDOW_UNITS

export interface MonitorDraft {
  readonly name: string
  readonly kind: MonitorSource['kind']
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
  /** As in the address of the list of traces. */
  readonly filters: FeedSearch
  /** Who sent the events; '' is anybody. */
  readonly eventSource: NonNullable<MonitorFilters['source']> | ''
  /** As in the API; '' is none. */
  readonly forEach: NonNullable<Monitor['for_each']> | ''
}

export function newMonitorDraft({
  metric,
  measure = 'error_rate',
  aggregation = metric === undefined ? (ofTraces(measure)[0] ?? 'avg') : 'pass_rate',
  for_each: forEach = '',
  steps,
  filters = {},
}: MonitorSearch): MonitorDraft {
  return {
    name: '',
    kind: metric !== undefined ? 'metric' : steps === true ? 'steps' : 'traces',
    metric: metric ?? '',
    measure,
    option: '',
    aggregation,
    window: '1',
    windowUnit: 'h',
    comparison: 'gt',
    threshold: '',
    resolveThreshold: '',
    minSamples: '1',
    consecutive: '1',
    noData: 'hold',
    filters,
    eventSource: '',
    forEach: forEach as MonitorDraft['forEach'],
  }
}

export function draftOfMonitor(monitor: Monitor): MonitorDraft {
  const { source, filters } = monitor
  const { metadata = {}, source: eventSource = '', ...fields } = filters
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
    filters: { ...fields, ...(Object.keys(metadata).length === 0 ? {} : { meta: toMetadataFilters(metadata) }) },
    eventSource,
    forEach: monitor.for_each ?? '',
  }
}

/** The choices for a source; all while its metric is not loaded. */
export function allowedAggregations(
  { kind, measure }: MonitorDraft,
  metric: Metric | undefined,
): readonly Monitor['aggregation'][] {
  if (kind !== 'metric') return ofTraces(measure)
  return metric === undefined ? [] : ofMetric(metric.kind)
}

/** Fields whose values can be watched each by itself, besides keys of the metadata. */
export function forEachFields(
  kind: MonitorDraft['kind'],
  metrics: readonly Metric[],
): readonly { readonly value: string; readonly label: string }[] {
  if (kind !== 'metric') return groupFields(kind, metrics)
  const watched: readonly string[] = EVENT_GROUP_FIELDS
  const isWatched = (field: string) => watched.includes(field) || field.startsWith(METRIC_GROUP)
  return [
    ...groupFields('traces', metrics).filter(({ value }) => isWatched(value)),
    { value: 'source', label: 'Source' },
  ]
}

/** Drops or replaces values that the source does not support. */
export function fitToSource(given: MonitorDraft, metric: Metric | undefined): MonitorDraft {
  const isMeasure = given.kind === 'metric' || monitorMeasures(given.kind).includes(given.measure)
  const draft = isMeasure ? given : { ...given, measure: 'error_rate' as const }
  const allowed = allowedAggregations(draft, metric)
  const aggregation = allowed.includes(draft.aggregation) ? draft.aggregation : (allowed[0] ?? draft.aggregation)
  const options = draft.kind === 'metric' ? (metric?.options ?? []) : []
  const isKnown = options.some(({ value }) => value === draft.option)
  const groups = forEachFields(draft.kind, []).map(({ value }) => value)
  const isGroup = [METADATA_GROUP, METRIC_GROUP].some((of) => draft.forEach.startsWith(of))
  return {
    ...draft,
    forEach: isGroup || groups.includes(draft.forEach) ? draft.forEach : '',
    aggregation,
    option: isKnown ? draft.option : (options[0]?.value ?? ''),
  }
}

/** The same; a threshold of a share can also be a percentage. */
export function toThreshold(text: string, isOfShare: boolean): number {
  const percentage = isOfShare ? /^\s*([\d.,]+)\s*%\s*$/.exec(text)?.[1] : undefined
  if (percentage === undefined) return toNumber(text)
  const value = toNumber(percentage)
  return typeof value === 'number' ? Number((value / 100).toPrecision(15)) : toNumber(text)
}

/** Metadata of a monitor as filters of the list. */
export function toMetadataFilters(metadata: NonNullable<MonitorFilters['metadata']>): readonly MetadataFilter[] {
  return Object.entries(metadata).map(([key, value]) =>
    value === null ? [key] : [key, typeof value === 'string' ? value : JSON.stringify(value)],
  )
}

function toFilters({ kind, filters, eventSource }: MonitorDraft): MonitorFilters {
  const { meta = [], ...fields } = filters
  const pairs = meta.map(([key, value]) => [key, value ?? null] as const)
  return {
    ...fields,
    ...(kind === 'metric' && eventSource !== '' ? { source: eventSource } : {}),
    ...(pairs.length === 0 ? {} : { metadata: Object.fromEntries(pairs) }),
  }
}

function toSource({ kind, metric, measure, option, aggregation }: MonitorDraft): MonitorSource {
  if (kind !== 'metric') return { kind, measure }
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
    for_each: draft.forEach === '' ? null : draft.forEach,
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
  return (kind !== 'metric' || metric !== '') && threshold.trim() !== '' && window.trim() !== ''
}

export interface DraftFieldsProps {
  readonly draft: MonitorDraft
  set(change: Partial<MonitorDraft>): void
}
