import { isPercentile, PERCENTILES, percentilesOf } from '@spoor/contract/aggregations'
import { isCost, type SeriesMeasureName } from '@spoor/contract/series-fields'
import type { ExploredQuery, ExploredValue } from '../../../ports/traces/explored-series.ts'
import { distribution, type Numbers, scaledSum, toDistribution, toSum } from './numeric-aggregates.ts'

export interface SqlMeasure {
  /** Conditions for rows whose number is known. */
  readonly known: readonly string[]
  /** The value of the statistic, by which groups are ranked. */
  readonly weight: string
  /** Behind the count. */
  readonly expressions: readonly string[]
  readonly read: (values: Numbers) => ExploredValue
}

/** Measures whose column has another name, or that are computed. Columns mean the same in both tables. */
const EXPRESSIONS: Readonly<Partial<Record<SeriesMeasureName, string>>> = {
  count: '1',
  error_rate: `status = 'error'`,
  cached_tokens: 'cache_read_tokens',
}

/** Measures that have a whole distribution in each point. */
const DISTRIBUTED: ReadonlySet<string> = new Set([
  'duration_ms',
  'time_to_first_token_ms',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
])

export function isDistributed(measure: ExploredQuery['measure']): boolean {
  return DISTRIBUTED.has(String(measure))
}

const SHOWN = percentilesOf('traces')

/** `cost`: the expression for the cost of a row, billionths of a dollar, negative if unknown. */
export function sqlMeasure(
  { measure, stat }: Pick<ExploredQuery, 'measure' | 'stat'>,
  cost: string | null,
): SqlMeasure {
  const isSum = stat === 'sum' || stat === 'count'
  const number = numberOf(measure, cost)
  const known = knownRows(measure, cost, isSum)
  const weight = statOf(stat, number)
  if (isDistributed(measure)) {
    return {
      known,
      weight,
      expressions: distribution(SHOWN, number).slice(1),
      read: (values) => {
        const [of, sum] = [toDistribution(SHOWN, values), toSum(values[1])]
        const value = isPercentile(stat) ? of[stat] : { ...of, count: values[0], sum, mean: of.avg, rate: of.avg }[stat]
        return { count: values[0], value, sum, distribution: of }
      },
    }
  }
  return {
    known,
    weight,
    expressions: [weight, scaledSum(number)],
    read: ([count, found, scaled]) => {
      const value = stat === 'sum' ? toSum(found) : found
      if (measure === 'error_rate') return { count, value, errors: toSum(scaled) }
      return { count, value, ...(stat === 'sum' && typeof measure === 'string' ? { sum: toSum(scaled) } : {}) }
    },
  }
}

/** Conditions for rows of known duration or cost. Of costs, a sum has all rows. */
export function knownRows(measure: ExploredQuery['measure'], cost: string | null, isSum: boolean): readonly string[] {
  if (isCost(measure)) return isSum ? [] : [`${cost ?? '-1'} >= 0`]
  return measure === 'duration_ms' || measure === 'time_to_first_token_ms' ? [`${measure} >= 0`] : []
}

export function numberOf(measure: ExploredQuery['measure'], cost: string | null): string {
  if (typeof measure === 'object') return 'measured'
  // Rows of unknown cost add nothing to a sum.
  if (isCost(measure)) return `toFloat64(greatest(0, ${cost ?? '0'})) / 1e9`
  return `toFloat64(${EXPRESSIONS[measure] ?? measure})`
}

function statOf(stat: ExploredQuery['stat'], number: string): string {
  if (isPercentile(stat)) return `quantile(${PERCENTILES[stat].fraction})(${number})`
  switch (stat) {
    case 'count':
      return 'count()'
    case 'sum':
      return scaledSum(number)
    case 'mean':
    case 'rate':
      return `avg(${number})`
    default:
      return `${stat}(${number})`
  }
}
