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

/** One line for each option of an enum metric, in their order. */
export function optionLines(columns: SeriesColumns, metric: Metric, asShare: boolean): ChartLine[] {
  const points = columns.groups[0]?.points ?? columns.times.map(() => null)
  const defined = (metric.options ?? []).map(({ value, label }) => ({ value, label: label ?? value }))
  return defined.map(({ value, label }, index) => {
    const { color, dashed } = lineStyle(index % LINES_MAX)
    const values = points.map((point) => {
      if (point === null) return asShare ? null : 0
      const count = point.counts?.[value] ?? 0
      return asShare ? count / point.count : count
    })
    return { key: value, label, color, dashed, values }
  })
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
  }
}
