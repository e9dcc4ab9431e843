import type { ModelRates } from '../ports/prices/price.ts'
import type { ModelUsage } from '../ports/traces/trace-record.ts'
import { UNKNOWN_COST } from '../ports/traces/trace-store.ts'
import { costOf } from './cost-of.ts'
import { costOfUsage } from './trace-cost.ts'

/** Billionths of a US dollar. */
const PER_DOLLAR = 1_000_000_000

/**
 * The cost as a sort key: billionths of a US dollar, rounded, at most the greatest safe integer; UNKNOWN_COST when no
 * tokens have a price. The engine computes the same number with the same operations in the same order
 * (storage/clickhouse/feed/cost-expression.ts).
 */
export function costKey(rates: ModelRates, usage: readonly ModelUsage[] | null): number {
  const cost = costOfUsage((model, tokens) => {
    const found = rates.of(model)
    return found === null ? null : costOf(found, tokens)
  }, usage)
  return cost === null ? UNKNOWN_COST : dollarsKey(cost)
}

/** The key of an amount, US dollars. */
export function dollarsKey(amount: number): number {
  const key = Math.floor(amount * PER_DOLLAR + 0.5)
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(key, Number.MAX_SAFE_INTEGER))
}
