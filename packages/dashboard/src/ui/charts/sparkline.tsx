import { useId } from 'react'

interface SparklineProps {
  /** Evenly spaced; null is a gap. */
  readonly values: readonly (number | null)[]
  readonly kind: 'lines' | 'bars'
  /** For the bounds; undefined: they are not shown. */
  format?(value: number): string
  /** Sets position and size. */
  readonly className: string
}

const WIDTH = 200
const HEIGHT = 40

/** A small series above a line for its lower bound and below one for its upper, as decoration beside its value. */
export function Sparkline({ format, className, ...series }: SparklineProps) {
  const [low, high] = boundsOf(series.values)
  return (
    <div aria-hidden className={`border-b ${className}`}>
      {format !== undefined && high > low && (
        <p className="text-muted absolute inset-x-0 top-0 -mt-2 flex items-center gap-1.5 text-[0.625rem] leading-4 tabular-nums">
          {format(high)}
          <span className="flex-1 border-t border-dashed" />
        </p>
      )}
      <Drawing {...series} />
      {format !== undefined && low < 0 && (
        <p className="text-muted absolute bottom-0 text-[0.625rem] tabular-nums">{format(low)}</p>
      )}
    </div>
  )
}

type Series = Omit<SparklineProps, 'format' | 'className'>

function boundsOf(values: Series['values']): readonly [number, number] {
  const known = values.filter((value) => value !== null)
  return [Math.min(0, ...known), Math.max(...known, 0)]
}

function Drawing({ values, kind }: Series) {
  const id = useId()
  const [low, high] = boundsOf(values)
  const y = (value: number) => HEIGHT - ((value - low) / (high - low || 1)) * HEIGHT
  const slot = WIDTH / Math.max(1, values.length)
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="text-accent block size-full overflow-visible"
    >
      {kind === 'bars' ? (
        values.map((value, index) =>
          value === null || value === 0 ? null : (
            <rect
              key={index}
              x={index * slot}
              width={slot * 0.8}
              y={y(value)}
              height={Math.max(1, y(low) - y(value))}
              fill="currentColor"
              opacity={0.8}
            />
          ),
        )
      ) : (
        <>
          <defs>
            <linearGradient id={id} x1="0" x2="0" y1="0" y2="1">
              <stop offset="0" stopColor="currentColor" stopOpacity="0.2" />
              <stop offset="1" stopColor="currentColor" stopOpacity="0" />
            </linearGradient>
          </defs>
          {runsOf(values).map((run) => {
            const points = run.map(({ index, value }) => `${(index + 0.5) * slot},${y(value)}`)
            const [first, last] = [run[0]?.index ?? 0, run.at(-1)?.index ?? 0]
            const x = (index: number) => (index + 0.5) * slot
            return (
              <g key={first}>
                <path d={`M${x(first)},${HEIGHT}L${points.join('L')}L${x(last)},${HEIGHT}Z`} fill={`url(#${id})`} />
                <path
                  d={`M${points.join('L')}${run.length === 1 ? 'h0.01' : ''}`}
                  fill="none"
                  stroke="currentColor"
                  strokeWidth={run.length === 1 ? 4 : 1.5}
                  strokeLinecap="round"
                  strokeLinejoin="round"
                  vectorEffect="non-scaling-stroke"
                />
              </g>
            )
          })}
        </>
      )}
    </svg>
  )
}

/** The runs of values between gaps. */
function runsOf(values: readonly (number | null)[]): { index: number; value: number }[][] {
  const runs: { index: number; value: number }[][] = []
  values.forEach((value, index) => {
    if (value === null) return
    if (index === 0 || values[index - 1] === null) runs.push([])
    runs.at(-1)?.push({ index, value })
  })
  return runs
}
