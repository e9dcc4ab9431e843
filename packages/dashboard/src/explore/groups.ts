import { SERIES_FIELD_NAMES, SERIES_FIELDS, type SeriesFieldName, type SeriesRows } from '@spoor/contract/series-fields'
import type { MetricEventQuery } from '@spoor/contract/schemas/metrics/metric-event-query'
import { METRIC_SOURCES } from '../lib/metric-sources.ts'
import type { FeedFilter } from '../traces/filters/feed-filters.ts'
import type { FilterField } from '../traces/filters/search.ts'

/** Prefix of a `group_by` on a metadata key. */
export const METADATA_GROUP = 'metadata.'

interface GroupField {
  /** As in the API. */
  readonly value: string
  readonly label: string
  /** The filter that finds the rows of a group; null if there is none. */
  readonly filter: FilterField | null
}

/** Steps have these of their own, with filters of their own. */
const OF_BOTH: readonly string[] = ['model', 'status', 'error_type'] satisfies SeriesFieldName[]

function fieldsOf(rows: SeriesRows, names: readonly SeriesFieldName[]): readonly GroupField[] {
  return names.map((value) => {
    const isOfStep = rows === 'steps' && OF_BOTH.includes(value)
    return { value, label: SERIES_FIELDS[value].label, filter: isOfStep ? (`step_${value}` as FilterField) : value }
  })
}

const isOf = (rows: SeriesRows) => (name: SeriesFieldName) =>
  (SERIES_FIELDS[name].of as readonly SeriesRows[]).includes(rows)
const ofSteps = SERIES_FIELD_NAMES.filter(isOf('steps'))

/** What the rows of a series are grouped by, besides keys of the metadata; their own fields come first. */
export const GROUP_FIELDS: Readonly<Record<'metric' | SeriesRows, readonly GroupField[]>> = {
  metric: [...fieldsOf('traces', ['run_type', 'model']), { value: 'source', label: 'Source', filter: null }],
  traces: fieldsOf('traces', SERIES_FIELD_NAMES),
  steps: fieldsOf('steps', [...ofSteps, ...SERIES_FIELD_NAMES.filter((name) => !ofSteps.includes(name))]),
}

/** The filter of a group; null if there is none: for rows without the value, and for values that are hashed. */
export function filterOfGroup(
  rows: keyof typeof GROUP_FIELDS,
  groupBy: string,
  group: string | null,
): FeedFilter | null {
  if (group === null || group === '' || group.startsWith('sha256:')) return null
  if (groupBy.startsWith(METADATA_GROUP)) {
    return { kind: 'metadata', key: groupBy.slice(METADATA_GROUP.length), value: group }
  }
  const field = GROUP_FIELDS[rows].find(({ value }) => value === groupBy)?.filter
  return field === null || field === undefined ? null : { kind: 'field', field, value: group }
}

type EventGroupFilter = Pick<MetricEventQuery, 'source' | 'run_type' | 'model' | 'meta_key' | 'meta_value'>

/** The filter of the events of a group of a metric's series; null as above. */
export function eventFilterOfGroup(groupBy: string, group: string | null): EventGroupFilter | null {
  const source = METRIC_SOURCES.find((one) => one === group)
  if (groupBy === 'source') return source === undefined ? null : { source }
  const filter = filterOfGroup('metric', groupBy, group)
  if (filter === null) return null
  return filter.kind === 'metadata'
    ? { meta_key: [filter.key], meta_value: [String(filter.value)] }
    : { [filter.field]: filter.value }
}
