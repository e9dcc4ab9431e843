import { isCost } from '@spoor/contract/series-fields'
import { bucketOf, type TimeBuckets } from '../../../lib/time/time-buckets.ts'
import { dollarsOf, type ModelRates, type PricedTokens, UNKNOWN_COST } from '../../../ports/prices/price.ts'
import type { ExploredQuery } from '../../../ports/traces/explored-series.ts'
import { integer } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import type { RowGroup } from './series-groups.ts'
import { FINAL_SETTINGS } from './aggregate-rows.ts'
import type { Scanned } from './scanned.ts'

/** Maximum lines of tokens by bucket, group and model in one result. */
const MOST_LINES = 200_000

/** The model of `used`, a line of tokens, as an expression. */
export const USED_MODEL = `splitByChar('\\n', used.model)[1]`

/** Input is at least what is cached of it, in each line: then prices are linear (TokenRates). */
const COUNTED = [
  'greatest(used.tokens.input, used.tokens.cacheRead + used.tokens.cacheWrite)',
  'used.tokens.output',
  'used.tokens.cacheRead',
  'used.tokens.cacheWrite',
]

/** Tokens of one model in one bucket and group. */
interface UsedTokens {
  readonly bucket: number
  readonly group: string
  /** As `pricedName`. */
  readonly model: string
  readonly tokens: PricedTokens
}

interface UsageOfRows {
  readonly from: string
  readonly column: string
  readonly bucket: string
  readonly group: RowGroup
  readonly isByModel?: boolean
}

/** Whether the tokens are summed by model and priced then. */
export function isPricedAfter({ measure, stat, rates }: ExploredQuery): boolean {
  return isCost(measure) && stat === 'sum' && rates !== null
}

/**
 * Tokens used of each model, by bucket and group; null if there are too many lines. `group` and `bucket` are
 * expressions on rows of `from`; the former may use USED_MODEL. `isByModel`: only models that the row lists count.
 */
export async function readUsedTokens(
  engine: TelemetryEngine,
  { from, column, bucket, group, isByModel = false }: UsageOfRows,
): Promise<readonly UsedTokens[] | null> {
  const sums = COUNTED.map((tokens) => `sum(toFloat64(${tokens}))`).join(', ')
  const listed = isByModel ? ` WHERE has(models, ${USED_MODEL})` : ''
  const lines = await engine.select(
    `SELECT b, toString(any(g)), any(used.model), ${sums} ` +
      `FROM (SELECT used, ${bucket} AS b, ${group.expression} AS g FROM (SELECT * FROM ${from}) ARRAY JOIN ${column} AS used${listed}) ` +
      `GROUP BY b, cityHash64(g, used.model) LIMIT ${integer(MOST_LINES + 1)} SETTINGS ${FINAL_SETTINGS}`,
  )
  if (lines.length > MOST_LINES) return null
  return (lines as readonly [number, string, string, ...number[]][]).map(([at, of, model, ...counts]) => {
    const [input, output, cacheRead, cacheWrite] = counts as [number, number, number, number]
    return { bucket: at, group: of, model, tokens: { input, output, cacheRead, cacheWrite } }
  })
}

/** The points with what the tokens cost, US dollars, as their values. */
export function priced(
  points: readonly Scanned[],
  lines: readonly UsedTokens[],
  rates: ModelRates,
  buckets: TimeBuckets,
): Scanned[] {
  const ofPoint = Map.groupBy(lines, ({ bucket, group }) => `${bucket} ${group}`)
  return points.map(({ at, group, value: { count } }) => {
    const costs = (ofPoint.get(`${bucketOf(buckets, at)} ${group}`) ?? []).map(({ model, tokens }) => {
      return { model, key: rates.costKey([{ model, tokens }]) }
    })
    const unpriced = costs.flatMap(({ model, key }) => (key === UNKNOWN_COST ? [model] : []))
    const sum = dollarsOf(costs.reduce((all, { key }) => all + Math.max(0, key), 0)) as number
    return { at, group, value: { count, value: sum, sum }, ...(unpriced.length === 0 ? {} : { unpriced }) }
  })
}
