import type { ReactNode } from 'react'
import { type ChartModel, formatBucket } from './chart-model.ts'

interface ChartTableProps {
  readonly label: string
  readonly model: ChartModel
  readonly maxHeight: number
  readonly onChoose?: (index: number, lineKey: string | null) => void
}

/** The chart's values as a table: newest first, without empty buckets. */
export function ChartTable({ label, model, maxHeight, onChoose }: ChartTableProps) {
  const { times, bucketMs, lines, format } = model
  const rows = times
    .map((time, index) => ({ time, index }))
    .filter(({ index }) => lines.some(({ values }) => (values[index] ?? null) !== null))
    .toReversed()
  const isChosenByLine = onChoose !== undefined && lines.length > 1
  return (
    <div
      className="overflow-auto rounded-md border"
      style={{ height: maxHeight }}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{label}</caption>
        <thead className="bg-sunken sticky top-0">
          <tr className="text-muted text-left text-xs">
            <th scope="col" className="px-3 py-1.5 font-medium">
              Time
            </th>
            {lines.map((line) => (
              <th key={line.key} scope="col" className="max-w-40 truncate px-3 py-1.5 text-right font-medium">
                <bdi title={line.label}>{line.label}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, index }) => (
            <tr key={time} className="border-t">
              <th scope="row" className="px-3 py-1 text-left font-normal whitespace-nowrap">
                {onChoose === undefined ? (
                  formatBucket(time, bucketMs)
                ) : (
                  <CellButton onClick={() => onChoose(index, null)}>{formatBucket(time, bucketMs)}</CellButton>
                )}
              </th>
              {lines.map(({ key, values }) => {
                const value = values[index] ?? null
                return (
                  <td key={key} className="px-3 py-1 text-right">
                    {value === null && <span className="text-muted">–</span>}
                    {value !== null &&
                      (isChosenByLine ? (
                        <CellButton onClick={() => onChoose(index, key)}>{format(value)}</CellButton>
                      ) : (
                        format(value)
                      ))}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="text-muted p-3 text-sm">No data in this range</p>}
    </div>
  )
}

function CellButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className="hover:text-accent underline-offset-2 hover:underline" onClick={onClick}>
      {children}
    </button>
  )
}
