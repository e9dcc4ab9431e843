import { NAME_LENGTH } from '../limits.ts'
import { Price, PriceBody, PriceList, PriceQuery } from '../schemas/price.ts'
import { jsonBody, type Operation } from './operation.ts'
import { parameters, shortText } from '../schemas/primitives.ts'

const PricePath = parameters({
  model: shortText(NAME_LENGTH, 'The model as steps name it, percent-encoded, for example `openai%2Fgpt-4o`.'),
})

const NAMES =
  'The price of a model is looked up by its exact name, then by the spelling of its vendor (without `openai/`, `bedrock/us.anthropic.`, `-v1:0`, in lower case …), then without the snapshot date ' +
  '(`-2024-08-06`, `@20250514`) or `-latest`. For each name, the price of the project takes precedence over the built-in one, whatever its spelling.'

export const PRICE_OPERATIONS = {
  listPrices: {
    method: 'GET',
    path: '/v1/prices',
    summary: 'List token prices',
    description:
      'The prices that costs are computed from: those that the project set, and the built-in prices of all other models, ordered by model. ' +
      `Built-in prices are the standard prices that vendors had published by \`effective_date\`. ${NAMES}`,
    scopes: ['read'],
    query: PriceQuery,
    responses: { 200: { description: 'One page of prices.', content: { 'application/json': PriceList } } },
  },
  putPrice: {
    method: 'PUT',
    path: '/v1/prices/:model',
    summary: 'Set the price of a model',
    description:
      'Sets or replaces the price for the project; repeating the same price changes nothing. Costs are computed when they are read, so the new price applies to all traces, including past ones, ' +
      'from the next request on.',
    scopes: ['manage'],
    pathParameters: PricePath,
    request: jsonBody(PriceBody, 'The price of its tokens.', {
      cached: {
        summary: 'A model with cheaper cached input',
        value: { input_usd_per_million: 2.5, output_usd_per_million: 10, cache_read_usd_per_million: 1.25 },
      },
      own: {
        summary: 'A model on hardware of your own, per token',
        value: { input_usd_per_million: 0.12, output_usd_per_million: 0.12 },
      },
    }),
    audit: { action: 'price.changed', target: 'price', shows: Object.keys(PriceBody.properties) },
    responses: { 200: { description: 'The price in effect.', content: { 'application/json': Price } } },
    errors: ['disk_full'],
  },
  deletePrice: {
    method: 'DELETE',
    path: '/v1/prices/:model',
    summary: 'Restore the built-in price of a model',
    description: 'Removes the price that the project set under exactly this name. `not_found` if there is none.',
    scopes: ['manage'],
    pathParameters: PricePath,
    audit: { action: 'price.deleted', target: 'price', shows: [] },
    responses: { 204: { description: 'The price was removed.', content: {} } },
    errors: ['disk_full'],
  },
} as const satisfies Record<string, Operation>
