import type { ClusterMap as MapData } from '@spoor/contract/schemas/cluster'
import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { formatCount } from '../lib/format-number.ts'
import { ClusterMap } from './map/cluster-map.tsx'
import type { MapCluster } from './map/map-content.ts'
import { packPoints } from './map/map-points.ts'
import { SelectionPanel } from './selection-panel.tsx'

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
