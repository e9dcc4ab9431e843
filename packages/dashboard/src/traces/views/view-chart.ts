import type { ViewChart } from '@spoor/contract/schemas/view'
import type { SeriesMeasureText, SeriesStat } from '@spoor/contract/series-fields'
import { type ChartSearch, chartSearch } from '../../lib/chart-search.ts'
import { changed } from '../../lib/search.ts'

const OF_STEPS = 'steps.'
/** Statistics whose name in an address is not that of the API. */
const STATS: Readonly<Record<string, SeriesStat>> = {
  avg: 'mean',
  errors: 'sum',
  passed: 'sum',
  error_rate: 'rate',
  pass_rate: 'rate',
}
const DRAWN = { line: 'lines', bar: 'bars', stacked: 'bars', groups: 'groups' } as const

/** The chart of an address as the API takes it. */
export function toViewChart(search: ChartSearch): ViewChart {
  const { measure: id = 'count', stat, group_by, then_by, rank, before, bucket, draw, log } = search
  const fields = [group_by, then_by].filter((field) => field !== undefined)
  const chart = {
    rows: id.startsWith(OF_STEPS) ? 'steps' : 'traces',
    measure: id.replace(OF_STEPS, '') as SeriesMeasureText,
    stat: stat === undefined ? undefined : (STATS[stat] ?? (stat as SeriesStat)),
    group_by: fields.length === 0 ? undefined : fields,
    order: rank,
    compare: before === true ? 'previous' : undefined,
    bucket,
    drawn: draw === 'lines' ? 'line' : draw === 'bars' ? (fields.length === 0 ? 'bar' : 'stacked') : draw,
    log,
  } as const
  return changed<ViewChart>({ rows: chart.rows, measure: chart.measure }, chart)
}

/** The address of a chart. */
export function fromViewChart({ rows, measure, stat, group_by = [], order, compare, bucket, drawn, log }: ViewChart) {
  return chartSearch({
    measure: rows === 'steps' ? OF_STEPS + measure : measure === 'count' ? undefined : measure,
    stat,
    group_by: group_by[0],
    then_by: group_by[1],
    rank: order,
    before: compare === 'previous' ? true : undefined,
    bucket,
    draw: drawn === undefined ? undefined : DRAWN[drawn],
    log,
  })
}
