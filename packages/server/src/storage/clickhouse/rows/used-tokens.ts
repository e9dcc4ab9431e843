import { SERIES_GROUPS_MAX } from '@spoor/contract/limits'
import { bucketStart } from '../../../lib/time/time-buckets.ts'
import type { PriceOfTokens, TraceSeriesQuery, UsedTokens } from '../../../traces/read/trace-series.ts'
import { type AggregateRows, FINAL_SETTINGS, fromRows, idsWithin } from '../series/aggregate-rows.ts'
import { timeBucketExpression, tooManyPoints } from '../series/bucketed-rows.ts'
import { type ChosenGroups, groupAt, placeCondition, placeOf, placesOfRow } from '../series/chosen-groups.ts'
import { doubles, integer, texts } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** Maximum lines of tokens by bucket, group and model in one result. */
const MOST_TOKEN_ROWS = 200_000
/** The price of one token is the price of this many, divided. */
const PROBE_TOKENS = 1_000_000

const COUNTED = ['input', 'cache_read', 'cache_write', 'output'] as const

interface Question {
  readonly query: TraceSeriesQuery
  readonly idLeadMs: number
  /** The traces whose steps count. */
  readonly rows: AggregateRows
}

/**
 * Tokens used of each model, by bucket and group. Throws DomainError `validation_failed` when there are too many lines.
 */
export async function readUsedTokens(
  engine: TelemetryEngine,
  { query, idLeadMs, rows }: Question,
  groups: ChosenGroups | null,
): Promise<readonly UsedTokens[]> {
  const { buckets, groupBy } = query
  const ofStep = groupBy?.by === 'model'
  const traceGroup = groups === null || ofStep ? '0' : placesOfRow(groups)
  const place = groups !== null && ofStep ? placeOf(groups.stored, 'used') : 'g'
  const chosen = groups === null ? '' : placeCondition(groups, place)
  const sums = COUNTED.map((kind) => `sum(all_${kind}_tokens) AS ${kind}`)
  const found = await engine.select(
    `SELECT ${timeBucketExpression('trace_created_at', buckets)} AS b, ${place} AS shown, used, ${sums.join(', ')} ` +
      `FROM ${stepsOf({ query, idLeadMs, rows }, traceGroup)}${chosen} ` +
      `GROUP BY b, shown, used HAVING input + output > 0 LIMIT ${integer(MOST_TOKEN_ROWS + 1)} SETTINGS ${FINAL_SETTINGS}`,
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

/** Of too many groups, the most expensive; then, among groups without cost, those with the most traces. */
export async function chooseByCost(
  engine: TelemetryEngine,
  question: Question,
  byTraces: ChosenGroups,
  price: PriceOfTokens,
): Promise<ChosenGroups> {
  const { query, idLeadMs } = question
  const models = await engine.select(
    `SELECT DISTINCT toString(model) FROM steps WHERE ${stepConditions(query, idLeadMs)} LIMIT ${integer(MOST_TOKEN_ROWS)}`,
  )
  const rates = models.flatMap(([model]) => ratesOf(model as string, price))
  if (rates.length === 0) return byTraces
  const ofStep = query.groupBy?.by === 'model'
  const costs = COUNTED.map((kind) => {
    const each = `[${texts(rates.map(({ model }) => model))}], [${doubles(rates.map((of) => of[kind]))}]`
    return `all_${kind}_tokens * transform(used, ${each}, 0.)`
  })
  const found = await engine.select(
    `SELECT ${ofStep ? 'used' : 'g'} AS shown, sum(${costs.join(' + ')}) AS cost ` +
      `FROM ${stepsOf(question, ofStep ? `''` : byTraces.group.expression)} ` +
      `GROUP BY shown HAVING cost > 0 ORDER BY cost DESC, shown LIMIT ${integer(SERIES_GROUPS_MAX)} SETTINGS ${FINAL_SETTINGS}`,
  )
  const stored = new Set([...found.map(([of]) => of as string), ...byTraces.stored])
  return { ...byTraces, stored: [...stored].slice(0, SERIES_GROUPS_MAX) }
}

/** Steps with the group `g` of their trace. Steps without a model have no price, whatever they used. */
function stepsOf({ query, idLeadMs, rows }: Question, traceGroup: string): string {
  const traces = `SELECT id, ${traceGroup} AS g FROM ${fromRows(rows)}`
  // If a client reports more cached tokens than input, its steps are priced as they would be individually.
  const input = 'greatest(input_tokens, cache_read_tokens + cache_write_tokens)'
  const others = ['cache_read_tokens', 'cache_write_tokens', 'output_tokens']
  const columns = [
    'trace_id',
    'trace_created_at',
    'toString(model) AS used',
    `toFloat64(${input}) AS all_input_tokens`,
    ...others.map((tokens) => `toFloat64(${tokens}) AS all_${tokens}`),
  ].join(', ')
  // A step that was replaced counts once, merged or not.
  const steps = `SELECT ${columns} FROM steps FINAL WHERE ${stepConditions(query, idLeadMs)}`
  return `(${steps}) AS steps INNER JOIN (${traces}) AS newest ON steps.trace_id = newest.id`
}

function stepConditions({ projectId, span }: TraceSeriesQuery, idLeadMs: number): string {
  return [...idsWithin('trace_id', projectId, span, idLeadMs), `model != ''`].join(' AND ')
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
      cache_read: each(cacheRead - input),
      cache_write: each(cacheWrite - input),
      output: each(output),
    },
  ]
}
