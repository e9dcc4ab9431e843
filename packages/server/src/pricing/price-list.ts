import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { MOST_USD_PER_MILLION } from '@spoor/contract/schemas/price'
import { type Static, Type } from 'typebox'
import { DomainError } from '../lib/domain-error.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { compileValidator } from '../lib/validation/validator.ts'
import type { TokenRates } from '../ports/prices/price.ts'

/** Prices that vendors published up to a day. */
export interface PriceList {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly models: readonly ListedPrice[]
  /** By the names of the models, and other names that their vendors use. */
  readonly byName: ReadonlyMap<string, ListedPrice>
  /** Another one for each other content. */
  readonly fingerprint: string
}

export interface ListedPrice {
  readonly model: string
  /** By name (`ModelRates.of`); the list price has the name ''. */
  readonly rates: ReadonlyMap<string, TokenRates>
  /** Calls with more input tokens have rates of their own; null when the length does not matter. */
  readonly contextLimit: number | null
}

const Rates = Type.Array(Type.Number({ minimum: 0, maximum: MOST_USD_PER_MILLION }), { minItems: 2, maxItems: 4 })
const Name = '^[^A-Z\\u0000-\\u001f]{1,200}$'

/** See docs/guide/prices.md. */
const PriceFile = Type.Object(
  {
    date: Type.String({ pattern: '^20\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' }),
    sources: Type.Array(Type.String()),
    models: Type.Record(
      Type.String({ pattern: Name }),
      Type.Record(Type.String({ pattern: '^(list|1h|audio|image|batch|(batch)?>[1-9]\\d{0,8})$' }), Rates, {
        required: ['list'],
        additionalProperties: false,
      }),
      { additionalProperties: false },
    ),
    aliases: Type.Record(Type.String({ pattern: Name }), Type.String(), { additionalProperties: false }),
  },
  { additionalProperties: false },
)
const validate = compileValidator(PriceFile)

/** Throws OperatorError that names `path` and the place of the fault. */
export function parsePriceList(text: string, path: string): PriceList {
  try {
    const file = validate(JSON.parse(text))
    const models = Object.entries(file.models).map(([model, rates]) => toListed(model, rates))
    const byName = new Map(models.map((price) => [price.model, price]))
    for (const [alias, model] of Object.entries(file.aliases)) {
      const price = byName.get(model)
      if (price === undefined) throw fault(`/aliases/${alias}`, `There is no model "${model}".`)
      byName.set(alias, price)
    }
    return { date: file.date, models, byName, fingerprint: hash('sha256', text, 'base64url') }
  } catch (error) {
    if (!(error instanceof DomainError) && !(error instanceof SyntaxError)) throw error
    throw new OperatorError(`${path} is no list of prices: ${error.message}`, { cause: error })
  }
}

function toListed(model: string, file: Static<typeof PriceFile>['models'][string]): ListedPrice {
  const limits = new Set(Object.keys(file).flatMap((name) => name.split('>')[1] ?? []))
  if (limits.size > 1) throw fault(`/models/${model}`, 'All its rates above a number of tokens must have one number.')
  const [limit = null] = limits
  const rates = Object.entries(file).map(([name, [input = 0, output = 0, cacheRead = null, cacheWrite = null]]) => {
    return [name === 'list' ? '' : name, { input, output, cacheRead, cacheWrite }] as const
  })
  return { model, rates: new Map(rates), contextLimit: limit === null ? null : Number(limit) }
}

function fault(pointer: string, detail: string): DomainError {
  return invalid({ pointer, code: 'invalid_value', detail })
}

const BUILTIN = new URL('./builtin-prices.json', import.meta.url)

/** The list that comes with the service. */
export const BUILTIN_PRICES = parsePriceList(readFileSync(BUILTIN, 'utf8'), BUILTIN.pathname)
