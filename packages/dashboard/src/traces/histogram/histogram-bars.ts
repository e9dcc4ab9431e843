import type { FeedHistogram } from '../../api/client/feed.ts'

export interface Bar {
  /** Milliseconds since 1970; the first and last bar are cut at the bounds of the range. */
  readonly from: number
  readonly to: number
  readonly ok: number
  readonly error: number
}

/** One bar per bucket of the range, including empty ones. */
export function toBars({ from, to, bucketMs, points }: FeedHistogram): Bar[] {
  // The service aligns buckets, and weeks differently, so any bucket gives the alignment.
  const anchor = points[0] === undefined ? 0 : Date.parse(points[0].at)
  const begin = anchor + Math.floor((from - anchor) / bucketMs) * bucketMs
  const bars = Array.from({ length: Math.max(1, Math.ceil((to - begin) / bucketMs)) }, (_, index) => ({
    from: Math.max(from, begin + index * bucketMs),
    to: Math.min(to, begin + (index + 1) * bucketMs),
    ok: 0,
    error: 0,
  }))
  for (const { at, group, count } of points) {
    const bar = bars[Math.round((Date.parse(at) - begin) / bucketMs)]
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
