import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import { costKey } from './cost-key.ts'
import { costOf } from './cost-of.ts'
import { priceFinder } from './find-price.ts'
import {
  type ModelRates,
  modelOfPriced,
  type OwnPrice,
  type Price,
  type Pricer,
  type TokenRates,
} from '../ports/prices/price.ts'
import type { PriceStore } from '../ports/prices/price-store.ts'
import { BUILTIN_PRICES, type PriceList } from './price-list.ts'

/** The cost of a call that senders report, in billionths of a US dollar, is kept as input tokens of this rate. */
const SENT: TokenRates = { input: 0.001, output: 0, cacheRead: 0, cacheWrite: 0 }

/**
 * Bounds of the cache: rates of models for one project, names of that many characters (models have short ones; clients
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
export function createPricer(prices: Prices, list?: PriceList): (projectId: ProjectId) => Promise<Pricer> {
  const pricingOf = createPricing(prices, list)
  return async (projectId) => (await pricingOf(projectId)).price
}

/** The same as rates. */
export function createRates(prices: Prices, list?: PriceList): (projectId: ProjectId) => Promise<ModelRates> {
  const pricingOf = createPricing(prices, list)
  return async (projectId) => (await pricingOf(projectId)).rates
}

function createPricing(prices: Prices, list = BUILTIN_PRICES): (projectId: ProjectId) => Promise<ProjectPricing> {
  const byProject = new Map<ProjectId, ProjectPricing>()
  return async (projectId) => {
    const own = await prices.own(projectId)
    const known = byProject.get(projectId)
    if (known?.own === own) return known
    const rates = ratesOf(own, list)
    const price: Pricer = (name, tokens) => {
      const found = rates.of(name)
      return found === null ? null : costOf(found, tokens)
    }
    if (byProject.size >= REMEMBERED_PROJECTS) byProject.clear()
    const pricing = { own, rates, price }
    byProject.set(projectId, pricing)
    return pricing
  }
}

function ratesOf(own: ReadonlyMap<string, OwnPrice>, list: PriceList): ModelRates {
  const priceOf = priceFinder(own, list)
  const found = new Map<string, TokenRates | null>()
  let fingerprint: string | null = null
  const of = (name: string) => {
    let rates = found.get(name)
    if (rates === undefined) {
      const { model, rate } = modelOfPriced(name)
      if (rate === 'sent') return SENT
      const price = priceOf(model)
      rates = price === null ? null : rateOf(price, rate)
      if (found.size >= REMEMBERED_MODELS) found.clear()
      if (name.length <= REMEMBERED_NAME_LENGTH) found.set(name, rates)
    }
    return rates
  }
  return {
    of,
    costKey: (usage) => costKey(of, usage),
    get fingerprint() {
      return (fingerprint ??= fingerprintOf(own, list))
    },
  }
}

/** `>` and a number names the rates of long calls, whichever limit the list has by now. */
function rateOf(price: Price, rate: string): TokenRates {
  const [kind = '', above = 0] = rate.split('>')
  const { special, contextLimit } = price
  const long = contextLimit !== null && Number(above) >= contextLimit ? `>${contextLimit}` : ''
  return special.get(kind + long) ?? special.get(kind) ?? special.get(long) ?? price
}

function fingerprintOf(own: ReadonlyMap<string, OwnPrice>, list: PriceList): string {
  const sorted = [...own.values()].sort((a, b) => (a.model < b.model ? -1 : 1))
  const rates = sorted.map(({ model, input, output, cacheRead, cacheWrite }) => [
    model,
    input,
    output,
    cacheRead,
    cacheWrite,
  ])
  return hash('sha256', JSON.stringify([list.fingerprint, rates]), 'base64url').slice(0, 12)
}
