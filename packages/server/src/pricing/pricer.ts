import type { ProjectId } from '@spoor/contract/ids'
import { costOf } from './cost-of.ts'
import { findPrice } from './find-price.ts'
import type { OwnPrice, PricedTokens, TokenRates } from '../ports/prices/price.ts'
import type { PriceStore } from '../ports/prices/price-store.ts'

/** What the tokens cost with that model, US dollars; null when the model has no price. */
export type Pricer = (model: string, tokens: PricedTokens) => number | null

/**
 * Bounds of the cache: prices of models for one project, names of that many characters (models have short ones; clients
 * may send others), projects.
 */
const REMEMBERED_MODELS = 250
const REMEMBERED_NAME_LENGTH = 100
const REMEMBERED_PROJECTS = 100

interface ProjectPricer {
  readonly own: ReadonlyMap<string, OwnPrice>
  readonly price: Pricer
}

/**
 * Pricers by project. A pricer uses the prices at the time it was requested, however long it is used; the next one sees
 * later changes. The price found for a model is cached as long as the project's prices do not change. Rejects with
 * DomainError `storage_unavailable`.
 */
export function createPricer(prices: Pick<PriceStore, 'own'>): (projectId: ProjectId) => Promise<Pricer> {
  const byProject = new Map<ProjectId, ProjectPricer>()
  return async (projectId) => {
    const own = await prices.own(projectId)
    const known = byProject.get(projectId)
    if (known?.own === own) return known.price
    const price = pricerOf(own)
    if (byProject.size >= REMEMBERED_PROJECTS) byProject.clear()
    byProject.set(projectId, { own, price })
    return price
  }
}

function pricerOf(own: ReadonlyMap<string, OwnPrice>): Pricer {
  const found = new Map<string, TokenRates | null>()
  return (model, tokens) => {
    let rates = found.get(model)
    if (rates === undefined) {
      rates = findPrice(own, model)
      if (found.size >= REMEMBERED_MODELS) found.clear()
      if (model.length <= REMEMBERED_NAME_LENGTH) found.set(model, rates)
    }
    return rates === null ? null : costOf(rates, tokens)
  }
}
