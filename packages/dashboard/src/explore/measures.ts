import { percentilesOf } from '@spoor/contract/aggregations'
import type { SeriesMeasureName } from '@spoor/contract/series-fields'
import type { Filters } from '../api/client/feed.ts'
import type { SeriesSubject } from '../api/series.ts'
import { formatCompact, formatCost, formatCostOnAxis } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import type { PointWeight, SeriesPoint } from '../lib/series-data.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { number, share, type Statistic, total } from '../metrics/statistics.ts'

/** A number of traces or of steps, and how it is drawn over time. */
export interface Measure {
  /** In the URL. */
  readonly id: string
  readonly rows: 'traces' | 'steps'
  readonly label: string
  /** The first is the default. */
  readonly statistics: readonly [Statistic, ...Statistic[]]
  subject(of: Filters): SeriesSubject
  /** The rank of a group is its total of the measure, as in the service: a rate or a percentile ranks groups of one. */
  readonly weightOf: PointWeight
  /** The rows behind a point: those that count most come first. */
  readonly worst: Pick<FeedSearch, 'sort' | 'status' | 'step_status'>
}

const ofSum: Statistic['of'] = ({ sum }) => sum ?? 0
const weightOfSum: PointWeight = ({ sum = 0 }) => sum
const failed = ({ error_rate = 0, count }: SeriesPoint) => Math.round(error_rate * count)
const CENTRAL = ['avg', 'max', 'min'] as const

type Parts = Pick<Measure, 'statistics' | 'weightOf'> & Partial<Pick<Measure, 'worst'>>

const duration: Parts = {
  statistics: [
    number('p95', formatDuration, 'zero'),
    ...percentilesOf('traces')
      .filter((id) => id !== 'p95')
      .map((id) => number(id, formatDuration, 'zero')),
    ...CENTRAL.map((id) => number(id, formatDuration, 'zero')),
  ],
  weightOf: ({ avg = 0, count }) => avg * count,
  worst: { sort: 'duration_ms' },
}
const tokens = (label: string): Parts => ({
  statistics: [
    total('sum', label, ofSum),
    ...(['avg', ...percentilesOf('traces'), 'max'] as const).map((id) => number(id, formatCompact, 'zero')),
  ],
  weightOf: weightOfSum,
  worst: { sort: 'total_tokens' },
})
const cost: Parts = {
  statistics: [{ ...total('sum', 'Cost', ofSum), whole: false, format: formatCost, formatOnAxis: formatCostOnAxis }],
  weightOf: weightOfSum,
  worst: { sort: 'cost_usd' },
}
const counted = (label: string): Parts => ({
  statistics: [total('count', label, ({ count }) => count)],
  weightOf: ({ count }) => count,
})
const failures = (rows: string): Parts => ({
  statistics: [
    share('error_rate', 'Error rate', (point) => point.error_rate ?? null),
    total('errors', `Failed ${rows}`, failed),
  ],
  weightOf: ({ error_rate = 0, count }) => error_rate * count,
})
const summed = (label: string): Parts => ({ statistics: [total('sum', label, ofSum)], weightOf: weightOfSum })

const ofTraces = (measure: SeriesMeasureName, label: string, parts: Parts): Measure => ({
  id: measure,
  rows: 'traces',
  label,
  worst: measure === 'error_rate' ? { status: 'error' } : {},
  subject: (of) => ({ kind: 'traces', measure, of }),
  ...parts,
})
const ofSteps = (measure: SeriesMeasureName, label: string, parts: Parts): Measure => ({
  id: `steps.${measure}`,
  rows: 'steps',
  label,
  worst: measure === 'error_rate' ? { step_status: 'error' } : {},
  subject: (of) => ({ kind: 'steps', measure, of }),
  ...parts,
})

const COUNT = ofTraces('count', 'Traces', counted('Traces'))

/** All measures, in the order of their menu. */
export const MEASURES: readonly Measure[] = [
  COUNT,
  ofTraces('error_rate', 'Error rate', failures('traces')),
  ofTraces('recovered_errors', 'Recovered errors', summed('Recovered errors')),
  ofTraces('duration_ms', 'Duration', duration),
  ofTraces('total_tokens', 'Tokens', tokens('Tokens')),
  ofTraces('input_tokens', 'Input tokens', tokens('Input tokens')),
  ofTraces('output_tokens', 'Output tokens', tokens('Output tokens')),
  ofTraces('cached_tokens', 'Cached tokens', tokens('Cached tokens')),
  ofTraces('cost_usd', 'Cost', cost),
  ofTraces('wasted_tokens', 'Wasted tokens', summed('Wasted tokens')),
  ofTraces('wasted_cost_usd', 'Wasted cost', cost),
  ofSteps('count', 'Steps', counted('Steps')),
  ofSteps('error_rate', 'Steps: error rate', failures('steps')),
  ofSteps('duration_ms', 'Steps: duration', duration),
  ofSteps('total_tokens', 'Steps: tokens', tokens('Tokens')),
  ofSteps('input_tokens', 'Steps: input tokens', tokens('Input tokens')),
  ofSteps('output_tokens', 'Steps: output tokens', tokens('Output tokens')),
  ofSteps('cached_tokens', 'Steps: cached tokens', tokens('Cached tokens')),
  ofSteps('cost_usd', 'Steps: cost', cost),
]

/** A measure that is not known is the number of traces. */
export function measureOf(id: string | undefined): Measure {
  return MEASURES.find((measure) => measure.id === id) ?? COUNT
}
