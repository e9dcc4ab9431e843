import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { useRouter } from '@tanstack/react-router'
import { Lasso, Maximize, Minus, Plus } from 'lucide-react'
import { dimmedPoints, type MapCluster } from './map-content.ts'
import type { MapPoints } from './map-points.ts'
import { MapTooltip } from './map-tooltip.tsx'
import { useMapSurface } from './use-map-surface.ts'
import { Button, Hint } from '../../ui/button.tsx'

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
