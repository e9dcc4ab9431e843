import type { ClusterMap as MapData } from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { X } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { traceRowQuery } from '../api/trace.ts'
import { formatCount, formatShare } from '../lib/format-number.ts'
import { useDebounced } from '../lib/hooks/use-debounced.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { cssColor } from './cluster-colors.ts'
import { ClusterMark } from './cluster-mark.tsx'
import { ClusterMap } from './map/cluster-map.tsx'
import { type MapCluster, countByCluster } from './map/map-content.ts'
import { type MapPoints, packPoints } from './map/map-points.ts'

interface MapPaneProps {
  readonly map: MapData
  readonly clusters: readonly MapCluster[]
  /** Traces of the run; the map may show a sample. */
  readonly traces: number
  readonly focused: string | null
  /** Fills the remaining height on wide screens. */
  readonly fills?: boolean
  /** The cluster that is shown alone until it is unpinned. */
  readonly pinned?: string | null
  onUnpin?(): void
}

export function MapPane({ map, clusters, traces, focused, fills = false, pinned = null, onUnpin }: MapPaneProps) {
  // Lists are refetched every 30 s: the same clusters are the same points.
  const ids = clusters.map(({ id }) => id).join(' ')
  const points = useMemo(() => packPoints(map.points, ids === '' ? [] : ids.split(' ')), [map, ids])
  const [selection, setSelection] = useState<{
    readonly of: typeof points
    readonly indexes: readonly number[]
  } | null>(null)
  const selected = selection !== null && selection.of === points ? selection.indexes : null
  const shownAlone = clusters.find(({ id }) => id === pinned)
  return (
    <>
      <div className={`relative h-80 shrink-0 sm:h-112 ${fills ? 'xl:h-auto xl:min-h-0 xl:flex-1' : ''}`}>
        <ClusterMap
          points={points}
          clusters={clusters}
          focused={focused}
          selected={selected}
          onSelect={(indexes) => setSelection(indexes === null ? null : { of: points, indexes })}
        />
        {shownAlone !== undefined && (
          <button
            type="button"
            onClick={() => onUnpin?.()}
            className="bg-raised hover:bg-hover absolute top-2 left-2 z-10 flex max-w-[calc(100%-4.5rem)] items-center gap-1.5 rounded-full border px-3 py-1 text-sm shadow-sm"
          >
            <span className="truncate">
              Only <bdi>{shownAlone.label}</bdi>
            </span>
            <span className="sr-only">is shown. Show all clusters.</span>
            <X className="text-muted size-3.5 shrink-0" aria-hidden />
          </button>
        )}
        <p className="text-muted bg-ground/80 pointer-events-none absolute bottom-1 left-2 rounded px-1 text-xs">
          {traces > points.count
            ? `${formatCount(points.count)} of ${formatCount(traces)} traces (sample)`
            : `${formatCount(points.count)} traces. Similar ones are close together.`}
        </p>
      </div>
      {selected !== null && (
        <SelectionPanel points={points} clusters={clusters} selected={selected} onClear={() => setSelection(null)} />
      )}
    </>
  )
}

interface SelectionPanelProps {
  readonly points: MapPoints
  readonly clusters: readonly MapCluster[]
  readonly selected: readonly number[]
  onClear(): void
}

const ROW_PIXELS = 36

function SelectionPanel({ points, clusters, selected, onClear }: SelectionPanelProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const counts = useMemo(() => countByCluster(points, selected), [points, selected])
  const rows = useVirtualizer({
    count: selected.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 4,
  })
  return (
    <section aria-label="Selected traces" className="flex h-80 shrink-0 flex-col border-t xl:h-[min(42%,24rem)]">
      <div className="flex items-center gap-2 px-4 pt-2">
        <h2 role="status" className="font-semibold">
          {formatCount(selected.length)} {selected.length === 1 ? 'trace' : 'traces'} selected
        </h2>
        <Button icon={X} variant="ghost" onClick={onClear} className="ml-auto">
          Clear
        </Button>
      </div>
      <div aria-hidden className="mx-4 flex h-2 gap-px overflow-hidden rounded-full">
        {counts.map(({ cluster, count }) => (
          <span
            key={cluster}
            style={{ flexGrow: count, backgroundColor: cssColor(clusters[cluster]!.color) }}
            className="min-w-px"
          />
        ))}
      </div>
      <ul
        aria-label="Clusters in the selection"
        className="flex max-h-20 flex-wrap gap-x-4 gap-y-0.5 overflow-y-auto px-4 py-2 text-sm"
      >
        {counts.map(({ cluster, count }) => (
          <li key={cluster} className="flex max-w-full items-center gap-1.5">
            <ClusterMark color={clusters[cluster]!.color} fails={clusters[cluster]!.fails} />
            <bdi className="truncate">{clusters[cluster]!.label}</bdi>
            <span className="text-muted whitespace-nowrap tabular-nums">
              {formatCount(count)} · {formatShare(count / selected.length)}
            </span>
          </li>
        ))}
      </ul>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto border-t">
        <ul aria-label="Selected traces" className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const point = selected[index]!
            return (
              <li
                key={point}
                aria-setsize={selected.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 h-9"
                style={{ transform: `translateY(${start}px)` }}
              >
                <SelectedTrace traceId={points.traceIds[point]!} cluster={clusters[points.clusters[point]!]!} />
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}

/** Rows that scroll past quickly are not loaded. */
const DELAY_MS = 80

function SelectedTrace({ traceId, cluster }: { traceId: string; cluster: MapCluster }) {
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
