import { formatCount } from '../../lib/format-number.ts'
import { type ChartModel, formatBucket } from './chart-model.ts'
import { LineSwatch } from './chart-legend.tsx'

/** A bucket under the pointer or chosen by keys. */
export interface PointedBucket {
  readonly index: number
  /** Where it is, in pixels from the left of the chart. */
  readonly left: number
  /** Whether that is in the right half. */
  readonly isRight: boolean
}

interface ChartTooltipProps {
  readonly model: ChartModel
  readonly pointed: PointedBucket
}

/** More lines are in the legend and in the table. */
const MOST = 8
const APART = 12

/** The values of a bucket beside the pointer, the greatest first. Screen readers have them from the chart. */
export function ChartTooltip({ model, pointed: { index, left, isRight } }: ChartTooltipProps) {
  const { times, bucketMs, lines, format, volume } = model
  const shown = lines
    .flatMap(({ key, label, color, dashed = false, values }) => {
      const value = values[index] ?? null
      return value === null ? [] : [{ key, label, color, dashed, value }]
    })
    .toSorted((a, b) => b.value - a.value)
  return (
    <div
      aria-hidden
      className="bg-raised pointer-events-none absolute top-2 z-10 max-w-[45%] rounded-md border px-2 py-1.5 text-xs shadow-md"
      style={{ left, transform: isRight ? `translateX(calc(-100% - ${APART}px))` : `translateX(${APART}px)` }}
    >
      <p className="text-muted whitespace-nowrap tabular-nums">{formatBucket(times[index] ?? 0, bucketMs)}</p>
      {shown.slice(0, MOST).map(({ key, label, color, dashed, value }) => (
        <p key={key} className="flex items-center gap-1.5">
          <LineSwatch color={color} dashed={dashed} />
          <bdi className="min-w-0 truncate">{label}</bdi>
          <span className="ml-auto pl-2 font-medium tabular-nums">{format(value)}</span>
        </p>
      ))}
      {shown.length > MOST && <p className="text-muted">and {shown.length - MOST} more</p>}
      {shown.length === 0 && <p className="text-muted">no data</p>}
      {volume !== undefined && (
        <p className="text-muted tabular-nums">
          {formatCount(volume.values[index] ?? 0)} {volume.rows}
        </p>
      )}
    </div>
  )
}
