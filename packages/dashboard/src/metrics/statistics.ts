import { isPercentile, titleOf } from '@spoor/contract/aggregations'
import type { SeriesStat } from '@spoor/contract/series-fields'
import { formatCompact, formatShare } from '../lib/format-number.ts'

/** How the numbers of the rows of a bucket become one, and how it is drawn. */
export interface Statistic {
  /** In the URL. */
  readonly id: string
  /** In the API. */
  readonly stat: SeriesStat
  readonly label: string
  readonly scale: 'share' | 'zero' | 'auto'
  /** All values are whole numbers. */
  readonly whole?: boolean
  readonly kind: 'lines' | 'bars'
  /** The value of an empty bucket: a gap, or 0 for counts. */
  readonly empty: 0 | null
  format(value: number): string
  /** For the axis, without the unit. */
  readonly formatOnAxis?: (value: number) => string
}

export function number(
  stat: Exclude<SeriesStat, 'count' | 'sum' | 'rate'>,
  format: Statistic['format'],
  scale: 'auto' | 'zero' = 'auto',
  formatOnAxis = format,
): Statistic {
  const label = isPercentile(stat) ? titleOf(stat) : titleOf(stat === 'mean' ? 'avg' : stat)
  return { id: stat === 'mean' ? 'avg' : stat, stat, label, scale, kind: 'lines', empty: null, format, formatOnAxis }
}

export function share(id: string, label: string): Statistic {
  return { id, stat: 'rate', label, scale: 'share', kind: 'lines', empty: null, format: formatShare }
}

export function total(id: string, stat: 'count' | 'sum', label: string): Statistic {
  return { id, stat, label, scale: 'zero', whole: true, kind: 'bars', empty: 0, format: formatCompact }
}
