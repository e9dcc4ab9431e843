import { formatDuration } from '../lib/format-time.ts'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { LINES_MAX, LINES_SHOWN, lineStyle } from '../lib/line-styles.ts'
import { type SeriesColumns, type SeriesPoint, sumOf } from '../lib/series-data.ts'
import type { ChartLine, ChartModel } from '../ui/charts/chart-model.ts'
import { isOfWholeRange, overall, type Statistic } from './statistics.ts'

export const NO_GROUP = '(none)'

/** A group as a line key. A missing value differs from every text. */
export function groupKey(group: string | null): string {
  return group === null ? 'none' : `is:${group}`
}

export function groupOfKey(key: string): string | null {
  return key.startsWith('is:') ? key.slice(3) : null
}

/** The line of all groups without their own line. */
const OTHER_GROUPS = 'other'

function valuesOf(points: readonly (SeriesPoint | null)[], { of, empty }: Statistic): (number | null)[] {
  return points.map((point) => (point === null ? empty : of(point)))
}

/** The group of a chart line; undefined for the line of several groups, and without grouping. */
export function groupOfLine(key: string | null): string | undefined {
  return key === null || key === OTHER_GROUPS ? undefined : key
}

/** The groups to draw: the chosen keys, else the largest. */
export function shownGroups(columns: SeriesColumns, chosen: readonly string[] | undefined): readonly string[] {
  const keys = columns.groups.map(({ group }) => groupKey(group))
  const known = keys.filter((key) => chosen?.includes(key))
  return known.length === 0 ? keys.slice(0, LINES_SHOWN) : known.slice(0, LINES_MAX)
}

/** The values of each line over the whole range, as one bucket. */
type Totals = ReadonlyMap<string, SeriesPoint>

export function totalsOf(points: readonly SeriesPoint[] | undefined): Totals | null {
  const named = points?.filter(({ other }) => other !== true)
  return named === undefined ? null : new Map(named.map((point) => [groupKey(point.group), point]))
}

/**
 * One line per shown group. Styles follow rank, so that a group keeps its style. A count also has a line of all others,
 * so that stacks add up to the total. `leftOut`: the number of groups that the service does not name.
 */
export function groupLines(
  columns: SeriesColumns,
  statistic: Statistic,
  shown: readonly string[],
  { totals = null, leftOut = 0 }: { readonly totals?: Totals | null; readonly leftOut?: number } = {},
): ChartLine[] {
  const lines = columns.groups.flatMap(({ group, points }, index): ChartLine[] => {
    const key = groupKey(group)
    if (!shown.includes(key)) return []
    const [values, total] = [valuesOf(points, statistic), totalOf(points, statistic, totals?.get(key))]
    return [{ key, label: group ?? NO_GROUP, ...lineStyle(index % LINES_MAX), values, total }]
  })
  const others = columns.groups.filter(({ group }) => !shown.includes(groupKey(group))).map(({ points }) => points)
  const count = others.length + leftOut
  if (columns.other !== null) others.push(columns.other)
  if (statistic.kind !== 'bars' || others.length === 0) return lines
  const columnsOf = others.map((points) => valuesOf(points, statistic))
  const values = columns.times.map((_, index) => sumOf(columnsOf.map((column) => column[index] ?? 0)))
  const label = `Other (${count} ${count === 1 ? 'group' : 'groups'})`
  return [...lines, { key: OTHER_GROUPS, label, color: '--color-line-strong', values, total: sumOf(values) }]
}

/** The single line of an ungrouped series. */
export function wholeLine(columns: SeriesColumns, statistic: Statistic, totals: Totals | null = null): ChartLine {
  const points = columns.groups[0]?.points ?? columns.times.map(() => null)
  const total = totalOf(points, statistic, totals?.get(groupKey(null)))
  return { key: 'all', label: statistic.label, ...lineStyle(0), values: valuesOf(points, statistic), total }
}

/** The value of the whole range; null if it is empty or still loading. */
function totalOf(
  points: readonly (SeriesPoint | null)[],
  statistic: Statistic,
  whole: SeriesPoint | undefined,
): number | null {
  if (isOfWholeRange(statistic)) return whole === undefined ? null : statistic.of(whole)
  return overall(
    statistic,
    points.filter((point) => point !== null),
  )
}

const OTHER_OPTIONS = 'other options'

type Counts = Readonly<Record<string, number>>

/** One line per option of an enum metric, in order. Of many options, only the largest, and one line of the others. */
export function optionLines(columns: SeriesColumns, metric: Metric, asShare: boolean): ChartLine[] {
  const points = columns.groups[0]?.points ?? columns.times.map(() => null)
  const countOfOption = (value: string) => sumOf(points.map((point) => point?.counts?.[value] ?? 0))
  const options = metric.options ?? []
  const bySize = options.map(({ value }) => value).toSorted((a, b) => countOfOption(b) - countOfOption(a))
  const own = new Set(bySize.slice(0, LINES_SHOWN))
  const rows = sumOf(points.map((point) => point?.count ?? 0))
  const totalBy = (countOf: (counts: Counts) => number) => {
    const total = sumOf(points.map((point) => countOf(point?.counts ?? {})))
    if (!asShare) return total
    return rows === 0 ? null : total / rows
  }
  const valuesBy = (countOf: (counts: Counts) => number) =>
    points.map((point) => {
      if (point === null) return asShare ? null : 0
      const count = countOf(point.counts ?? {})
      return asShare ? count / point.count : count
    })
  const lines: ChartLine[] = options
    .filter(({ value }) => own.has(value))
    .map(({ value, label }, index) => {
      const { color } = lineStyle(index)
      const of = (counts: Counts) => counts[value] ?? 0
      return { key: `is:${value}`, label: label ?? value, color, values: valuesBy(of), total: totalBy(of) }
    })
  if (options.length <= LINES_SHOWN) return lines
  const rest = (counts: Counts) =>
    Object.entries(counts).reduce((sum, [value, count]) => (own.has(value) ? sum : sum + count), 0)
  const label = `Other (${options.length - LINES_SHOWN} options)`
  const [values, total] = [valuesBy(rest), totalBy(rest)]
  return [...lines, { key: OTHER_OPTIONS, label, color: '--color-line-strong', values, total }]
}

export interface Drawn {
  /** The lines are parts of a whole. */
  readonly parts?: boolean
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
  { parts = false, draw = parts ? 'bars' : statistic.kind, log = false, volume }: Drawn = {},
): ChartModel {
  const addsUp = parts || statistic.kind === 'bars'
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
