import type { ContextLimit } from '../ports/prices/bill.ts'
import { namesOf, spellingOf } from './model-names.ts'
import type { OwnPrice, Price, TokenRates } from '../ports/prices/price.ts'
import { BUILTIN_PRICES, type ListedPrice, type PriceList } from './price-list.ts'

const NO_RATES: ReadonlyMap<string, TokenRates> = new Map()

/** The price of a model, null when it has none. */
export type FindPrice = (model: string) => Price | null

/**
 * Finds prices by any spelling of a model. The exact name is tried first, then the vendor's spelling, then that without
 * a date. Under each, the project's own price, whatever its spelling, comes before the listed one: an own price for
 * `gpt-4o` also applies to its snapshots, except one that the list prices under its own name.
 */
export function priceFinder(own: ReadonlyMap<string, OwnPrice>, list: PriceList = BUILTIN_PRICES): FindPrice {
  const spelled = bySpelling(own)
  return (model) => {
    for (const name of namesOf(model)) {
      const listed = list.byName.get(model) ?? list.byName.get(name)
      const set = own.get(model) ?? spelled.get(name) ?? (listed && spelled.get(listed.model))
      if (set !== undefined) return fromOwn(set)
      if (listed !== undefined) return fromListed(listed, list)
    }
    return null
  }
}

/** Of several own prices with one spelling, the one with the shortest name, which has the least added to it. */
function bySpelling(own: ReadonlyMap<string, OwnPrice>): ReadonlyMap<string, OwnPrice> {
  const longestFirst = [...own.values()].sort((a, b) => b.model.length - a.model.length || (a.model < b.model ? -1 : 1))
  return new Map(longestFirst.map((price) => [spellingOf(price.model), price]))
}

/** Limits of this many models are remembered. */
const REMEMBERED_LIMITS = 1000

/** The limits above which calls have the rate `>` and this number. */
export function contextLimits(list: PriceList): ContextLimit {
  const priceOf = priceFinder(new Map(), list)
  const known = new Map<string, number | null>()
  return (model) => {
    let limit = known.get(model)
    if (limit === undefined) {
      limit = priceOf(model)?.contextLimit ?? null
      if (known.size >= REMEMBERED_LIMITS) known.clear()
      known.set(model, limit)
    }
    return limit
  }
}

/** The project's own prices and the listed ones that they do not replace, by model in UTF-16 order. */
export function allPrices(own: ReadonlyMap<string, OwnPrice>, list: PriceList = BUILTIN_PRICES): readonly Price[] {
  const standing = list.models.filter(({ model }) => !own.has(model)).map((price) => fromListed(price, list))
  return [...standing, ...[...own.values()].map(fromOwn)].sort((a, b) => (a.model < b.model ? -1 : 1))
}

export function fromOwn({ model, input, output, cacheRead, cacheWrite, updatedAt }: OwnPrice): Price {
  const rates = { input, output, cacheRead, cacheWrite }
  return { model, ...rates, source: 'project', effectiveDate: null, updatedAt, special: NO_RATES, contextLimit: null }
}

function fromListed({ model, rates, contextLimit: limit }: ListedPrice, { date }: PriceList): Price {
  const special = new Map(rates)
  const list = special.get('') as TokenRates
  special.delete('')
  return { model, ...list, source: 'builtin', effectiveDate: date, updatedAt: null, special, contextLimit: limit }
}
