import { CLUSTER_WINDOW_HOURS_MAX } from '@spoor/contract/limits'
import { useNavigate } from '@tanstack/react-router'
import { Shapes } from 'lucide-react'
import { CLUSTERS_KEY, discoverClusters } from '../api/clusters.ts'
import { LAST_RANGES } from '../lib/time-range.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toViewBody } from '../traces/views/view-search.ts'
import { Button } from '../ui/button.tsx'
import { useAction } from '../ui/use-action.ts'

const MINUTES_PER_HOUR = 60

/** Discovers clusters among the traces that the query finds, and shows them. Without a filter there is no button. */
export function ClusterButton({ search }: { search: FeedSearch }) {
  const navigate = useNavigate()
  const { sort: _sort, order: _order, ...filters } = toViewBody(search).query
  const { range } = search
  const minutes = range === undefined || range === 'all' ? Infinity : LAST_RANGES[range]
  const hours = Math.min(CLUSTER_WINDOW_HOURS_MAX, Math.ceil(minutes / MINUTES_PER_HOUR))
  const starting = useAction(() => discoverClusters({ filters, window_hours: hours }), {
    refresh: [CLUSTERS_KEY],
    onDone: ({ selection_id }) =>
      void navigate({ to: '/app/clusters', search: selection_id === null ? {} : { selection: selection_id } }),
  })
  if (Object.keys(filters).length === 0) return null
  return (
    <Button
      icon={Shapes}
      title="Group these traces by what their users asked for"
      disabled={starting.isPending}
      onClick={() => starting.mutate()}
    >
      Clusters
    </Button>
  )
}
