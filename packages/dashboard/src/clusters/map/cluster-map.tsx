import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { useRouter } from '@tanstack/react-router'
import { Lasso, Maximize, Minus, Plus } from 'lucide-react'
import { traceRowQuery } from '../../api/trace.ts'
import { formatSteps } from '../../lib/format-number.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { Badge } from '../../ui/badge.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ClusterMark } from '../cluster-mark.tsx'
import { type MapCluster, dimmedPoints } from './map-content.ts'
import type { MapPoints, Place } from './map-points.ts'
import { useMapSurface } from './use-map-surface.ts'
import { Button, Hint } from '../../ui/button.tsx'
import type { Size } from './view.ts'

interface ClusterMapProps {
  readonly points: MapPoints
  readonly clusters: readonly MapCluster[]
  /** The cluster that is shown alone. */
  readonly focused: string | null
  /** Indexes of points. */
  readonly selected: readonly number[] | null
  onSelect(indexes: readonly number[] | null): void
}

/** The map of traces. Pans, zooms and selects with a lasso; a click opens a trace. */
export function ClusterMap({ points, clusters, focused, selected, onSelect }: ClusterMapProps) {
  const router = useRouter()
  const box = useRef<HTMLDivElement>(null)
  const helpId = useId()
  const [lasso, setLasso] = useState(false)
  const { surface, hovered, size } = useMapSurface(box, {
    lasso,
    onLassoEnd: () => setLasso(false),
    onSelect,
    onOpen: (index, inNewTab) => {
      const to = { to: '/app/traces/$traceId', params: { traceId: points.traceIds[index]! } } as const
      if (inNewTab) open(router.buildLocation(to).href, '_blank', 'noopener')
      else void router.navigate(to)
    },
  })
  const place = focused === null ? -1 : points.clusterIds.indexOf(focused)
  const focusedPlace = place === -1 ? null : place
  const dimmed = useMemo(() => dimmedPoints(points, focusedPlace, selected), [points, focusedPlace, selected])

  useEffect(() => surface.current?.show(points, clusters), [surface, points, clusters])
  useEffect(() => surface.current?.mark({ focused: focusedPlace, dimmed }), [surface, focusedPlace, dimmed])

  const pointed = hovered === null ? undefined : clusters[points.clusters[hovered.index]!]
  return (
    <div className="relative h-full min-h-0 w-full overflow-hidden">
      <div
        ref={box}
        role="application"
        aria-label={`Map of ${points.count} traces in ${clusters.length} clusters`}
        aria-describedby={helpId}
        tabIndex={0}
        className={`absolute inset-0 -outline-offset-2 select-none ${lasso ? 'cursor-crosshair' : pointed === undefined ? 'cursor-grab active:cursor-grabbing' : 'cursor-pointer'}`}
      >
        <canvas className="absolute inset-0 size-full" />
        <canvas className="absolute inset-0 size-full" />
      </div>
      <p id={helpId} className="sr-only">
        Arrow keys pan the map, plus and minus zoom, zero shows all. The table lists the same clusters with links to
        their traces. A focused row is shown alone on the map.
      </p>
      <MapTools
        lasso={lasso}
        onLasso={setLasso}
        onZoom={(factor) => surface.current?.zoom(factor)}
        onReset={() => surface.current?.reset()}
      />
      {hovered !== null && pointed !== undefined && (
        <MapTooltip traceId={points.traceIds[hovered.index]!} cluster={pointed} at={hovered.at} size={size} />
      )}
    </div>
  )
}

interface MapToolsProps {
  readonly lasso: boolean
  onLasso(on: boolean): void
  onZoom(factor: number): void
  onReset(): void
}

const STEP = 1.6

function MapTools({ lasso, onLasso, onZoom, onReset }: MapToolsProps) {
  const tools = [
    { label: 'Zoom in', hint: 'Zoom in (+, or the wheel)', Icon: Plus, run: () => onZoom(STEP) },
    { label: 'Zoom out', hint: 'Zoom out (-)', Icon: Minus, run: () => onZoom(1 / STEP) },
    { label: 'Show all', hint: 'Show all (0)', Icon: Maximize, run: onReset },
  ]
  return (
    <div
      role="group"
      aria-label="Map tools"
      className="bg-raised absolute top-2 right-2 z-10 flex flex-col gap-0.5 rounded-lg border p-0.5 shadow-sm"
    >
      <Hint text="Draw around points to select them (or hold Shift)">
        <Button
          variant="ghost"
          icon={Lasso}
          aria-label="Select with a lasso"
          aria-pressed={lasso}
          onClick={() => onLasso(!lasso)}
          className="aria-pressed:bg-selected aria-pressed:text-accent"
        />
      </Hint>
      {tools.map(({ label, hint, Icon, run }) => (
        <Hint key={label} text={hint}>
          <Button variant="ghost" icon={Icon} aria-label={label} onClick={run} />
        </Hint>
      ))}
    </div>
  )
}

const DELAY_MS = 120

/** Shows the cluster of the hovered point at once, and the trace's name after a delay. */
function MapTooltip({ traceId, cluster, at, size }: { traceId: string; cluster: MapCluster; at: Place; size: Size }) {
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
