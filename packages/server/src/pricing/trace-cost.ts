import { UNPRICED_MODELS_MAX } from '@spoor/contract/limits'
import { type ContextLimit, usageOfStep } from '../ports/prices/bill.ts'
import { modelOfPriced, type Pricer } from '../ports/prices/price.ts'
import type { ModelUsage, StepUsage } from '../ports/traces/trace-record.ts'

/** The cost of tokens, US dollars; null if they are unknown, or none of their models has a price. */
export function costOfUsage(price: Pricer, usage: readonly ModelUsage[] | null): number | null {
  let total: number | null = null
  for (const { model, tokens } of usage ?? []) {
    const cost = price(model, tokens)
    if (cost !== null) total = (total ?? 0) + cost
  }
  return total
}

/** Models that used tokens and have no price. */
export function unpricedModels(price: Pricer, usage: readonly ModelUsage[] | null): readonly string[] {
  const unpriced = (usage ?? []).filter(({ model, tokens }) => price(model, tokens) === null)
  return [...new Set(unpriced.map(({ model }) => modelOfPriced(model).model))].slice(0, UNPRICED_MODELS_MAX)
}

export interface StepCost {
  /** US dollars; null when the step used no tokens, or names no model or one without a price. */
  readonly usd: number | null
  /** Whether the sender gave it; null without a cost. */
  readonly source: 'price' | 'sender' | null
}

/** The cost of the tokens that a step reports. */
export function costOfStep(
  price: Pricer,
  contextLimit: ContextLimit,
  { model, tokenUsage }: { readonly model: string | null; readonly tokenUsage: StepUsage },
): StepCost {
  const usd = costOfUsage(price, usageOfStep({ model, tokenUsage }, contextLimit))
  const isSent = tokenUsage.more !== null && tokenUsage.more.sentCost > 0
  return { usd, source: usd === null ? null : isSent ? 'sender' : 'price' }
}
