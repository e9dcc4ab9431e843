import type { FeedQuery } from '@spoor/contract/schemas/traces/feed-query'
import type { MetricEventQuery } from '@spoor/contract/schemas/metrics/metric-event-query'
import { METRIC_SOURCES } from '../../lib/metric-sources.ts'

type GroupFilter = Pick<FeedQuery, 'run_type' | 'model' | 'name' | 'status' | 'meta_key' | 'meta_value'>

/** Prefix of a `group_by` on a metadata key. */
export const METADATA_GROUP = 'metadata.'

/**
 * The trace filter of a group; null if the API has none: for traces without the value, and for values that are hashed.
 */
export function filterOfGroup(groupBy: string, group: string | null): GroupFilter | null {
  if (group === null || group === '' || group.startsWith('sha256:')) return null
  if (groupBy.startsWith(METADATA_GROUP)) {
    return { meta_key: [groupBy.slice(METADATA_GROUP.length)], meta_value: [group] }
  }
  switch (groupBy) {
    case 'run_type':
      return { run_type: group }
    case 'model':
      return { model: group }
    case 'name':
      return { name: group }
    case 'status':
      return group === 'ok' || group === 'error' ? { status: group } : null
    default:
      return null
  }
}

type EventGroupFilter = Pick<MetricEventQuery, 'source' | 'run_type' | 'model' | 'meta_key' | 'meta_value'>

/** The event filter of a group of a metric's series; null as above. */
export function eventFilterOfGroup(groupBy: string, group: string | null): EventGroupFilter | null {
  if (groupBy !== 'source') return filterOfGroup(groupBy, group) as EventGroupFilter | null
  const source = METRIC_SOURCES.find((one) => one === group)
  return source === undefined ? null : { source }
}

/** The same filter as URL parameters of the trace list. */
export function feedSearchOf({ meta_key: keys, meta_value: values, ...others }: GroupFilter) {
  if (keys === undefined || values === undefined) return others
  return { ...others, meta: keys.map((key, index) => [key, values[index] ?? ''] as const) }
}
