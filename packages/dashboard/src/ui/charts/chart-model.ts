import type { LineColor } from '../../lib/line-styles.ts'

export interface ChartLine {
  /** Tells lines apart; given back when one is clicked. */
  readonly key: string
  readonly label: string
  readonly color: LineColor
  readonly dashed?: boolean
  /** By bucket; null is a gap. */
  readonly values: readonly (number | null)[]
  /** Of the whole range, where that is shown beside them. */
  readonly total?: number | null
}

/** A height that is drawn across the chart. */
export interface ChartLevel {
  readonly label: string
  readonly value: number
  readonly color: LineColor
}

/** Times that are shaded; milliseconds since 1970. */
export interface ChartBand {
  readonly from: number
  readonly to: number
  readonly color: LineColor
}

export interface ChartModel {
  /** When each bucket begins: milliseconds since 1970, evenly apart. */
  readonly times: readonly number[]
  /** How long each is; 0 where a value is of a moment. */
  readonly bucketMs: number
  /** `stack` puts the bars of the lines onto each other. */
  readonly kind: 'lines' | 'bars' | 'stack'
  readonly lines: readonly ChartLine[]
  /** `share`: from 0 to 1. `zero`: from 0. `auto`: as the values need. */
  readonly scale: 'share' | 'zero' | 'auto'
  readonly levels?: readonly ChartLevel[]
  readonly bands?: readonly ChartBand[]
  /** The bucket that is looked at closer; it is marked. */
  readonly chosen?: number | null
  format(value: number): string
  /** On the axis, where it is something shorter. */
  readonly formatOnAxis?: (value: number) => string
}

const MOMENT = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const SECONDS = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

const MINUTE = 60_000
const DAY_MS = 86_400_000

/** A bucket in the reader's zone: "Nov 21, 14:00 – 15:00". */
export function formatBucket(from: number, bucketMs: number): string {
  if (bucketMs === 0) return MOMENT.format(from)
  if (bucketMs < MINUTE) return `${DAY.format(from)}, ${SECONDS.format(from)} – ${SECONDS.format(from + bucketMs)}`
  const isWithinDay = DAY.format(from) === DAY.format(from + bucketMs)
  return `${MOMENT.format(from)} – ${(isWithinDay ? CLOCK : MOMENT).format(from + bucketMs)}`
}

/** Of a mark on the axis, where marks are so far apart. */
export function formatTick(time: number, apartMs: number): string {
  if (apartMs >= DAY_MS) return DAY.format(time)
  if (apartMs < MINUTE) return SECONDS.format(time)
  const clock = CLOCK.format(time)
  return clock === '00:00' ? DAY.format(time) : clock
}

/** Where there is a value at all, next to which index it is nearest; null without any. */
export function lastIndexWithValue({ times, lines }: Pick<ChartModel, 'times' | 'lines'>): number | null {
  for (let index = times.length - 1; index >= 0; index -= 1) {
    if (lines.some(({ values }) => values[index] !== null && values[index] !== undefined)) return index
  }
  return null
}
