import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { traceRowQuery } from '../api/trace.ts'
import { useDebounced } from '../lib/hooks/use-debounced.ts'
import { Badge } from '../ui/badge.tsx'
import { Skeleton } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { ClusterMark } from './cluster-mark.tsx'
import type { MapCluster } from './map/map-content.ts'

/** Rows that scroll past quickly are not loaded. */
const DELAY_MS = 80

export function SelectedTrace({ traceId, cluster }: { traceId: string; cluster: MapCluster }) {
  const settled = useDebounced(traceId, DELAY_MS, '')
  const { data: row, error } = useQuery({ ...traceRowQuery(traceId), enabled: settled === traceId })
  return (
    <Link
      to="/app/traces/$traceId"
      params={{ traceId }}
      preload={false}
      className="hover:bg-hover flex h-full items-center gap-2.5 px-4 text-sm -outline-offset-2"
    >
      <ClusterMark color={cluster.color} fails={cluster.fails} />
      <span className="min-w-0 flex-1 truncate" title={row?.name}>
        {row !== undefined && <bdi>{row.name}</bdi>}
        {row === undefined && error === null && <Skeleton className="h-4 w-40" />}
        {error !== null && <span className="text-muted font-mono text-xs">{traceId}</span>}
      </span>
      {row?.status === 'error' && <Badge tone="fail">Failed</Badge>}
      {row !== undefined && <Time at={row.created_at} className="text-muted w-20 text-right" />}
    </Link>
  )
}
