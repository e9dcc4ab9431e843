import { type SeriesColumns, type SeriesPoint, sumOf } from '../lib/series-data.ts'
import { groupKey, totalsOf } from './lines.ts'
import type { Statistic } from './statistics.ts'

/** A group over the whole range. Null: not known, or there is nothing to compute it from. */
export interface GroupRow {
  readonly key: string
  readonly group: string | null
  /** Its place by the total of the measure, which gives its line its style; null for all groups without a name. */
  readonly rank: number | null
  readonly count: number
  readonly value: number | null
  /** Against the period before: a difference of shares, else a ratio less 1. Null without a value before. */
  readonly change: number | null
  /** Of the total where values add up, else of the rows. */
  readonly share: number | null
}

export const GROUP_SORTS = ['group', 'count', 'value', 'change', 'share'] as const
export type GroupSort = (typeof GROUP_SORTS)[number]

/** The rows of the table of groups, by the total of the measure; all groups without a name come last. */
export function groupRows(
  { groups }: Pick<SeriesColumns, 'groups'>,
  statistic: Statistic,
  whole: readonly SeriesPoint[] | undefined,
  before: readonly SeriesPoint[] | undefined,
): readonly GroupRow[] {
  const addsUp = statistic.kind === 'bars'
  const weightOf = (point: SeriesPoint) => (addsUp ? (statistic.of(point) ?? 0) : point.count)
  const sum = sumOf((whole ?? []).map(weightOf))
  const rowOf = (key: string, group: string | null, rank: number | null, point?: SeriesPoint, past?: SeriesPoint) => {
    const value = point === undefined ? null : statistic.of(point)
    const share = point === undefined || sum === 0 ? null : weightOf(point) / sum
    return { key, group, rank, count: point?.count ?? 0, value, share, change: changeOf(statistic, value, past) }
  }
  const [totals, pasts] = [totalsOf(whole), totalsOf(before)]
  const named = groups.map(({ group }, rank) => {
    const key = groupKey(group)
    return rowOf(key, group, rank, totals?.get(key), pasts?.get(key))
  })
  const other = whole?.find((point) => point.other === true)
  // Percentiles and rates of several groups as one say nothing about any of them.
  if (other === undefined || !addsUp) return named
  return [
    ...named,
    rowOf(
      'other',
      null,
      null,
      other,
      before?.find((point) => point.other === true),
    ),
  ]
}

function changeOf(statistic: Statistic, value: number | null, past: SeriesPoint | undefined): number | null {
  const old = past === undefined ? null : statistic.of(past)
  if (value === null || old === null) return null
  if (statistic.scale === 'share') return value - old
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
