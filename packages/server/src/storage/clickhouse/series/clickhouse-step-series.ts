import { percentilesOf } from '@spoor/contract/aggregations'
import { SERIES_POINTS_MAX } from '@spoor/contract/limits'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { Series } from '../../../ports/metrics/series-point.ts'
import type {
  StepAggregates,
  StepGroup,
  StepSeriesMeasure,
  StepSeriesQuery,
  StepSeriesStore,
} from '../../../ports/traces/step-series.ts'
import { matchingSteps } from '../feed/matching-traces.ts'
import { columnGroup, type RowGroup } from '../rows/row-groups.ts'
import type { AggregateRows } from './aggregate-rows.ts'
import { groupedRows, tooManyPoints } from './bucketed-rows.ts'
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { withoutDeleted } from './deleted-events.ts'
import { distribution, type Numbers, toDistribution, toSum } from './numeric-aggregates.ts'

/** Series over the table `steps`, by the creation of the trace: one query, which reads narrow columns. */
export class ClickHouseStepSeries implements StepSeriesStore {
  readonly #dependencies: AggregateDependencies

  constructor(dependencies: AggregateDependencies) {
    this.#dependencies = dependencies
  }

  async stepSeries(query: StepSeriesQuery): Promise<Series<StepAggregates>> {
    const { engine, settled, pendingPurges } = this.#dependencies
    const { projectId, measure, span, buckets, groupBy } = query
    await settled()
    const deleted = await withoutDeleted(engine, pendingPurges, projectId, 'steps')
    const lowest = idAtTime('tr', span.startTime)
    const { conditions, cost } = await matchingSteps(this.#dependencies, query, lowest, deleted)
    const { known = [], weight, expressions, read } = toMeasure(measure, cost)
    const rows: AggregateRows = {
      table: 'steps FINAL',
      hint: null,
      // A key is evaluated before versions of a step are merged; a later version may not pass.
      key: [],
      conditions: [...conditions, ...known],
      stepsWithin: [],
      time: 'trace_created_at',
      byMinute: false,
    }
    const group = groupBy === null ? null : GROUPS[groupBy]
    const { found, groups } = await groupedRows(engine, rows, buckets, group, weight, ['count()', ...expressions])
    if (found.length > SERIES_POINTS_MAX) throw tooManyPoints()
    const points = found.map(({ values, ...place }) =>
      Object.assign(place, { count: values[0] as number, aggregates: read(values as Numbers) }),
    )
    return { points, groupsLeftOut: groups?.leftOut ?? 0 }
  }
}

const GROUPS: Readonly<Record<StepGroup, RowGroup>> = {
  step_name: columnGroup('name'),
  step_type: columnGroup('type'),
  // An answer of a model with a call is no call of the tool.
  tool: columnGroup(`if(type = 'tool', tools[1], '')`),
  model: columnGroup('model'),
  status: columnGroup('status'),
  error_type: columnGroup('error_type'),
}

interface Measure {
  readonly known?: readonly string[]
  /** Groups with the greatest weight are shown. */
  readonly weight: string
  /** Behind the count. */
  readonly expressions: readonly string[]
  readonly read: (values: Numbers) => StepAggregates
}

const SHOWN = percentilesOf('traces')
const FAILED = `countIf(status = 'error')`
const TOKENS = {
  total_tokens: 'total_tokens',
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  cached_tokens: 'cache_read_tokens',
} as const

function toMeasure(measure: StepSeriesMeasure, cost: string | null): Measure {
  switch (measure) {
    case 'count':
      return { weight: 'count()', expressions: [], read: () => ({}) }
    case 'error_rate':
      return { weight: FAILED, expressions: [FAILED], read: ([, errors]) => ({ errors }) }
    case 'cost_usd': {
      // Billionths of a dollar; unknown costs are negative.
      const sum = `sum(toFloat64(greatest(0, ${cost ?? '0'}))) / 1e9`
      return { weight: sum, expressions: [sum], read: ([, total]) => ({ sum: total }) }
    }
    case 'duration_ms': {
      const { weight, expressions } = ofNumber('duration_ms')
      return { known: ['duration_ms >= 0'], weight, expressions, read: (values) => toDistribution(SHOWN, values) }
    }
    default:
      return {
        ...ofNumber(TOKENS[measure]),
        read: (values) => ({ sum: toSum(values[1]), ...toDistribution(SHOWN, values) }),
      }
  }
}

function ofNumber(column: string) {
  const number = `toFloat64(${column})`
  return { weight: `sum(${number})`, expressions: distribution(SHOWN, number).slice(1) }
}
