import { formatCount, formatShare } from '../lib/format-number.ts'

export interface Rates {
  readonly failed: { readonly count: number; readonly of: number }
  readonly rate: number
  readonly low: number
  readonly high: number
}

interface RateBarProps {
  readonly rates: Rates
  /** The rate at the end of the bar. */
  readonly most: number
}

/** A failure rate as a bar, with its interval as a line across the end. */
export function RateBar({ rates: { failed, rate, low, high }, most }: RateBarProps) {
  const at = (share: number) => `${(100 * share) / most}%`
  return (
    <div className="flex min-w-0 items-center gap-3">
      <div
        aria-hidden
        className="relative h-3 min-w-16 flex-1"
        title={`From ${formatShare(low)} to ${formatShare(high)}`}
      >
        <div className="bg-hover absolute inset-y-0.5 w-full rounded-full" />
        <div className="bg-fail absolute inset-y-0.5 rounded-full opacity-60" style={{ width: at(rate) }} />
        <div className="bg-ink absolute top-1/2 h-px" style={{ left: at(low), width: at(high - low) }} />
        <div className="bg-ink absolute inset-y-0.5 w-px" style={{ left: at(low) }} />
        <div className="bg-ink absolute inset-y-0.5 w-px" style={{ left: `calc(${at(high)} - 1px)` }} />
      </div>
      <span className="w-28 shrink-0 text-right whitespace-nowrap tabular-nums">
        {formatShare(rate)} <span className="text-muted">of {formatCount(failed.of)}</span>
      </span>
    </div>
  )
}
