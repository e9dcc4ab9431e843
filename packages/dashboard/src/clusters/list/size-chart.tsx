import { formatCount, formatShare } from '../../lib/format-number.ts'
import { formatExact } from '../../lib/format-time.ts'
import { Time } from '../../ui/time.tsx'
import { type ClusterColor, cssColor } from '../cluster-colors.ts'
import type { SizeInRun } from '../size-history.ts'

const HEIGHT = 96
const WIDTH = 600
const WIDEST_BAR = 30

export function SizeChart({ history, color }: { history: readonly SizeInRun[]; color: ClusterColor }) {
  const most = Math.max(...history.map(({ size }) => size), 1)
  const step = Math.min(WIDTH / history.length, WIDEST_BAR)
  const first = history[0]
  const last = history.at(-1)
  if (first === undefined || last === undefined) return null
  return (
    <figure className="space-y-1">
      <div className="flex gap-2">
        <div aria-hidden className="text-muted flex w-8 flex-col justify-between text-right text-xs tabular-nums">
          <span>{formatCount(most)}</span>
          <span>0</span>
        </div>
        <svg
          role="img"
          aria-label={`Traces by run, oldest first: ${history.map(({ size }) => size).join(', ')}`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-24 min-w-0 flex-1 border-b"
        >
          {history.map(({ runId, computedAt, size, share }, index) => (
            <g key={runId}>
              <title>{`${formatExact(Date.parse(computedAt))}: ${formatCount(size)} traces, ${formatShare(share)}`}</title>
              <rect x={index * step} y={0} width={step} height={HEIGHT} fill="transparent" />
              <rect
                x={index * step + step * 0.1}
                y={HEIGHT - (HEIGHT * size) / most}
                width={step * 0.8}
                height={(HEIGHT * size) / most}
                style={{ fill: cssColor(color) }}
              />
            </g>
          ))}
        </svg>
      </div>
      <figcaption className="text-muted flex justify-between pl-10 text-xs">
        {history.length === 1 ? (
          <span>
            One run so far: <Time at={last.computedAt} />
          </span>
        ) : (
          <>
            <span>
              {history.length} runs, first <Time at={first.computedAt} />
            </span>
            <span>
              last <Time at={last.computedAt} />
            </span>
          </>
        )}
      </figcaption>
    </figure>
  )
}
