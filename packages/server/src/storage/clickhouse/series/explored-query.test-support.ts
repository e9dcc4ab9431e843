import { toTraceFilters } from '@spoor/contract/trace-filters'
import { SERIES_MEASURES, type SeriesMeasureName } from '@spoor/contract/series-fields'
import type { OwnPrice, TokenRates } from '../../../ports/prices/price.ts'
import type { ExploredQuery, ExploredSeries } from '../../../ports/traces/explored-series.ts'
import { createRates } from '../../../pricing/pricer.ts'
import { PROJECT } from '../../../traces/trace-builders.test-support.ts'

const NO_FILTERS: ExploredQuery['filters'] = { ...toTraceFilters('lists', {}), metadata: [] }

export type AskedQuery = Partial<Omit<ExploredQuery, 'filters' | 'measure'>> &
  Pick<ExploredQuery, 'span' | 'buckets'> & {
    readonly measure?: SeriesMeasureName
    readonly filters?: Partial<ExploredQuery['filters']>
  }

/** A query for all traces but for these fields. */
export function exploredQuery({ measure = 'count', filters, ...fields }: AskedQuery): ExploredQuery {
  return {
    projectId: PROJECT,
    rows: 'traces',
    measure,
    stat: SERIES_MEASURES[measure].stats[0],
    groupBy: [],
    order: 'value',
    limit: 100,
    previous: null,
    filters: { ...NO_FILTERS, ...filters },
    words: null,
    among: null,
    scored: null,
    withoutMetric: null,
    rates: null,
    ...fields,
  }
}

/** As a list: time, group, count and value of each point. */
export function pointsOf({ points }: ExploredSeries) {
  return points.map(({ at, values: [group = null], other, now: { count, value } }) => ({
    at,
    group,
    other,
    count,
    value,
  }))
}

/** The rates of a project with these prices of its own, US dollars for a million tokens. */
export function ratesOf(prices: Readonly<Record<string, Partial<TokenRates>>>) {
  const own = Object.entries(prices).map(([model, rates]): [string, OwnPrice] => [
    model,
    { input: 0, output: 0, cacheRead: null, cacheWrite: null, ...rates, model, updatedAt: 0 },
  ])
  return createRates({ own: async () => new Map(own) })(PROJECT)
}
