import { UNPRICED_MODELS_MAX } from '@spoor/contract/limits'
import type { PricedTokens, Pricer } from '../ports/prices/price.ts'
import type { ModelUsage } from '../ports/traces/trace-record.ts'

/** What the steps of a trace cost, summed as they are streamed. US dollars. */
export class TraceCost {
  readonly #price: Pricer
  readonly #unpriced = new Set<string>()
  #total: number | null = null

  constructor(price: Pricer) {
    this.#price = price
  }

  /** The cost of one step; null when it used no tokens, or names no model or one without a price. */
  add(step: { readonly model: string | null; readonly tokenUsage: PricedTokens }): number | null {
    const { model, tokenUsage } = step
    if (model === null || isNothing(tokenUsage)) return null
    const cost = this.#price(model, tokenUsage)
    if (cost !== null) this.#total = (this.#total ?? 0) + cost
    else if (this.#unpriced.size < UNPRICED_MODELS_MAX) this.#unpriced.add(model)
    return cost
  }

  /** Null when no step had a cost. */
  get total(): number | null {
    return this.#total
  }

  /** Models that used tokens and have no price, in order of appearance. */
  get unpricedModels(): readonly string[] {
    return [...this.#unpriced]
  }
}

/** As the total of `TraceCost` over the steps, but null if the tokens by model are unknown. */
export function costOfUsage(price: Pricer, usage: readonly ModelUsage[] | null): number | null {
  let total: number | null = null
  for (const { model, tokens } of usage ?? []) {
    const cost = price(model, tokens)
    if (cost !== null) total = (total ?? 0) + cost
  }
  return total
}

function isNothing({ input, output, cacheRead, cacheWrite }: PricedTokens): boolean {
  return input === 0 && output === 0 && cacheRead === 0 && cacheWrite === 0
}
