import { formatDuration } from '../lib/format-time.ts'
import { LINES_MAX, LINES_SHOWN, lineStyle } from '../lib/line-styles.ts'
import { groupLabel, OTHER_GROUPS, type SeriesColumns, type SeriesGroup, sumOf } from '../lib/series-data.ts'
import type { ChartLine, ChartModel } from '../ui/charts/chart-model.ts'
import type { Statistic } from './statistics.ts'

function valuesOf(points: SeriesGroup['points'], { empty }: Statistic): (number | null)[] {
  return points.map((point) => (point === null ? empty : point.value))
}

/** The line of the period before; its key is that of no group. */
function lineBefore(points: SeriesGroup['points'], statistic: Statistic, line: ChartLine): ChartLine {
  return {
    key: `before ${line.key}`,
    of: line.key,
    label: `${line.label}, before`,
    color: line.key === 'all' ? '--color-line-strong' : line.color,
    dashed: true,
    values: points.map((point) => point?.previous?.value ?? statistic.empty),
  }
}

/** The group of a chart line; undefined for the line of several groups, and without grouping. */
export function groupOfLine(key: string | null): string | undefined {
  return key === null || key === OTHER_GROUPS || key === 'all' ? undefined : key.replace(/^before /, '')
}

/** The groups to draw: the chosen keys, else the first. */
export function shownGroups({ groups }: SeriesColumns, chosen: readonly string[] | undefined): readonly string[] {
  const keys = groups.map(({ key }) => key)
  const known = keys.filter((key) => chosen?.includes(key))
  return known.length === 0 ? keys.slice(0, LINES_SHOWN) : known.slice(0, LINES_MAX)
}

/**
 * One line per shown group. Styles follow rank, so that a group keeps its style. A count also has a line of all others,
 * so that stacks add up to the total. `leftOut`: the number of groups that the service does not name.
 */
export function groupLines(
  { groups, other, times }: SeriesColumns,
  statistic: Statistic,
  shown: readonly string[],
  { leftOut = 0, before = false, labelOf = (key: string) => groupLabel(key) } = {},
): ChartLine[] {
  const lines = groups.flatMap(({ key, points, total }, rank): ChartLine[] => {
    if (!shown.includes(key)) return []
    const values = valuesOf(points, statistic)
    const line = { key, label: labelOf(key), ...lineStyle(rank % LINES_MAX), values, total: total.value }
    return before ? [line, lineBefore(points, statistic, line)] : [line]
  })
  const others = groups.filter(({ key }) => !shown.includes(key))
  const count = others.length + leftOut
  if (other !== null) others.push(other)
  if (statistic.kind !== 'bars' || others.length === 0) return lines
  const columns = others.map(({ points }) => valuesOf(points, statistic))
  const values = times.map((_, index) => sumOf(columns.map((column) => column[index] ?? 0)))
  const label = `Other (${count} ${count === 1 ? 'group' : 'groups'})`
  const total = sumOf(others.map((each) => each.total.value ?? 0))
  return [...lines, { key: OTHER_GROUPS, label, color: '--color-line-strong', values, total }]
}

/** The line of an ungrouped series. */
export function wholeLine({ groups, times }: SeriesColumns, statistic: Statistic): ChartLine {
  const points = groups[0]?.points ?? times.map(() => null)
  const total = groups[0]?.total.value ?? statistic.empty
  return { key: 'all', label: statistic.label, ...lineStyle(0), values: valuesOf(points, statistic), total }
}

/** The same, with the line of the period before. */
export function wholeLines(columns: SeriesColumns, statistic: Statistic, before: boolean): ChartLine[] {
  const line = wholeLine(columns, statistic)
  return before ? [line, lineBefore(columns.groups[0]?.points ?? [], statistic, line)] : [line]
}

export interface Drawn {
  /** Undefined: as the statistic is by default. */
  readonly draw?: 'lines' | 'bars' | undefined
  readonly log?: boolean
  readonly volume?: ChartModel['volume']
}

/** The chart of a statistic. Bars of several lines are stacked, so only values that add up have them. */
export function toModel(
  { times, bucketMs }: SeriesColumns,
  statistic: Statistic,
  lines: readonly ChartLine[],
  { draw = statistic.kind, log = false, volume }: Drawn = {},
): ChartModel {
  const addsUp = statistic.kind === 'bars' && lines.every(({ of }) => of === undefined)
  const kind = draw === 'lines' || (lines.length > 1 && !addsUp) ? 'lines' : lines.length > 1 ? 'stack' : 'bars'
  return {
    times,
    bucketMs,
    lines,
    kind,
    scale: log && kind === 'lines' ? 'log' : statistic.scale,
    whole: statistic.whole === true,
    isDuration: statistic.format === formatDuration,
    ...(volume === undefined ? {} : { volume }),
    format: statistic.format,
    ...(statistic.formatOnAxis === undefined ? {} : { formatOnAxis: statistic.formatOnAxis }),
  }
}
