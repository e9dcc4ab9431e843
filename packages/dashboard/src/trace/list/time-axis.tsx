import { ZoomOut } from 'lucide-react'
import { memo, type PointerEvent, useState } from 'react'
import type { Axis } from '../model/time-scale.ts'
import { ticksOf } from '../model/time-scale.ts'
import { COLUMNS } from './step-row.tsx'

interface TimeAxisProps {
  readonly axis: Axis
  readonly whole: Axis
  readonly wide: boolean
  onZoom(axis: Axis | null): void
}

/** The column headers and the ticks of the waterfall. Dragging across the ticks zooms in. */
export const TimeAxis = memo(function TimeAxis({ axis, whole, wide, onZoom }: TimeAxisProps) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null)
  const ticks = ticksOf(axis, whole.start, wide ? 5 : 2)
  const zoomed = axis !== whole
  const shareAt = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return Math.min(1, Math.max(0, (event.clientX - left) / width))
  }
  const finish = () => {
    if (drag !== null && Math.abs(drag.to - drag.from) > 0.01) {
      const span = axis.end - axis.start
      const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]
      onZoom({ ...axis, start: axis.start + from * span, end: axis.start + to * span })
    }
    setDrag(null)
  }
  return (
    <div className={`${COLUMNS} bg-ground text-muted sticky top-0 z-10 h-7 items-center border-b text-xs`}>
      <span className="truncate pl-3">Step</span>
      <span className="hidden pr-2 text-right sm:block">Tokens</span>
      <span className="pr-2 text-right">{axis.kind === 'time' ? 'Duration' : ''}</span>
      <div
        className="relative mr-3 h-full cursor-crosshair touch-none select-none"
        title={axis.kind === 'time' ? 'Drag to zoom in' : 'These steps have no times. They are in order of arrival.'}
        onPointerDown={(event) => {
          if (axis.kind !== 'time' || event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrag({ from: shareAt(event), to: shareAt(event) })
        }}
        onPointerMove={(event) => {
          if (drag !== null) setDrag({ ...drag, to: shareAt(event) })
        }}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(null)}
      >
        {ticks.map(({ at, label }) => (
          <span
            key={at}
            className="absolute inset-y-0 border-l pl-1 leading-7 whitespace-nowrap"
            style={{ left: `${at * 100}%` }}
          >
            {at < 0.9 && label}
          </span>
        ))}
        {drag !== null && (
          <span
            className="bg-accent/25 absolute inset-y-0"
            style={{
              left: `${Math.min(drag.from, drag.to) * 100}%`,
              width: `${Math.abs(drag.to - drag.from) * 100}%`,
            }}
          />
        )}
        {zoomed && (
          <button
            type="button"
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => onZoom(null)}
            className="bg-raised hover:bg-hover text-ink absolute top-0.5 right-0 flex h-6 items-center gap-1 rounded border px-1.5"
          >
            <ZoomOut className="size-3.5" aria-hidden /> All
          </button>
        )}
      </div>
    </div>
  )
})
