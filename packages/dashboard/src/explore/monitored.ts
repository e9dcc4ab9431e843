import { AGGREGATION_NAMES, MONITOR_MEASURES } from '@spoor/contract/aggregations'
import { filtersTakenBy } from '@spoor/contract/trace-filters'
import { changed } from '../lib/search.ts'
import { statisticOf } from '../metrics/use-series-models.ts'
import type { MonitorSearch } from '../monitors/search.ts'
import { filtersOf, withFilter } from '../traces/filters/feed-filters.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import type { Measure } from './measures.ts'

const TAKEN: readonly string[] = filtersTakenBy('monitors')

/** The address of the form of a new monitor of what is shown. `chart`: what its chart measures; null for a list. */
export function monitored(search: FeedSearch, chart: Measure | null): MonitorSearch {
  const taken = filtersOf(search).filter((filter) => filter.kind === 'metadata' || TAKEN.includes(filter.field))
  const filters = taken.reduce<FeedSearch>(withFilter, search.q === undefined ? {} : { q: search.q })
  return {
    create: true,
    filters,
    ...(search.as === 'steps' || chart?.rows === 'steps' ? { steps: true } : {}),
    ...(chart === null ? {} : ofChart(search, chart)),
  }
}

/** The parts of a chart that a monitor supports. The form drops a statistic or group that its source does not have. */
function ofChart(search: FeedSearch, chart: Measure): MonitorSearch {
  const { id, rows, worst } = chart
  const { id: statistic, stat } = statisticOf(chart, search)
  const measure = MONITOR_MEASURES.find((each) => id === (rows === 'steps' ? `steps.${each}` : each))
  if (measure === undefined && worst.metric === undefined) return {}
  return changed<MonitorSearch>(
    {},
    {
      metric: worst.metric,
      measure,
      aggregation: AGGREGATION_NAMES.find((each) => each === statistic || each === stat),
      for_each: search.group_by,
    },
  )
}
