import { bucketOf, type TimeBuckets } from '../../../lib/time/time-buckets.ts'
import { dollarsOf, type ModelRates, type PricedTokens, UNKNOWN_COST } from '../../../ports/prices/price.ts'
import type { ExploredQuery } from '../../../ports/traces/explored-series.ts'
import { integer } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import type { RowGroup } from '../rows/row-groups.ts'
import { FINAL_SETTINGS } from './aggregate-rows.ts'
import { tooManyPoints } from './bucketed-rows.ts'
import type { Scanned } from './scanned.ts'
import { isCost } from './series-measures.ts'

/** Maximum lines of tokens by bucket, group and model in one result. */
const MOST_LINES = 200_000

/** The model of `used`, a line of tokens, as an expression. */
export const USED_MODEL = `splitByChar('\\n', used.model)[1]`

const COUNTED = ['input', 'output', 'cacheRead', 'cacheWrite'] as const satisfies readonly (keyof PricedTokens)[]

/** Tokens of one model in one bucket and group. `input` includes cached tokens. */
interface UsedTokens {
  readonly bucket: number
  readonly group: string
  /** As `pricedName`. */
  readonly model: string
  readonly tokens: PricedTokens
}

/** Whether the tokens are summed by model and priced then, because prices are linear (TokenRates). */
export function isPricedAfter({ measure, stat, rates }: ExploredQuery): boolean {
  return isCost(measure) && stat === 'sum' && rates !== null
}

/**
 * Tokens used of each model, by bucket and group. `group` and `bucket` are expressions on rows of `from`; the former
 * may use USED_MODEL. Throws DomainError `validation_failed` when there are too many lines.
 */
export async function readUsedTokens(
  engine: TelemetryEngine,
  { from, column, bucket, group }: { from: string; column: string; bucket: string; group: RowGroup },
): Promise<readonly UsedTokens[]> {
  const sums = COUNTED.map((kind) => `sum(toFloat64(used.tokens.${kind}))`).join(', ')
  const lines = await engine.select(
    `SELECT b, toString(any(g)), any(used.model), ${sums} ` +
      `FROM (SELECT used, ${bucket} AS b, ${group.expression} AS g FROM (SELECT * FROM ${from}) ARRAY JOIN ${column} AS used) ` +
      `GROUP BY b, cityHash64(g, used.model) LIMIT ${integer(MOST_LINES + 1)} SETTINGS ${FINAL_SETTINGS}`,
  )
  if (lines.length > MOST_LINES) throw tooManyPoints()
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
