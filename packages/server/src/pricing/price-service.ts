import type { ProjectId } from '@spoor/contract/ids'
import { OWN_PRICES_MAX } from '@spoor/contract/limits'
import type { Clock } from '../lib/time/clock.ts'
import type { Page } from '../lib/list-page.ts'
import { DomainError } from '../lib/domain-error.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { allPrices, fromOwn, priceFinder, contextLimits } from './find-price.ts'
import type { OwnPrice, Price, TokenRates } from '../ports/prices/price.ts'
import type { PriceStore } from '../ports/prices/price-store.ts'
import type { PriceList } from './price-list.ts'
import { createPricer, createRates } from './pricer.ts'
import type { ListPricesRequest, PriceUseCases } from './use-cases.ts'

export interface PriceServiceDependencies {
  readonly prices: PriceStore
  readonly clock: Clock
  readonly list: PriceList
}

export function createPriceService({ prices, clock, list }: PriceServiceDependencies): PriceUseCases {
  return {
    list: (request) => listPrices(prices, list, request),
    set: (projectId, model, rates) => setPrice({ prices, clock }, projectId, { model, ...rates }),
    async remove(projectId, model) {
      if (await prices.remove(projectId, model)) return
      throw new DomainError('not_found', 'The project has no price of its own for this model.')
    },
    pricer: createPricer(prices, list),
    rates: createRates(prices, list),
    contextLimit: contextLimits(list),
  }
}

async function listPrices(
  prices: Pick<PriceStore, 'own'>,
  list: PriceList,
  { projectId, model, limit, cursor }: ListPricesRequest,
): Promise<Page<Price>> {
  const after = cursor === null ? null : decodeCursor(cursor)
  const own = await prices.own(projectId)
  const found =
    model === null ? allPrices(own, list) : [priceFinder(own, list)(model)].filter((price) => price !== null)
  const rest = after === null ? found : found.filter((price) => price.model > after)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  return { items: page, nextCursor: rest.length > limit && last !== undefined ? encodeCursor(last.model) : null }
}

async function setPrice(
  { prices, clock }: Omit<PriceServiceDependencies, 'list'>,
  projectId: ProjectId,
  { model, input, output, cacheRead, cacheWrite }: TokenRates & { readonly model: string },
): Promise<Price> {
  checkModel(model)
  const rates = { input, output, cacheRead, cacheWrite }
  const known = (await prices.own(projectId)).get(model)
  if (known !== undefined && isSame(known, rates)) return fromOwn(known)
  const price: OwnPrice = { model, ...rates, updatedAt: clock.now() }
  if (await prices.put(projectId, price, OWN_PRICES_MAX)) return fromOwn(price)
  const detail = `A project has at most ${OWN_PRICES_MAX} prices of its own.`
  throw invalid({ pointer: '', code: 'too_many', detail })
}

function isSame(a: TokenRates, b: TokenRates): boolean {
  return a.input === b.input && a.output === b.output && a.cacheRead === b.cacheRead && a.cacheWrite === b.cacheWrite
}

/**
 * The names that a step may give as its model, without control characters: lists of prices are printed to terminals.
 */
function checkModel(model: string): void {
  if (/\p{Cc}/u.test(model) || !model.isWellFormed()) {
    const detail = 'The name of a model has no control characters and is well-formed Unicode.'
    throw invalid({ pointer: '', code: 'invalid_format', detail })
  }
}

function encodeCursor(model: string): string {
  return Buffer.from(model, 'utf8').toString('base64url')
}

function decodeCursor(cursor: string): string {
  const model = Buffer.from(cursor, 'base64url').toString('utf8')
  if (encodeCursor(model) === cursor) return model
  throw new DomainError('invalid_cursor', 'The cursor does not belong to this list.')
}
