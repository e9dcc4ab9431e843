import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import { BUILTIN_PRICES_DATE } from './builtin-prices.ts'
import { costKey } from './cost-key.ts'
import { costOf } from './cost-of.ts'
import { findPrice } from './find-price.ts'
import type { ModelRates, OwnPrice, Pricer, TokenRates } from '../ports/prices/price.ts'
import type { PriceStore } from '../ports/prices/price-store.ts'

/**
 * Bounds of the cache: prices of models for one project, names of that many characters (models have short ones; clients
 * may send others), projects.
 */
const REMEMBERED_MODELS = 250
const REMEMBERED_NAME_LENGTH = 100
const REMEMBERED_PROJECTS = 100

interface ProjectPricing {
  readonly own: ReadonlyMap<string, OwnPrice>
  readonly rates: ModelRates
  readonly price: Pricer
}

type Prices = Pick<PriceStore, 'own'>

/**
 * Pricers by project. A pricer uses the prices at the time it was requested, however long it is used; the next one sees
 * later changes. The price found for a model is cached as long as the project's prices do not change. Rejects with
 * DomainError `storage_unavailable`.
 */
export function createPricer(prices: Prices): (projectId: ProjectId) => Promise<Pricer> {
  const pricingOf = createPricing(prices)
  return async (projectId) => (await pricingOf(projectId)).price
}

/** The same as rates. */
export function createRates(prices: Prices): (projectId: ProjectId) => Promise<ModelRates> {
  const pricingOf = createPricing(prices)
  return async (projectId) => (await pricingOf(projectId)).rates
}

function createPricing(prices: Prices): (projectId: ProjectId) => Promise<ProjectPricing> {
  const byProject = new Map<ProjectId, ProjectPricing>()
  return async (projectId) => {
    const own = await prices.own(projectId)
    const known = byProject.get(projectId)
    if (known?.own === own) return known
    const rates = ratesOf(own)
    const price: Pricer = (model, tokens) => {
      const found = rates.of(model)
      return found === null ? null : costOf(found, tokens)
    }
    if (byProject.size >= REMEMBERED_PROJECTS) byProject.clear()
    const pricing = { own, rates, price }
    byProject.set(projectId, pricing)
    return pricing
  }
}

function ratesOf(own: ReadonlyMap<string, OwnPrice>): ModelRates {
  const found = new Map<string, TokenRates | null>()
  let fingerprint: string | null = null
  const of = (model: string) => {
    let rates = found.get(model)
    if (rates === undefined) {
      rates = findPrice(own, model)
      if (found.size >= REMEMBERED_MODELS) found.clear()
      if (model.length <= REMEMBERED_NAME_LENGTH) found.set(model, rates)
    }
    return rates
  }
  return {
    of,
    costKey: (usage) => costKey(of, usage),
    get fingerprint() {
      return (fingerprint ??= fingerprintOf(own))
    },
  }
}

function fingerprintOf(own: ReadonlyMap<string, OwnPrice>): string {
  const sorted = [...own.values()].sort((a, b) => (a.model < b.model ? -1 : 1))
  const rates = sorted.map(({ model, input, output, cacheRead, cacheWrite }) => [
    model,
    input,
    output,
    cacheRead,
    cacheWrite,
  ])
  return hash('sha256', JSON.stringify([BUILTIN_PRICES_DATE, rates]), 'base64url').slice(0, 12)
}
