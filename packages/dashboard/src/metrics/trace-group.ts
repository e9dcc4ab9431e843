import type { FeedQuery } from '@spoor/contract/schemas/feed-query'

/** What is behind it in a `group_by` is a key of the metadata. */
export const METADATA_GROUP = 'metadata.'

/** The filter of the feed for a group of a series; null when the feed has none: for traces without the value, and for values that stand as a hash. */
export function filterOfGroup(groupBy: string, group: string | null): FeedQuery | null {
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
