import type { FeedQuery } from '@spoor/contract/schemas/traces/feed-query'
import type { MetricEventQuery } from '@spoor/contract/schemas/metrics/metric-event-query'

type GroupFilter = Pick<FeedQuery, 'run_type' | 'model' | 'name' | 'status' | 'meta_key' | 'meta_value'>

const METRIC_SOURCES = ['human', 'code', 'llm'] as const

/** What is behind it in a `group_by` is a key of the metadata. */
export const METADATA_GROUP = 'metadata.'

/**
 * The filter of the feed for a group of a series; null when the feed has none: for traces without the value, and for
 * values that stand as a hash.
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

/** The filter of the list of metric events for a group of a metric's series; null as above. */
export function eventFilterOfGroup(groupBy: string, group: string | null): EventGroupFilter | null {
  if (groupBy !== 'source') return filterOfGroup(groupBy, group) as EventGroupFilter | null
  const source = METRIC_SOURCES.find((one) => one === group)
  return source === undefined ? null : { source }
}

/** The same as the URL of the feed says it. */
export function feedSearchOf({ meta_key: keys, meta_value: values, ...others }: GroupFilter) {
  if (keys === undefined || values === undefined) return others
  return { ...others, meta: keys.map((key, index) => [key, values[index] ?? ''] as const) }
}
