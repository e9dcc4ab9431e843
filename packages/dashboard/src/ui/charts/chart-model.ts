import { DAY_FORMAT, MINUTE_FORMAT, MOMENT_FORMAT, SECOND_FORMAT } from '../../lib/format-time.ts'
import type { LineColor } from '../../lib/line-styles.ts'
import { bucketEnd } from '../../lib/series-data.ts'

export interface ChartLine {
  /** Identifies a line; returned when it is clicked. */
  readonly key: string
  /** The key of the line that it accompanies; such a line is in no legend. */
  readonly of?: string
  readonly label: string
  readonly color: LineColor
  readonly dashed?: boolean
  /** By bucket; null is a gap. */
  readonly values: readonly (number | null)[]
  /** The value of the whole range, if shown. */
  readonly total?: number | null
}

export interface ChartLevel {
  readonly label: string
  readonly value: number
  readonly color: LineColor
}

/** A shaded period, milliseconds since 1970. */
export interface ChartBand {
  readonly from: number
  readonly to: number
  readonly color: LineColor
}

export interface ChartModel {
  /** The start of each bucket, milliseconds since 1970, evenly spaced. */
  readonly times: readonly number[]
  /** The length of each bucket; 0 if values belong to moments. */
  readonly bucketMs: number
  /** `stack` stacks the bars of the lines. */
  readonly kind: 'lines' | 'bars' | 'stack'
  readonly lines: readonly ChartLine[]
  /** `share`: from 0, at most to 1. `zero`: from 0. `auto`: fits the values. `log`: logarithmic, without 0. */
  readonly scale: 'share' | 'zero' | 'auto' | 'log'
  /** All values are whole numbers, and so are the labels of the axis. */
  readonly whole?: boolean
  /** All values are milliseconds. */
  readonly isDuration?: boolean
  /** The rows of each bucket, drawn as faint bars behind the lines. */
  readonly volume?: { readonly values: readonly number[]; readonly rows: string }
  readonly levels?: readonly ChartLevel[]
  readonly bands?: readonly ChartBand[]
  /** The chosen bucket, which is marked. */
  readonly chosen?: number | null
  format(value: number): string
  /** A shorter format for the axis. */
  readonly formatOnAxis?: (value: number) => string
}

const MINUTE = 60_000
const DAY_MS = 86_400_000

/** A bucket in local time: "Nov 21, 14:00 – 15:00", "Nov 21", "Nov 16 – Nov 22". */
export function formatBucket(from: number, bucketMs: number): string {
  if (bucketMs === 0) return MOMENT_FORMAT.format(from)
  if (bucketMs % DAY_MS === 0) {
    const [first, last] = [from, bucketEnd(from, bucketMs) - 1].map((time) => DAY_FORMAT.format(time))
    return first === last ? DAY_FORMAT.format(from) : `${first} – ${last}`
  }
  if (bucketMs < MINUTE)
    return `${DAY_FORMAT.format(from)}, ${SECOND_FORMAT.format(from)} – ${SECOND_FORMAT.format(from + bucketMs)}`
  const isWithinDay = DAY_FORMAT.format(from) === DAY_FORMAT.format(from + bucketMs)
  return `${MOMENT_FORMAT.format(from)} – ${(isWithinDay ? MINUTE_FORMAT : MOMENT_FORMAT).format(from + bucketMs)}`
}

/** The label of an axis tick with this distance to the next. */
export function formatTick(time: number, apartMs: number): string {
  if (apartMs >= DAY_MS) return DAY_FORMAT.format(time)
  if (apartMs < MINUTE) return SECOND_FORMAT.format(time)
  const clock = MINUTE_FORMAT.format(time)
  return clock === '00:00' ? DAY_FORMAT.format(time) : clock
}

/** The latest bucket in which any line has a value; null if there is none. */
export function lastIndexWithValue({ times, lines }: Pick<ChartModel, 'times' | 'lines'>): number | null {
  for (let index = times.length - 1; index >= 0; index -= 1) {
    if (lines.some(({ values }) => values[index] !== null && values[index] !== undefined)) return index
  }
  return null
}
