import { useQuery } from '@tanstack/react-query'
import { ZoomOut } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { type FeedRequest, feedHistogramQuery } from '../../api/client/feed.ts'
import { formatCount } from '../../lib/format-number.ts'
import { DAY_FORMAT, MINUTE_FORMAT, SECOND_FORMAT } from '../../lib/format-time.ts'
import { searchBetween, type TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { toBars, widen } from './histogram-bars.ts'
import { HistogramPlot } from './histogram-plot.tsx'

interface HistogramPanelProps {
  readonly request: FeedRequest
  /** Whether the list has loaded: its requests go first. */
  readonly listed: boolean
  onRange(range: TimeRange): void
}

const TICKS = 5
const DAY_MS = 86_400_000

/** The number of traces over the shown time, and how many failed. Its height is constant. */
export function HistogramPanel({ request, listed, onRange }: HistogramPanelProps) {
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...feedHistogramQuery(request), enabled: listed })
  const bars = useMemo(() => (data === undefined || data === null ? [] : toBars(data)), [data])
  const zoom = (from: number, to: number) => onRange({ kind: 'between', ...searchBetween(from, to) })
  const { range } = request
  const failed = bars.reduce((sum, bar) => sum + bar.error, 0)
  const total = bars.reduce((sum, bar) => sum + bar.ok, failed)
  const plot = (): ReactNode => {
    if (error !== null && data === undefined) {
      return (
        <p role="alert" className="text-muted flex h-full items-center justify-center gap-2 text-sm">
          The histogram could not be loaded. <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )
    }
    if (data === undefined) return <Skeleton className="h-full" />
    // The list says that there are none.
    if (total === 0) return null
    return <HistogramPlot bars={bars} onZoom={zoom} />
  }
  return (
    <section aria-label="Traces over time" className="border-b px-4 pt-2 pb-1.5">
      <div className="text-muted flex h-6 items-center gap-3 text-xs">
        {data !== undefined && (
          <>
            <Key colour="bg-accent/60" text={`${formatCount(total - failed)} ok`} />
            <Key colour="bg-fail" text={`${formatCount(failed)} failed`} />
          </>
        )}
        {range.kind === 'between' && (
          <Button
            icon={ZoomOut}
            variant="ghost"
            className="ml-auto h-6! px-2!"
            onClick={() => {
              const { from, to } = widen(Date.parse(range.from), Date.parse(range.to), Date.now())
              zoom(from, to)
            }}
          >
            Zoom out
          </Button>
        )}
      </div>
      <div aria-busy={isPlaceholderData} className="h-12 aria-busy:opacity-60 md:h-16">
        {plot()}
      </div>
      <div className="text-muted mt-0.5 flex h-4 justify-between text-xs tabular-nums" aria-hidden>
        {data !== undefined &&
          data !== null &&
          ticks(data.from, data.to).map((tick, index) => <span key={index}>{tick}</span>)}
      </div>
    </section>
  )
}

function Key({ colour, text }: { colour: string; text: string }) {
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      <span aria-hidden className={`size-2.5 rounded-sm ${colour}`} />
      {text}
    </span>
  )
}

function ticks(from: number, to: number): string[] {
  const span = to - from
  const format = span > 3 * DAY_MS ? DAY_FORMAT : span > 5 * 60_000 ? MINUTE_FORMAT : SECOND_FORMAT
  return Array.from({ length: TICKS }, (_, index) => format.format(from + (span * index) / (TICKS - 1)))
}
