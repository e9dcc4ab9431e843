import { useQuery } from '@tanstack/react-query'
import { traceRowQuery } from '../../api/trace.ts'
import { formatSteps } from '../../lib/format-number.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { Badge } from '../../ui/badge.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ClusterMark } from '../cluster-mark.tsx'
import type { MapCluster } from './map-content.ts'
import type { Place } from './map-points.ts'
import type { Size } from './view.ts'

interface MapTooltipProps {
  readonly traceId: string
  readonly cluster: MapCluster
  readonly at: Place
  readonly size: Size
}

const DELAY_MS = 120

/** Shows the cluster of the hovered point at once, and the trace's name after a delay. */
export function MapTooltip({ traceId, cluster, at, size }: MapTooltipProps) {
  const settled = useDebounced(traceId, DELAY_MS, '')
  const { data: row, error } = useQuery({ ...traceRowQuery(traceId), enabled: settled === traceId })
  const toLeft = at.x > size.width / 2
  const up = at.y > size.height / 2
  return (
    <div
      role="tooltip"
      className="bg-raised pointer-events-none absolute z-20 w-60 max-w-[60%] space-y-1 rounded-lg border p-2.5 text-sm shadow-lg"
      style={{
        [toLeft ? 'right' : 'left']: toLeft ? size.width - at.x + 12 : at.x + 12,
        [up ? 'bottom' : 'top']: up ? size.height - at.y + 12 : at.y + 12,
      }}
    >
      <div className="min-h-5 truncate font-medium">
        {row !== undefined && <bdi>{row.name}</bdi>}
        {row === undefined && error === null && <Skeleton className="h-4 w-3/4" />}
        {error !== null && <span className="text-muted">Deleted</span>}
      </div>
      <div className="flex min-w-0 items-center gap-2">
        <ClusterMark color={cluster.color} fails={cluster.fails} />
        <bdi className="truncate">{cluster.label}</bdi>
      </div>
      <div className="text-muted flex min-h-5 items-center gap-2 text-xs">
        {row !== undefined && (
          <>
            <Badge tone={row.status === 'error' ? 'fail' : 'ok'}>{row.status}</Badge>
            <Time at={row.created_at} /> · {formatSteps(row.step_count)}
          </>
        )}
      </div>
    </div>
  )
}
