import { Type } from 'typebox'
import { NAME_LENGTH } from '../limits.ts'
import { Price, PriceBody, PriceList, PriceQuery } from '../schemas/price.ts'
import { JSON_BODY_ERRORS, LIST_ERRORS, type Operation } from './operation.ts'

const PricePath = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: NAME_LENGTH,
      description: 'The model as steps name it, percent-encoded: `openai%2Fgpt-4o`.',
    }),
  },
  { additionalProperties: false },
)

const NAMES =
  'A price is found under the exact name of a model; else without its vendor in front (`openai/`, `anthropic/`, `models/` …), else without the date of its snapshot ' +
  '(`-2024-08-06`, `-20250514`), else without both. Under each name the price of the project comes before the built-in one.'

export const PRICE_OPERATIONS = {
  listPrices: {
    method: 'GET',
    path: '/v1/prices',
    tag: 'prices',
    summary: 'List token prices',
    description:
      'The prices that costs are computed with: those the project set, and the built-in ones for all other models, ordered by model. ' +
      `Built-in prices are the standard ones that vendors published up to \`effective_date\`. ${NAMES}`,
    scopes: ['read'],
    query: PriceQuery,
    responses: { 200: { description: 'One page of prices.', content: { 'application/json': PriceList } } },
    errors: LIST_ERRORS,
  },
  putPrice: {
    method: 'PUT',
    path: '/v1/prices/:model',
    tag: 'prices',
    summary: 'Set the price of a model',
    description:
      'Sets it for the project, in place of an earlier one; the same again changes nothing. Costs are computed when they are read, so the new price shows in all traces, past ones ' +
      'too, from the next request on.',
    scopes: ['manage'],
    pathParameters: PricePath,
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: PriceBody,
      description: 'What its tokens cost.',
      examples: {
        cached: {
          summary: 'A model with cheaper cached input',
          value: { input_usd_per_million: 2.5, output_usd_per_million: 10, cache_read_usd_per_million: 1.25 },
        },
        own: {
          summary: 'A model on hardware of your own, per token',
          value: { input_usd_per_million: 0.12, output_usd_per_million: 0.12 },
        },
      },
    },
    responses: { 200: { description: 'The price as it stands now.', content: { 'application/json': Price } } },
    errors: [...JSON_BODY_ERRORS, 'not_found', 'disk_full'],
  },
  deletePrice: {
    method: 'DELETE',
    path: '/v1/prices/:model',
    tag: 'prices',
    summary: 'Go back to the built-in price of a model',
    description: 'Removes the price that the project set under exactly this name. `not_found` when it set none.',
    scopes: ['manage'],
    pathParameters: PricePath,
    responses: { 204: { description: 'It is removed.', content: {} } },
    errors: ['not_found', 'disk_full'],
  },
} as const satisfies Record<string, Operation>
