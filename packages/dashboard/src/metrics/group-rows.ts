import { type GroupTotal, type SeriesColumns, sumOf } from '../lib/series-data.ts'
import type { Statistic } from './statistics.ts'

/** A group over the whole range. Null: there is nothing to compute it from. */
export interface GroupRow {
  readonly key: string
  /** Its place among the groups, which gives its line its style; null for all groups without a name. */
  readonly rank: number | null
  readonly count: number
  readonly value: number | null
  /** Against the period before: a difference of shares, else a ratio less 1. Null without a value before. */
  readonly change: number | null
  /** Of the total where values add up, else of the rows. */
  readonly share: number | null
}

export const GROUP_SORTS = ['key', 'count', 'value', 'change', 'share'] as const
export type GroupSort = (typeof GROUP_SORTS)[number]

/** The rows of the table of groups, as ranked by the service; all groups without a name come last. */
export function groupRows(
  { groups, other }: Pick<SeriesColumns, 'groups' | 'other'>,
  statistic: Statistic,
): readonly GroupRow[] {
  const addsUp = statistic.kind === 'bars'
  const weightOf = ({ value, count }: GroupTotal) => (addsUp ? (value ?? 0) : count)
  const all = other === null ? groups : [...groups, other]
  const sum = sumOf(all.map(({ total }) => weightOf(total)))
  // Percentiles and rates of several groups as one say nothing about any of them.
  return (addsUp ? all : groups).map(({ key, total }, rank) => ({
    key,
    rank: total.other === true ? null : rank,
    count: total.count,
    value: total.value,
    change: changeOf(statistic, total),
    share: sum === 0 ? null : weightOf(total) / sum,
  }))
}

function changeOf({ scale }: Statistic, { value, previous }: GroupTotal): number | null {
  const old = previous?.value ?? null
  if (value === null || old === null) return null
  if (scale === 'share') return value - old
  return old === 0 ? null : value / old - 1
}

/** Sorted by a column; what has no value there is last in both orders. */
export function sortedRows(rows: readonly GroupRow[], by: GroupSort, ascending: boolean): readonly GroupRow[] {
  return rows.toSorted((a, b) => {
    const [left, right] = [a[by], b[by]]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    const order = left < right ? -1 : left > right ? 1 : 0
    return ascending ? order : -order
  })
}
