import type { Bound } from '@spoor/contract/trace-filters'
import { dollarsKey } from '../../../ports/prices/price.ts'
import { integer } from '../engine/literal.ts'

/**
 * Conditions on columns of `traces` or `steps`. Unknown values are stored as negative numbers. `cost` is the expression
 * for bounds of the cost.
 */
export function boundConditions(bounds: readonly Bound<string>[], cost: string | null): string[] {
  return bounds.map(({ measure, side, value }) => {
    const [number, bound] = measure === 'cost_usd' ? [costOr(cost), dollarsKey(value)] : [measure, value]
    const least = side === 'min' ? Math.max(0, bound) : 0
    return side === 'min' ? `${number} >= ${integer(least)}` : `${number} BETWEEN 0 AND ${integer(bound)}`
  })
}

function costOr(cost: string | null): string {
  if (cost === null) throw new TypeError('bounds of the cost need its expression')
  return cost
}
