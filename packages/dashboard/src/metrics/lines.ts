import type { Metric } from '@spoor/contract/schemas/metric'
import { LINES_MAX, LINES_SHOWN, lineStyle } from '../lib/line-styles.ts'
import type { SeriesColumns, SeriesPoint } from '../lib/series-data.ts'
import type { ChartLine, ChartModel } from '../ui/chart-model.ts'
import type { Statistic } from './statistics.ts'

export const NO_GROUP = '(none)'

/** A group as a key of a line; no value is apart from every text. */
export function groupKey(group: string | null): string {
  return group === null ? 'none' : `is:${group}`
}

export function groupOfKey(key: string): string | null {
  return key.startsWith('is:') ? key.slice(3) : null
}

function valuesOf(points: readonly (SeriesPoint | null)[], { of, empty }: Statistic): (number | null)[] {
  return points.map((point) => (point === null ? empty : of(point)))
}

/** The groups that are drawn: the chosen ones, by key, else the largest. */
export function shownGroups(columns: SeriesColumns, chosen: readonly string[] | undefined): readonly string[] {
  const keys = columns.groups.map(({ group }) => groupKey(group))
  const known = keys.filter((key) => chosen?.includes(key))
  return known.length === 0 ? keys.slice(0, LINES_SHOWN) : known.slice(0, LINES_MAX)
}

/** One line for each group that is shown; styles go by size, so that a group keeps its own while others come and go. */
export function groupLines(columns: SeriesColumns, statistic: Statistic, shown: readonly string[]): ChartLine[] {
  return columns.groups.flatMap(({ group, points }, index) => {
    const key = groupKey(group)
    if (!shown.includes(key)) return []
    const values = valuesOf(points, statistic)
    return [{ key, label: group ?? NO_GROUP, ...lineStyle(index % LINES_MAX), values }]
  })
}

/** The one line of a series without groups. */
export function wholeLine(columns: SeriesColumns, statistic: Statistic): ChartLine {
  const points = columns.groups[0]?.points ?? columns.times.map(() => null)
  return { key: 'all', label: statistic.label, ...lineStyle(0), values: valuesOf(points, statistic) }
}

const OTHER_KEY = 'other options'

/** One line for each option of an enum metric, in their order; of many the largest, and the rest as one. */
export function optionLines(columns: SeriesColumns, metric: Metric, asShare: boolean): ChartLine[] {
  const points = columns.groups[0]?.points ?? columns.times.map(() => null)
  const totalOf = (value: string) => points.reduce((sum, point) => sum + (point?.counts?.[value] ?? 0), 0)
  const options = metric.options ?? []
  const bySize = options.map(({ value }) => ({ value, total: totalOf(value) })).toSorted((a, b) => b.total - a.total)
  const own = new Set(bySize.slice(0, LINES_SHOWN).map(({ value }) => value))
  const valuesBy = (countOf: (counts: Readonly<Record<string, number>>) => number) =>
    points.map((point) => {
      if (point === null) return asShare ? null : 0
      const count = countOf(point.counts ?? {})
      return asShare ? count / point.count : count
    })
  const lines: ChartLine[] = options
    .filter(({ value }) => own.has(value))
    .map(({ value, label }, index) => {
      const { color } = lineStyle(index)
      return { key: `is:${value}`, label: label ?? value, color, values: valuesBy((counts) => counts[value] ?? 0) }
    })
  if (options.length <= LINES_SHOWN) return lines
  const rest = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).reduce((sum, [value, count]) => (own.has(value) ? sum : sum + count), 0)
  const label = `${options.length - LINES_SHOWN} others`
  return [...lines, { key: OTHER_KEY, label, color: '--color-line-strong', values: valuesBy(rest) }]
}

/** What is drawn for a statistic. `parts`: the lines are parts of one whole. */
export function toModel(
  columns: SeriesColumns,
  statistic: Statistic,
  lines: readonly ChartLine[],
  parts = false,
): ChartModel {
  const { times, bucketMs } = columns
  const isStack = lines.length > 1 && (parts || statistic.kind === 'bars')
  return {
    times,
    bucketMs,
    lines,
    kind: isStack ? 'stack' : statistic.kind,
    scale: statistic.scale,
    format: statistic.format,
    ...(statistic.formatOnAxis === undefined ? {} : { formatOnAxis: statistic.formatOnAxis }),
  }
}
