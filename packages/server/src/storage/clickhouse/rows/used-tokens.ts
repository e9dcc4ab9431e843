import { SERIES_GROUPS_MAX } from '@spoor/contract/limits'
import { bucketStart } from '../../../lib/time/time-buckets.ts'
import { modelOfPriced } from '../../../ports/prices/price.ts'
import type { PriceOfTokens, TraceSeriesQuery, UsedTokens } from '../../../ports/traces/trace-series.ts'
import { type AggregateRows, FINAL_SETTINGS, fromRows } from '../series/aggregate-rows.ts'
import { timeBucketExpression, tooManyPoints } from '../series/bucketed-rows.ts'
import { type ChosenGroups, groupAt, placeCondition, placeOf, placesOfRow } from '../series/chosen-groups.ts'
import { doubles, integer, texts } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** Maximum lines of tokens by bucket, group and model in one result. */
const MOST_TOKEN_ROWS = 200_000
/** The price of one token is the price of this many, divided. */
const PROBE_TOKENS = 1_000_000

/** Greater than the places of groups and of expected models; a power of two. */
const PLACES = 1024

/** Of a priced name. */
const MODEL = `splitByChar('\\n', used.model)[1]`

const COUNTED = ['input', 'cacheRead', 'cacheWrite', 'output'] as const

interface Question {
  readonly query: TraceSeriesQuery
  /** The traces that count. */
  readonly rows: AggregateRows
}

/**
 * Tokens used of each model, by bucket and group. Throws DomainError `validation_failed` when there are too many lines.
 * If only models of `expected` were used, bucket, group and model are one number in the engine.
 */
export async function readUsedTokens(
  engine: TelemetryEngine,
  { query, rows }: Question,
  groups: ChosenGroups | null,
  expected: readonly string[] = [],
): Promise<readonly UsedTokens[]> {
  const { buckets, groupBy } = query
  const byModel = groupBy?.by === 'model'
  const [place, chosen] = groups === null || byModel ? ['0', ''] : [placesOfRow(groups), placeCondition(groups, 'g')]
  const source = usageOf(rows, `${timeBucketExpression('created_at', buckets)} AS b, ${place} AS g`) + chosen
  const sums = COUNTED.map((kind) => `sum(toFloat64(used.tokens.${kind}))`).join(', ')
  const read = async (columns: string, keys: string) => {
    const limit = `LIMIT ${integer(MOST_TOKEN_ROWS + 1)} SETTINGS ${FINAL_SETTINGS}`
    const lines = await engine.select(`SELECT ${columns}, ${sums} FROM ${source} GROUP BY ${keys} ${limit}`)
    if (lines.length > MOST_TOKEN_ROWS) throw tooManyPoints()
    return lines as readonly [number, number, number | string, ...number[]][]
  }
  const places = `intDiv(k, ${PLACES ** 2}), intDiv(k, ${PLACES}) % ${PLACES}, k % ${PLACES}`
  const key = () => `(b * ${PLACES} + g) * ${PLACES} + ${placeOf(expected, 'used.model')} AS k`
  let found = expected.length === 0 ? null : await read(places, key())
  if (found?.some(([, , model]) => model === 0) !== false) found = await read('b, g, used.model', 'b, g, used.model')
  return found.flatMap(([bucket, at, of, ...tokens]) => {
    const model = typeof of === 'string' ? of : (expected[of - 1] as string)
    const group = groups !== null && byModel ? groups.stored.indexOf(modelOfPriced(model).model) + 1 : at
    if (group === 0 && groups?.leftOut === 0) return []
    const [input, cacheRead, cacheWrite, output] = tokens as [number, number, number, number]
    const used = { at: bucketStart(buckets, bucket), model, tokens: { input, cacheRead, cacheWrite, output } }
    return [Object.assign(groupAt(groups, group), used)]
  })
}

/** Of too many groups, the most expensive; then the groups without cost that have the most traces. */
export async function chooseByCost(
  engine: TelemetryEngine,
  question: Question,
  byTraces: ChosenGroups,
  price: PriceOfTokens,
): Promise<ChosenGroups> {
  const { query, rows } = question
  const models = await engine.select(
    `SELECT DISTINCT used.model FROM ${usageOf(rows, '1')} LIMIT ${integer(MOST_TOKEN_ROWS)} SETTINGS ${FINAL_SETTINGS}`,
  )
  const rates = models.flatMap(([model]) => ratesOf(model as string, price))
  if (rates.length === 0) return byTraces
  const ofModel = query.groupBy?.by === 'model'
  const costs = COUNTED.map((kind) => {
    const each = `[${texts(rates.map(({ model }) => model))}], [${doubles(rates.map((of) => of[kind]))}]`
    return `toFloat64(used.tokens.${kind}) * transform(used.model, ${each}, 0.)`
  })
  const found = await engine.select(
    `SELECT ${ofModel ? MODEL : 'g'} AS shown, sum(${costs.join(' + ')}) AS cost ` +
      `FROM ${usageOf(rows, `${ofModel ? `''` : byTraces.group.expression} AS g`)} ` +
      `GROUP BY shown HAVING cost > 0 ORDER BY cost DESC, shown LIMIT ${integer(SERIES_GROUPS_MAX)} SETTINGS ${FINAL_SETTINGS}`,
  )
  const stored = new Set([...found.map(([of]) => of as string), ...byTraces.stored])
  return { ...byTraces, stored: [...stored].slice(0, SERIES_GROUPS_MAX) }
}

/** A row for each model `used` that a trace has tokens of, with these columns of the trace. */
function usageOf(rows: AggregateRows, columns: string): string {
  return `(SELECT usage, ${columns} FROM ${fromRows(rows)}) ARRAY JOIN usage AS used`
}

type Rates = UsedTokens['tokens'] & Pick<UsedTokens, 'model'>

/**
 * The cost per token of each kind: prices are linear (see Price), and cached tokens are part of the input. Empty
 * without a price.
 */
function ratesOf(model: string, price: PriceOfTokens): readonly Rates[] {
  const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  const one = PROBE_TOKENS
  const cost = (tokens: Partial<typeof none>) => (price(model, { ...none, ...tokens }) ?? NaN) / one
  const [input, output] = [cost({ input: one }), cost({ output: one })]
  const cacheRead = cost({ input: one, cacheRead: one }) - input
  const cacheWrite = cost({ input: one, cacheWrite: one }) - input
  return Number.isNaN(input) ? [] : [{ model, input, cacheRead, cacheWrite, output }]
}
