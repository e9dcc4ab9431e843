import { SERIES_GROUPS_MAX } from '@spoor/contract/limits'
import { bucketStart } from '../../../lib/time/time-buckets.ts'
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
 */
export async function readUsedTokens(
  engine: TelemetryEngine,
  { query, rows }: Question,
  groups: ChosenGroups | null,
): Promise<readonly UsedTokens[]> {
  const { buckets, groupBy } = query
  const ofModel = groupBy?.by === 'model'
  const place = groups === null ? '0' : ofModel ? placeOf(groups.stored, MODEL) : 'g'
  const chosen = groups === null ? '' : placeCondition(groups, place)
  const sums = COUNTED.map((kind) => `sum(toFloat64(used.tokens.${kind}))`)
  const time = timeBucketExpression('created_at', buckets)
  const found = await engine.select(
    `SELECT b, ${place} AS shown, used.model AS model, ${sums.join(', ')} ` +
      `FROM ${usageOf(rows, `${time} AS b, ${groups === null || ofModel ? '0' : placesOfRow(groups)} AS g`)}${chosen} ` +
      `GROUP BY b, shown, model LIMIT ${integer(MOST_TOKEN_ROWS + 1)} SETTINGS ${FINAL_SETTINGS}`,
  )
  if (found.length > MOST_TOKEN_ROWS) throw tooManyPoints()
  return found.map((row) => {
    const [bucket, at, model, ...tokens] = row as [number, number, string, number, number, number, number]
    const [input, cacheRead, cacheWrite, output] = tokens
    return Object.assign(groupAt(groups, at), {
      at: bucketStart(buckets, bucket),
      model,
      tokens: { input, cacheRead, cacheWrite, output },
    })
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

interface Rates extends Readonly<Record<(typeof COUNTED)[number], number>> {
  readonly model: string
}

/**
 * The cost per token of each kind: prices are linear (see Price), and cached tokens are part of the input. Empty
 * without a price.
 */
function ratesOf(model: string, price: PriceOfTokens): readonly Rates[] {
  const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  const [input, cacheRead, cacheWrite, output] = [
    price(model, { ...none, input: PROBE_TOKENS }),
    price(model, { ...none, input: PROBE_TOKENS, cacheRead: PROBE_TOKENS }),
    price(model, { ...none, input: PROBE_TOKENS, cacheWrite: PROBE_TOKENS }),
    price(model, { ...none, output: PROBE_TOKENS }),
  ]
  if (input === null || cacheRead === null || cacheWrite === null || output === null) return []
  const each = (cost: number) => cost / PROBE_TOKENS
  return [
    {
      model,
      input: each(input),
      cacheRead: each(cacheRead - input),
      cacheWrite: each(cacheWrite - input),
      output: each(output),
    },
  ]
}
