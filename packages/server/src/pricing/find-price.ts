import { BUILTIN_PRICES, BUILTIN_PRICES_DATE, type BuiltinPrice } from './builtin-prices.ts'
import { namesOf } from './model-names.ts'
import type { OwnPrice, Price } from '../ports/prices/price.ts'

const BUILTIN: ReadonlyMap<string, BuiltinPrice> = new Map(BUILTIN_PRICES.map((price) => [price.model, price]))

/**
 * The price of a model, null when it has none. The names of the model are tried from the most exact on, and under each
 * name the project's own price before the built-in one: an own price for `gpt-4o` also applies to its snapshots, except
 * one that has a price under its own name. A built-in price behind a prefix (`openai/`) is that vendor's.
 */
export function findPrice(own: ReadonlyMap<string, OwnPrice>, model: string): Price | null {
  for (const { name, vendor } of namesOf(model)) {
    const set = own.get(name)
    if (set !== undefined) return fromOwn(set)
    const builtin = BUILTIN.get(name)
    if (builtin !== undefined && (vendor === null || vendor === builtin.vendor)) return fromBuiltin(builtin)
  }
  return null
}

/** The project's own prices and the built-in ones that they do not replace, by model in UTF-16 order. */
export function allPrices(own: ReadonlyMap<string, OwnPrice>): readonly Price[] {
  const standing = BUILTIN_PRICES.filter(({ model }) => !own.has(model)).map(fromBuiltin)
  return [...standing, ...[...own.values()].map(fromOwn)].sort((a, b) => (a.model < b.model ? -1 : 1))
}

export function fromOwn({ model, input, output, cacheRead, cacheWrite, updatedAt }: OwnPrice): Price {
  return { model, input, output, cacheRead, cacheWrite, source: 'project', effectiveDate: null, updatedAt }
}

function fromBuiltin({ model, input, output, cacheRead, cacheWrite }: BuiltinPrice): Price {
  const effectiveDate = BUILTIN_PRICES_DATE
  return { model, input, output, cacheRead, cacheWrite, source: 'builtin', effectiveDate, updatedAt: null }
}
