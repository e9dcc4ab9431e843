import { Type, type Static } from 'typebox'
import { ListQuery } from './list-query.ts'
import * as schema from './primitives.ts'

/** The highest allowed rate: one dollar per token. */
export const MOST_USD_PER_MILLION = 1_000_000

const RATE = { minimum: 0, maximum: MOST_USD_PER_MILLION } as const

function rate(description: string) {
  return Type.Number({ ...RATE, description: `${description} US dollars per million tokens.` })
}

function nullableRate(description: string) {
  return Type.Unsafe<number | null>({
    type: ['number', 'null'],
    ...RATE,
    description: `${description} US dollars per million tokens.`,
  })
}

const rates = {
  input_usd_per_million: rate('Input tokens that were neither read from a cache nor written to one.'),
  output_usd_per_million: rate('Output tokens, including reasoning tokens.'),
}
const cacheRead = nullableRate('Input tokens that were read from a cache; null: the price of input.')
const cacheWrite = nullableRate('Input tokens that were written to a cache; null: the price of input.')
const allRates = { ...rates, cache_read_usd_per_million: cacheRead, cache_write_usd_per_million: cacheWrite }

const SpecialRate = schema.closed('What certain tokens of a model cost instead of its ordinary price.', {
  applies_to: Type.Enum(['all', 'batch', 'audio', 'image', 'cache_1h'], {
    description:
      'Which tokens: those of a call through a batch API, of audio, of images, of a call that keeps its cache for an hour, or of any call.',
  }),
  above_input_tokens: schema.nullableInteger({
    minimum: 1,
    description: 'Only calls with more input tokens than this; null: of any length.',
  }),
  ...allRates,
})

export const Price = schema.closed('The price of the tokens of one model.', {
  model: schema.textOf('The model name that the price is for.'),
  ...allRates,
  source: Type.Enum(['builtin', 'project'], { description: 'Whether it is built in or set by the project.' }),
  effective_date: schema.nullableString({
    format: 'date',
    description: 'The date of the built-in list; null for a price of the project.',
  }),
  updated_at: schema.nullablePrintedTime('When the project set it; null for a built-in price.'),
  special_rates: Type.Optional(
    schema.listOf(
      SpecialRate,
      'What certain tokens cost instead; absent for a price of the project and if the model has none.',
    ),
  ),
})
export type Price = Static<typeof Price>

export const PriceList = schema.pageOf('prices', Price, 'by model')
export type PriceList = Static<typeof PriceList>

export const PriceBody = schema.closed('The price of a model.', {
  ...rates,
  cache_read_usd_per_million: Type.Optional(cacheRead),
  cache_write_usd_per_million: Type.Optional(cacheWrite),
})
export type PriceBody = Static<typeof PriceBody>

export const PriceQuery = schema.parameters({
  model: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Only the price that applies to steps with this `model`, which may be under a shorter name; an empty list if there is none.',
    }),
  ),
  ...ListQuery.properties,
})
export type PriceQuery = Static<typeof PriceQuery>

/** Decimals of an amount of money on the wire. Amounts are rounded nowhere else. */
export const COST_DECIMALS = 10

export function nullableCost(description: string) {
  return Type.Unsafe<number | null>({
    type: ['number', 'null'],
    minimum: 0,
    description: `${description} US dollars, rounded to ${COST_DECIMALS} decimals, at current prices.`,
  })
}
