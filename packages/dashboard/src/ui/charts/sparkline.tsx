import { useId } from 'react'
import type { LineColor } from '../../lib/line-styles.ts'

interface SparklineProps {
  /** Evenly spaced; null is a gap. */
  readonly values: readonly (number | null)[]
  readonly kind: 'lines' | 'bars'
  /** The bounds of the y axis; default: those of the values. */
  readonly range?: readonly [number, number]
  readonly color?: LineColor
  readonly className?: string
}

const WIDTH = 200
const HEIGHT = 40

/** A series without axes, as decoration beside its value in text. */
export function Sparkline({ values, kind, range, color = '--color-accent', className = '' }: SparklineProps) {
  const id = useId()
  const known = values.filter((value) => value !== null)
  const [low, high] = range ?? [Math.min(0, ...known), Math.max(...known, 0)]
  const y = (value: number) => HEIGHT - 2 - ((value - low) / (high - low || 1)) * (HEIGHT - 4)
  const slot = WIDTH / Math.max(1, values.length)
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
      className={`block w-full ${className}`}
      style={{ color: `var(${color})` }}
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
