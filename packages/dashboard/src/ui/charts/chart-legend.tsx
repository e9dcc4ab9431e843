import { type ChartModel, formatBucket } from './chart-model.ts'
import type { LineColor } from '../../lib/line-styles.ts'

interface ChartLegendProps {
  readonly model: ChartModel
  /** The bucket whose values are shown. */
  readonly index: number
  /** Whether it is the latest bucket, because none is hovered. */
  readonly isLatest: boolean
  /** The line that is drawn alone; null: all are drawn. */
  readonly alone: string | null
  onAlone(lineKey: string | null): void
}

/** The lines and their values as text: of the whole range if known, and of the hovered bucket. */
export function ChartLegend({ model, index, isLatest, alone, onAlone }: ChartLegendProps) {
  const { times, bucketMs, format } = model
  const lines = model.lines.filter(({ of }) => of === undefined)
  const time = times[index]
  const hasTotals = lines.some(({ total }) => total !== undefined)
  const show = (value: number | null) => (value === null ? '–' : format(value))
  return (
    <div className="min-w-0 flex-1 text-xs leading-5 max-sm:basis-full">
      <p className="text-muted tabular-nums">
        {hasTotals && (
          <>
            <span className="text-ink font-medium">Whole range</span> ·{' '}
          </>
        )}
        {time === undefined ? '–' : formatBucket(time, bucketMs)}
        {isLatest && ' (latest)'}
      </p>
      <ul className="flex flex-wrap gap-x-4">
        {lines.map(({ key, label, color, dashed, values, total }) => {
          const value = show(values[index] ?? null)
          return (
            <li key={key} className="flex min-w-0 items-center gap-1.5">
              <button
                type="button"
                disabled={lines.length === 1}
                aria-pressed={alone === key}
                onClick={() => onAlone(alone === key ? null : key)}
                className={`flex min-h-6 min-w-0 items-center gap-1.5 ${alone === null || alone === key ? '' : 'text-muted line-through'}`}
              >
                <LineSwatch color={color} dashed={dashed ?? false} />
                <bdi
                  className="max-w-48 truncate"
                  title={lines.length === 1 ? label : `${label}: draw it alone, or all`}
                >
                  {label}
                </bdi>
              </button>
              <span className="font-medium tabular-nums">{total === undefined ? value : show(total)}</span>
              {total !== undefined && <span className="text-muted whitespace-nowrap tabular-nums">· {value}</span>}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

export function LineSwatch({ color, dashed = false }: { color: LineColor; dashed?: boolean }) {
  return (
    <span
      aria-hidden
      className={`w-3.5 shrink-0 border-t-2 ${dashed ? 'border-dashed' : 'border-solid'}`}
      style={{ borderColor: `var(${color})` }}
    />
  )
}
