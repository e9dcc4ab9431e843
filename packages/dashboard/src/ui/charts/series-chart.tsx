import { Table2, ChartLine as ChartIcon } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { onThemeChange } from '../../app/theme.ts'
import { IconButton } from '../button.tsx'
import { ChartLegend } from './chart-legend.tsx'
import { type ChartModel, formatBucket, lastIndexWithValue } from './chart-model.ts'
import { pointedBucket, toAlignedData, toOptions } from './chart-options.ts'
import { ChartTable } from './chart-table.tsx'
import { ChartTooltip, type PointedBucket } from './chart-tooltip.tsx'

interface SeriesChartProps {
  /** Names the chart for screen readers. The chart is rebuilt when the model's identity changes. */
  readonly label: string
  readonly model: ChartModel
  /** In CSS pixels. */
  readonly height: number
  /** Called with the bounds of a dragged range. */
  readonly onZoom?: (from: number, to: number) => void
  /** Called with a chosen bucket, and the line if one was clicked. */
  readonly onChoose?: (index: number, lineKey: string | null) => void
  /** At the end of the legend. */
  readonly children?: ReactNode
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }

/** Lines over time: hovered values as text, drag to zoom, arrow keys to move between buckets, or a table. */
export function SeriesChart({ label, model, height, onZoom, onChoose, children }: SeriesChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(null)
  const [pointed, setPointed] = useState<PointedBucket | null>(null)
  const [asTable, setAsTable] = useState(false)
  const [chosenLine, setChosenLine] = useState<string | null>(null)
  const alone = model.lines.some(({ key }) => key === chosenLine) ? chosenLine : null
  const drawn = useMemo(
    () =>
      alone === null ? model : { ...model, lines: model.lines.filter(({ key, of }) => key === alone || of === alone) },
    [model, alone],
  )
  const [theme, setTheme] = useState(0)
  useEffect(() => onThemeChange(() => setTheme((before) => before + 1)), [])
  const zoom = useEffectEvent((from: number, to: number) => onZoom?.(from, to))
  const choose = useEffectEvent((index: number, lineKey: string | null) => onChoose?.(index, lineKey))
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const size = () => ({ width: Math.max(element.clientWidth, 100), height })
    // Nothing is redrawn while the pointer stays on a bucket.
    const onCursor = (next: PointedBucket | null) =>
      setPointed((before) => (before?.index === next?.index ? before : next))
    const handlers = { onCursor, onZoom: zoom, onClick: choose }
    const plot = new uPlot(toOptions(drawn, size(), handlers), toAlignedData(drawn), element)
    chart.current = plot
    const observer = new ResizeObserver(() => plot.setSize(size()))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.current = null
      plot.destroy()
    }
  }, [drawn, height, theme, asTable])
  const { times, bucketMs, lines, format } = model
  const index = Math.min(
    pointed?.index ?? model.chosen ?? lastIndexWithValue(model) ?? times.length - 1,
    times.length - 1,
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') onChoose?.(index, null)
    else {
      const next = { Home: 0, End: times.length - 1 }[event.key] ?? index + (STEPS[event.key] ?? NaN)
      if (Number.isNaN(next)) return
      const reached = Math.max(0, Math.min(times.length - 1, next))
      chart.current?.setCursor({ left: chart.current.valToPos(times[reached] ?? 0, 'x'), top: 0 }, false)
      setPointed(chart.current && pointedBucket(chart.current, drawn, reached))
    }
    event.preventDefault()
  }
  const values = lines.map((line) => {
    const value = line.values[index] ?? null
    return `${line.label} ${value === null ? 'no data' : format(value)}`
  })
  return (
    <figure className="min-w-0">
      {asTable ? (
        <ChartTable label={label} model={model} maxHeight={height} {...(onChoose === undefined ? {} : { onChoose })} />
      ) : (
        <div className="relative">
          <div
            ref={place}
            role="slider"
            tabIndex={0}
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={Math.max(0, times.length - 1)}
            aria-valuenow={Math.max(0, index)}
            aria-valuetext={`${formatBucket(times[index] ?? 0, bucketMs)}: ${values.join(', ')}`}
            onKeyDown={onKeyDown}
            onBlur={() => setPointed(null)}
            className={`w-full overflow-hidden rounded-md ${onChoose === undefined ? '' : '[&_.u-over]:cursor-pointer'}`}
            style={{ height }}
          />
          {pointed !== null && <ChartTooltip model={drawn} pointed={{ ...pointed, index }} />}
        </div>
      )}
      <figcaption className="mt-1 flex flex-wrap items-start gap-x-4 gap-y-1">
        <ChartLegend
          model={model}
          index={index}
          isLatest={pointed === null && (model.chosen ?? null) === null}
          alone={alone}
          onAlone={setChosenLine}
        />
        <div className="ml-auto flex items-center gap-1">
          {children}
          <IconButton
            icon={asTable ? ChartIcon : Table2}
            aria-pressed={asTable}
            label="Show as table"
            title={asTable ? 'Show as chart' : 'Show as table'}
            onClick={() => setAsTable((before) => !before)}
          />
        </div>
      </figcaption>
    </figure>
  )
}
