import { formatDuration } from '../../lib/format-time.ts'
import { formatCount } from '../../lib/format-number.ts'
import type { StepBatch } from './step-batch.ts'

/** The axis of the waterfall: time, or the order of arrival if no step has a time. */
export interface Axis {
  readonly kind: 'time' | 'order'
  /** Milliseconds since 1970, or a step number. */
  readonly start: number
  readonly end: number
}

/** Shares of the axis; values outside 0 to 1 are not visible. */
export interface Bar {
  readonly left: number
  readonly width: number
  /** The step has no time: it is drawn at the end of the step that arrived before it. */
  readonly guessed: boolean
}

type Times = Pick<StepBatch, 'starts' | 'ends'>

/** From the first start to the last end. `bounds` are the trace's own times, if any. */
export function wholeAxis({ starts, ends }: Times, bounds: { readonly start: number; readonly end: number }): Axis {
  let start = bounds.start
  let end = bounds.end
  for (let step = 0; step < starts.length; step += 1) {
    for (const time of [starts[step] as number, ends[step] as number]) {
      if (Number.isNaN(time)) continue
      if (!(start <= time)) start = time
      if (!(end >= time)) end = time
    }
  }
  const timed = starts.some((time) => !Number.isNaN(time)) || ends.some((time) => !Number.isNaN(time))
  if (!timed || !(end > start)) return { kind: 'order', start: 0, end: Math.max(1, starts.length) }
  return { kind: 'time', start, end }
}

export function barOf({ starts, ends }: Times, step: number, axis: Axis): Bar {
  if (axis.kind === 'order') return share(step, step + 1, axis, false)
  const start = starts[step] as number
  const end = ends[step] as number
  if (!Number.isNaN(start)) return share(start, Number.isNaN(end) ? start : end, axis, false)
  if (!Number.isNaN(end)) return share(end, end, axis, false)
  for (let before = step - 1; before >= 0; before -= 1) {
    const known = Number.isNaN(ends[before]) ? (starts[before] as number) : (ends[before] as number)
    if (!Number.isNaN(known)) return share(known, known, axis, true)
  }
  return share(axis.start, axis.start, axis, true)
}

/** The duration of a step, or from its start to the end of another, in milliseconds; NaN if unknown. */
export function durationOf({ starts, ends }: Times, step: number, last = step): number {
  return (ends[last] as number) - (starts[step] as number)
}

/** The times of a step and its descendants with a margin; null if they have no times or no duration. */
export function axisAround(times: Times, steps: Iterable<number>, whole: Axis): Axis | null {
  if (whole.kind === 'order') return null
  let start = Infinity
  let end = -Infinity
  for (const step of steps) {
    const from = times.starts[step] as number
    const to = times.ends[step] as number
    for (const time of [from, to]) {
      if (Number.isNaN(time)) continue
      start = Math.min(start, time)
      end = Math.max(end, time)
    }
  }
  if (!(end > start)) return null
  const margin = (end - start) * 0.04
  return { kind: 'time', start: start - margin, end: end + margin }
}

function share(from: number, to: number, { start, end }: Axis, guessed: boolean): Bar {
  return { left: (from - start) / (end - start), width: (to - from) / (end - start), guessed }
}

export interface Tick {
  /** A share of the axis. */
  readonly at: number
  readonly label: string
}

/** At most `most` round ticks, relative to `origin`. */
export function ticksOf({ kind, start, end }: Axis, origin: number, most: number): Tick[] {
  const span = end - start
  const step = kind === 'time' ? roundTime(span / most) : Math.max(1, roundDecimal(span / most))
  const ticks: Tick[] = []
  const first = Math.ceil((start - origin) / step)
  for (let index = first; origin + index * step <= end; index += 1) {
    const value = index * step
    const label = kind === 'order' ? `#${formatCount(value + 1)}` : value === 0 ? '0' : formatOffset(value)
    ticks.push({ at: (origin + value - start) / span, label })
  }
  return ticks
}

function formatOffset(ms: number): string {
  return ms < 0
    ? `−${formatDuration(-ms)}`
    : formatDuration(ms)
        .replace(/\.0+ (?=m?s$)/, ' ')
        .replace(/(\.\d*[1-9])0+ (?=m?s$)/, '$1 ')
}

const MINUTE = 60_000
const ROUND_TIMES = [1, 2, 5, 10, 15, 30]
  .flatMap((of) => [of * 1000, of * MINUTE, of * 60 * MINUTE])
  .sort((a, b) => a - b)

function roundTime(ms: number): number {
  if (ms < 1000) return roundDecimal(ms)
  return ROUND_TIMES.find((round) => round >= ms) ?? roundDecimal(ms / (24 * 60 * MINUTE)) * 24 * 60 * MINUTE
}

/** The next 1, 2 or 5 times a power of ten. */
function roundDecimal(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((times) => times * power >= value * 0.999_999) ?? 10) * power
}
