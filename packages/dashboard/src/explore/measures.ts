import { PERCENTILE_NAMES } from '@spoor/contract/aggregations'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type { SeriesMeasureName, SeriesMeasureText, SeriesRows } from '@spoor/contract/series-fields'
import { useQuery } from '@tanstack/react-query'
import type { Filters } from '../api/client/feed.ts'
import { metricsQuery } from '../api/metrics.ts'
import type { SeriesSubject } from '../api/series.ts'
import { formatCompact, formatCost, formatCostOnAxis, formatValue } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { number, share, type Statistic, total } from '../metrics/statistics.ts'

/** A number of traces or of steps, and how it is drawn over time. */
export interface Measure {
  /** In the URL. */
  readonly id: string
  readonly rows: SeriesRows
  readonly label: string
  /** The first is the default. */
  readonly statistics: readonly [Statistic, ...Statistic[]]
  /** The first field of its groups, which cannot be chosen then. */
  readonly groupBy?: string
  /** `statistic`: the first if omitted. */
  subject(of: Filters, statistic?: Statistic): SeriesSubject
  /** The rows behind a point: those that count most come first. */
  readonly worst: Pick<
    FeedSearch,
    'sort' | 'status' | 'step_status' | 'recovered_errors' | 'finding' | 'metric' | 'passed'
  >
}

const CENTRAL = ['mean', 'max', 'min'] as const

type Parts = Pick<Measure, 'statistics'> & Partial<Pick<Measure, 'worst'>>

const duration: Parts = {
  statistics: [
    number('p95', formatDuration, 'zero'),
    ...PERCENTILE_NAMES.filter((id) => id !== 'p95').map((id) => number(id, formatDuration, 'zero')),
    ...CENTRAL.map((id) => number(id, formatDuration, 'zero')),
  ],
  worst: { sort: 'duration_ms' },
}
const tokens = (label: string): Parts => ({
  statistics: [
    total('sum', 'sum', label),
    ...(['mean', ...PERCENTILE_NAMES, 'max'] as const).map((id) => number(id, formatCompact, 'zero')),
  ],
  worst: { sort: 'total_tokens' },
})
const cost: Parts = {
  statistics: [
    { ...total('sum', 'sum', 'Cost'), whole: false, format: formatCost, formatOnAxis: formatCostOnAxis },
    ...(['mean', ...PERCENTILE_NAMES, 'max'] as const).map((id) => number(id, formatCost, 'zero', formatCostOnAxis)),
  ],
  worst: { sort: 'cost_usd' },
}
const counted = (label: string): Parts => ({ statistics: [total('count', 'count', label)] })
const failures = (rows: string): Parts => ({
  statistics: [share('error_rate', 'Error rate'), total('errors', 'sum', `Failed ${rows}`)],
})
const summed = (label: string): Parts => ({ statistics: [total('sum', 'sum', label)] })

function measure(id: string, rows: SeriesRows, of: SeriesMeasureText, label: string, parts: Parts): Measure {
  return {
    id,
    rows,
    label,
    worst: {},
    subject: (filters, { stat } = parts.statistics[0]) => ({ rows, measure: of, stat, of: filters }),
    ...parts,
  }
}

const ofTraces = (name: SeriesMeasureName, label: string, parts: Parts): Measure =>
  measure(name, 'traces', name, label, name === 'error_rate' ? { worst: { status: 'error' }, ...parts } : parts)
const ofSteps = (name: SeriesMeasureName, label: string, parts: Parts): Measure =>
  measure(
    `steps.${name}`,
    'steps',
    name,
    label,
    name === 'error_rate' ? { worst: { step_status: 'error' }, ...parts } : parts,
  )

const COUNT = ofTraces('count', 'Traces', counted('Traces'))

/** Those of every project, in the order of their menu. */
const MEASURES: readonly Measure[] = [
  COUNT,
  ofTraces('error_rate', 'Error rate', failures('traces')),
  ofTraces('recovered_errors', 'Recovered errors', {
    ...summed('Recovered errors'),
    worst: { recovered_errors: true },
  }),
  ofTraces('duration_ms', 'Duration', duration),
  ofTraces('total_tokens', 'Tokens', tokens('Tokens')),
  ofTraces('input_tokens', 'Input tokens', tokens('Input tokens')),
  ofTraces('output_tokens', 'Output tokens', tokens('Output tokens')),
  ofTraces('cached_tokens', 'Cached tokens', tokens('Cached tokens')),
  ofTraces('cost_usd', 'Cost', cost),
  ofTraces('wasted_tokens', 'Wasted tokens', { ...summed('Wasted tokens'), worst: { finding: 'any' } }),
  ofTraces('wasted_cost_usd', 'Wasted cost', { ...cost, worst: { finding: 'any', sort: 'cost_usd' } }),
  ofSteps('count', 'Steps', counted('Steps')),
  ofSteps('error_rate', 'Steps: error rate', failures('steps')),
  ofSteps('duration_ms', 'Steps: duration', duration),
  ofSteps('time_to_first_token_ms', 'Steps: time to first token', duration),
  ofSteps('total_tokens', 'Steps: tokens', tokens('Tokens')),
  ofSteps('input_tokens', 'Steps: input tokens', tokens('Input tokens')),
  ofSteps('output_tokens', 'Steps: output tokens', tokens('Output tokens')),
  ofSteps('cached_tokens', 'Steps: cached tokens', tokens('Cached tokens')),
  ofSteps('cost_usd', 'Steps: cost', cost),
]

const OF_METRIC = 'metric.'
const COUNTED = total('count', 'count', 'Scored traces')

/** The scores of traces: a share or numbers, or the traces by option. */
export function measureOfMetric({ name, kind, unit, direction }: Metric): Measure {
  const field = `${OF_METRIC}${name}` as const
  if (kind === 'enum') {
    const parts = { statistics: [COUNTED], worst: { metric: name } } as const
    const { subject, ...rest } = measure(field, 'traces', 'count', name, parts)
    const scored = ({ filters, metadata }: Filters): Filters => ({
      filters: { ...filters, metric: filters['metric'] ?? name },
      metadata,
    })
    return { ...rest, groupBy: field, subject: (of, statistic) => subject(scored(of), statistic) }
  }
  if (kind === 'boolean') {
    const statistics = [share('pass_rate', 'Pass rate'), total('passed', 'sum', 'Passed'), COUNTED] as const
    const worst = { metric: name, passed: direction === 'lower' }
    return measure(field, 'traces', field, name, { statistics: [...statistics], worst })
  }
  const format = (value: number) => (unit === null ? formatValue(value) : `${formatValue(value)} ${unit}`)
  const axis = (id: Parameters<typeof number>[0]) => number(id, format, 'auto', formatValue)
  const rest = [...PERCENTILE_NAMES, 'min', 'max'] as const
  const sum = { ...total('sum', 'sum', 'Sum'), whole: false, format }
  const parts = { statistics: [axis('mean'), ...rest.map(axis), sum, COUNTED], worst: { metric: name } } as const
  return measure(field, 'traces', field, name, { ...parts, statistics: [...parts.statistics] })
}

/** A measure of every project; one that is not known is the number of traces. */
export function measureOf(id: string | undefined): Measure {
  return MEASURES.find((each) => each.id === id) ?? COUNT
}

/** All measures of the project, and the one with this id; null until the metrics are known, if it is one of them. */
export function useMeasures(id: string | undefined): {
  readonly measures: readonly Measure[]
  readonly measure: Measure | null
} {
  const { data: metrics } = useQuery(metricsQuery)
  const measures = [...MEASURES, ...(metrics ?? []).map(measureOfMetric)]
  const found = measures.find((each) => each.id === id)
  const isUnknown = id?.startsWith(OF_METRIC) === true && metrics === undefined
  return { measures, measure: found ?? (isUnknown ? null : COUNT) }
}
