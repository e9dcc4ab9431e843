import { COST_DECIMALS } from '@spoor/contract/schemas/price'
import { type ModelRates, type PricedTokens, type TokenRates, UNKNOWN_COST } from '../../../ports/prices/price.ts'
import type { FeedCandidateQuery } from '../../../ports/traces/trace-store.ts'
import { doubles, integer, integers, text, texts } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/**
 * The sort key `cost_usd` of a row of `traces` or `steps`, an Int64. It MUST be the number that `costKey`
 * (pricing/cost-key.ts) gives for the same tokens, to the last bit: the same operations on doubles in the same order.
 * `onlyModel` is an expression: only tokens of that model count. `column`: `wasted` has a part of the tokens of
 * `usage`.
 */
export async function costExpression(
  engine: Pick<TelemetryEngine, 'select'>,
  { projectId, lowestId, highestId }: Pick<FeedCandidateQuery, 'projectId' | 'lowestId' | 'highestId'>,
  rates: ModelRates,
  table: 'traces' | 'steps' = 'traces',
  onlyModel: string | null = null,
  column: 'usage' | 'wasted' = 'usage',
): Promise<string> {
  const id = table === 'traces' ? 'id' : 'trace_id'
  const rows = await engine.select(
    `SELECT DISTINCT arrayJoin(usage.model) FROM ${table} ` +
      `WHERE project_id = ${text(projectId)} AND indexHint(${id} >= ${text(lowestId)} AND ${id} <= ${text(highestId)})`,
  )
  const models = rows.map(([model]) => model as string)
  return costOfColumn(pricedAmong(models, rates), onlyModel, column)
}

/** The cost as answers print it, US dollars, of rows of `traces` that used these models; null if it is unknown. */
export function dollarsExpression(models: readonly string[], rates: ModelRates): string {
  const priced = pricedAmong(models, rates)
  if (priced.length === 0) return `CAST(NULL, 'Nullable(Float64)')`
  const { cost, isPriced } = costParts(priced, null, 'usage')
  return `if(${isPriced}, toFloat64(toDecimalString(${cost}, ${integer(COST_DECIMALS)})), NULL)`
}

function pricedAmong(models: readonly string[], rates: ModelRates): readonly Priced[] {
  return models.flatMap((model) => {
    const found = rates.of(model)
    return found === null ? [] : [{ ...found, model }]
  })
}

type Priced = TokenRates & { readonly model: string }

const KINDS = ['input', 'cacheRead', 'cacheWrite', 'output'] as const satisfies readonly (keyof PricedTokens)[]

function costOfColumn(priced: readonly Priced[], onlyModel: string | null, column: string): string {
  if (priced.length === 0) return `toInt64(${integer(UNKNOWN_COST)})`
  const { cost, isPriced } = costParts(priced, onlyModel, column)
  const key = `toInt64(least(floor(${cost} * 1000000000. + 0.5), ${integer(Number.MAX_SAFE_INTEGER)}.))`
  // Neither tuples nor if(): the engine would copy the former, and sort out the rows of each branch of the latter.
  return `(${isPriced} * (${key} - ${integer(UNKNOWN_COST)}) + ${integer(UNKNOWN_COST)})`
}

/** US dollars, and whether any of the models of the row has a price: if nothing was wasted, that cost nothing. */
function costParts(priced: readonly Priced[], onlyModel: string | null, column: string) {
  const models = `[${texts(priced.map(({ model }) => model))}]`
  const rate = (of: (rates: TokenRates) => number) => `transform(model, ${models}, [${doubles(priced.map(of))}], 0.)`
  // As costOf does: cached tokens are part of the input.
  const fresh = 'greatest(0, toInt64(input) - toInt64(cacheRead) - toInt64(cacheWrite))'
  const billed = [
    `toFloat64(${fresh}) * ${rate((rates) => rates.input)}`,
    `toFloat64(cacheRead) * ${rate((rates) => rates.cacheRead ?? rates.input)}`,
    `toFloat64(cacheWrite) * ${rate((rates) => rates.cacheWrite ?? rates.input)}`,
    `toFloat64(output) * ${rate((rates) => rates.output)}`,
  ].join(' + ')
  const columns = KINDS.map((kind) => `${column}.tokens.${kind}`).join(', ')
  const counts = onlyModel === null ? '' : ` AND splitByChar('\\n', model)[1] = ${onlyModel}`
  const share = onlyModel === null ? '' : ` * (splitByChar('\\n', model)[1] = ${onlyModel})`
  const cost = `arraySum((model, ${KINDS.join(', ')}) -> (${billed})${share} / 1000000., ${column}.model, ${columns})`
  const isPriced = `arrayExists(model -> transform(model, ${models}, [${integers(priced.map(() => 1))}], 0) = 1${counts}, usage.model)`
  return { cost, isPriced }
}
