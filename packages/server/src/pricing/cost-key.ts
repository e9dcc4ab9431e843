import { dollarsKey, type ModelRates, UNKNOWN_COST } from '../ports/prices/price.ts'
import { costOf } from './cost-of.ts'
import { costOfUsage } from './trace-cost.ts'

/**
 * See ModelRates. The engine computes the same number with the same operations in the same order
 * (storage/clickhouse/feed/cost-expression.ts).
 */
export function costKey(
  ratesOf: ModelRates['of'],
  usage: Parameters<ModelRates['costKey']>[0],
): ReturnType<ModelRates['costKey']> {
  const cost = costOfUsage((model, tokens) => {
    const rates = ratesOf(model)
    return rates === null ? null : costOf(rates, tokens)
  }, usage)
  return cost === null ? UNKNOWN_COST : dollarsKey(cost)
}
