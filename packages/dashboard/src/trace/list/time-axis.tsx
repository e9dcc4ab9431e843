import { ZoomOut } from 'lucide-react'
import { memo, type PointerEvent, useState, type RefCallback, useCallback } from 'react'
import { type Axis, ticksOf } from '../model/time-scale.ts'
import { labelsThatFit } from '../model/tick-labels.ts'
import { Splitter } from '../../ui/splitter.tsx'
import { STEP_COLUMNS } from '../panes.ts'
import { COLUMNS, COST_SHOWN, SPLITTER_SHOWN, TOKENS_SHOWN } from './step-row.tsx'

interface TimeAxisProps {
  readonly axis: Axis
  readonly whole: Axis
  readonly hasTokens: boolean
  readonly hasCost: boolean
  onZoom(axis: Axis | null): void
}

/** Pixels between ticks, and of the button to zoom out. */
const TICK_EVERY = 80
const ZOOM_OUT = 56

/** The column headers and the ticks of the waterfall. Dragging across the ticks zooms in. */
export const TimeAxis = memo(function TimeAxis({ axis, whole, hasTokens, hasCost, onZoom }: TimeAxisProps) {
  const [width, measure] = useWidth()
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null)
  const zoomed = axis !== whole
  const ticks = ticksOf(axis, whole.start, Math.max(1, Math.floor(width / TICK_EVERY)))
  const labelled = labelsThatFit(ticks, width, zoomed ? ZOOM_OUT : 0)
  const shareAt = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width))
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
      <span className={`pr-2 text-right ${TOKENS_SHOWN}`}>{hasTokens && 'Tokens'}</span>
      <span className={`pr-2 text-right ${COST_SHOWN}`}>{hasCost && 'Cost'}</span>
      <span className="relative flex h-full items-center justify-end pr-2">
        {axis.kind === 'time' ? 'Duration' : ''}
        <span className={`absolute inset-y-0 right-0 ${SPLITTER_SHOWN}`}>
          <Splitter panes={STEP_COLUMNS} label="Width of the names" controls="step-columns" />
        </span>
      </span>
      <div
        ref={measure}
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
            {labelled.has(at) && label}
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

/** The width of an element in pixels, as it changes; 0 until it is known. */
function useWidth(): readonly [number, RefCallback<HTMLElement>] {
  const [width, setWidth] = useState(0)
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [width, measure]
}
