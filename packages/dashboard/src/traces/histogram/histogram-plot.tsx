import { useState } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { PLACE_FORMAT } from '../../lib/format-time.ts'
import { type Bar, spanOf } from './histogram-bars.ts'
import { useBrush } from './use-brush.ts'

/** The minimum height of a failure bar, in percent: one of a thousand must be visible. */
const MIN_ERROR = 3

/** Bars over time with failures at the bottom. Dragging, or arrow keys with Shift, selects a time range to zoom to. */
export function HistogramPlot({ bars, onZoom }: { bars: readonly Bar[]; onZoom(from: number, to: number): void }) {
  const [hovered, setHovered] = useState<number | null>(null)
  const zoom = (one: number, other: number) => {
    const span = spanOf(bars, one, other)
    if (span !== null) onZoom(span.from, span.to)
  }
  const { cursor, anchor, handlers } = useBrush(bars.length, zoom)
  const most = Math.max(1, ...bars.map(({ ok, error }) => ok + error))
  const shown = cursor ?? hovered
  const bar = shown === null ? undefined : bars[shown]
  const marked = cursor !== null && anchor !== null ? spanOf(bars, cursor, anchor) : null
  const percent = (index: number) => `${(index / bars.length) * 100}%`
  return (
    <div className="relative h-full" onPointerLeave={() => setHovered(null)}>
      <svg
        viewBox={`0 0 ${bars.length} 100`}
        preserveAspectRatio="none"
        className="absolute inset-0 size-full"
        aria-hidden
      >
        {bars.map((each, index) => (
          <BarShape key={each.from} bar={each} index={index} most={most} active={index === shown} />
        ))}
      </svg>
      {cursor !== null && anchor !== null && (
        <div
          className="bg-info/15 border-info absolute inset-y-0 border-x"
          style={{ left: percent(Math.min(cursor, anchor)), width: percent(Math.abs(cursor - anchor) + 1) }}
        />
      )}
      <div
        role="slider"
        tabIndex={0}
        aria-label="Traces over time. Arrow keys move, Shift and arrow keys select, Enter zooms."
        aria-valuemin={0}
        aria-valuemax={bars.length - 1}
        aria-valuenow={cursor ?? 0}
        aria-valuetext={describe(marked ?? bars[cursor ?? 0], bars, marked !== null)}
        className="absolute inset-0 cursor-crosshair touch-pan-y rounded-sm select-none"
        {...handlers}
        onPointerEnter={(event) => setHovered(handlers.onPointerMove(event))}
        onPointerMove={(event) => setHovered(handlers.onPointerMove(event))}
      />
      {shown !== null && bar !== undefined && (
        <div
          className="bg-ink text-ground pointer-events-none absolute top-full z-30 mt-1 rounded-md px-2 py-1 text-xs shadow-md"
          style={shown < bars.length / 2 ? { left: percent(shown) } : { right: percent(bars.length - 1 - shown) }}
        >
          {describe(marked ?? bar, bars, marked !== null)}
        </div>
      )}
    </div>
  )
}

function BarShape({ bar, index, most, active }: { bar: Bar; index: number; most: number; active: boolean }) {
  const total = bar.ok + bar.error
  const height = (total / most) * 100
  const failed = bar.error === 0 ? 0 : Math.min(height, Math.max(MIN_ERROR, (bar.error / most) * 100))
  return (
    <>
      {active && <rect x={index} width={1} y={0} height={100} className="fill-hover" />}
      {height > failed && (
        <rect x={index + 0.08} width={0.84} y={100 - height} height={height - failed} className="fill-accent/60" />
      )}
      {failed > 0 && <rect x={index + 0.08} width={0.84} y={100 - failed} height={failed} className="fill-fail" />}
    </>
  )
}

function describe(span: { from: number; to: number } | undefined, bars: readonly Bar[], marked: boolean): string {
  if (span === undefined) return ''
  const within = bars.filter(({ from, to }) => from >= span.from && to <= span.to)
  const failed = within.reduce((sum, { error }) => sum + error, 0)
  const total = within.reduce((sum, { ok, error }) => sum + ok + error, 0)
  const counts = `${formatCount(total)} ${total === 1 ? 'trace' : 'traces'}, ${formatCount(failed)} failed`
  return `${PLACE_FORMAT.formatRange(span.from, span.to)}: ${counts}${marked ? '. Release or press Enter to zoom' : ''}`
}
