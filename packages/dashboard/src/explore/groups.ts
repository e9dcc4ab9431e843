import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { SERIES_FIELD_NAMES, SERIES_FIELDS, type SeriesFieldName, type SeriesRows } from '@spoor/contract/series-fields'
import type { FeedFilter } from '../traces/filters/feed-filters.ts'
import type { FilterField } from '../traces/filters/search.ts'

/** Prefix of a `group_by` on a metadata key. */
export const METADATA_GROUP = 'metadata.'
export const METRIC_GROUP = 'metric.'

interface GroupField {
  /** As in the API. */
  readonly value: string
  readonly label: string
  /** The filter that finds the rows of a group. */
  readonly filter: FilterField
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

/** What the rows of a series are grouped by, besides metrics and keys of the metadata; their own fields come first. */
export const GROUP_FIELDS: Readonly<Record<SeriesRows, readonly GroupField[]>> = {
  traces: fieldsOf('traces', SERIES_FIELD_NAMES),
  steps: fieldsOf('steps', [...ofSteps, ...SERIES_FIELD_NAMES.filter((name) => !ofSteps.includes(name))]),
}

/** The fields with those of metrics that have groups. */
export function groupFields(rows: SeriesRows, metrics: readonly Metric[]): readonly Omit<GroupField, 'filter'>[] {
  const grouping = metrics.filter(({ kind }) => kind !== 'numeric')
  return [
    ...GROUP_FIELDS[rows],
    ...grouping.map(({ name }) => ({ value: METRIC_GROUP + name, label: `Metric ${name}` })),
  ]
}

/** The label of a field, for titles. */
export function groupFieldLabel(rows: SeriesRows, field: string): string {
  const known = GROUP_FIELDS[rows].find(({ value }) => value === field)?.label.toLowerCase()
  return known ?? field.replace(/^(metadata|metric)[.]/, '')
}

/** The filter of a group; null if there is none: for rows without the value, and for values that are hashed. */
export function filterOfGroup(rows: SeriesRows, groupBy: string, group: string | null): FeedFilter | null {
  if (group === null || group === '' || group.startsWith('sha256:')) return null
  if (groupBy.startsWith(METADATA_GROUP)) {
    return { kind: 'metadata', key: groupBy.slice(METADATA_GROUP.length), value: group }
  }
  const field = GROUP_FIELDS[rows].find(({ value }) => value === groupBy)?.filter
  return field === undefined ? null : { kind: 'field', field, value: group }
}

/** The filters of a group of one or two fields; null if a value has none. `groups`: as grouped by these fields. */
export function filtersOfGroups(
  rows: SeriesRows,
  groupBy: readonly string[],
  groups: readonly (string | null)[],
): readonly FeedFilter[] | null {
  const found = groupBy.map((field, at): readonly FeedFilter[] | null => {
    const group = groups[at] ?? null
    if (field.startsWith(METRIC_GROUP) && group !== null) {
      const value = field.slice(METRIC_GROUP.length)
      const isBoolean = group === 'true' || group === 'false'
      return [
        { kind: 'field', field: 'metric', value },
        { kind: 'field', field: isBoolean ? 'passed' : 'option', value: group },
      ]
    }
    const filter = filterOfGroup(rows, field, group)
    return filter === null ? null : [filter]
  })
  return found.includes(null) ? null : found.flatMap((filters) => filters ?? [])
}
