import type { FeedHistogram } from '../../api/client/feed.ts'
import { bucketStarts } from '../../lib/series-data.ts'

export interface Bar {
  /** Milliseconds since 1970; the first and last bar are cut at the bounds of the range. */
  readonly from: number
  readonly to: number
  readonly ok: number
  readonly error: number
}

/** One bar per bucket of the range, including empty ones. */
export function toBars({ from, to, bucket, points }: FeedHistogram): Bar[] {
  const starts = bucketStarts(from, to, bucket)
  const bars = starts.map((start, index) => ({
    from: Math.max(from, start),
    to: Math.min(to, starts[index + 1] ?? to),
    ok: 0,
    error: 0,
  }))
  for (const { at, group, count } of points) {
    const bar = bars[starts.indexOf(Date.parse(at))]
    if (bar === undefined) continue
    if (group === 'error') bar.error += count
    else bar.ok += count
  }
  return bars
}

/** The time range from the earlier to the later of two bars, inclusive. */
export function spanOf(bars: readonly Bar[], one: number, other: number): { from: number; to: number } | null {
  const first = bars[Math.min(one, other)]
  const last = bars[Math.max(one, other)]
  return first === undefined || last === undefined ? null : { from: first.from, to: last.to }
}

/** Three times the range around its centre, not into the future. */
export function widen(from: number, to: number, now: number): { from: number; to: number } {
  const span = to - from
  return { from: from - span, to: Math.max(to, Math.min(to + span, now)) }
}
