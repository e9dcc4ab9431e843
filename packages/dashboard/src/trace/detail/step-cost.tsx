import { formatCost, formatCostExact } from '../../lib/format-number.ts'

/** US dollars; a cost that the sender reported is marked. */
export function StepCost({ cost, isSenders }: { cost: number; isSenders: boolean }) {
  const exact = formatCostExact(cost)
  return (
    <span className="whitespace-nowrap" title={isSenders ? `${exact}, as reported by the sender` : exact}>
      {formatCost(cost)}
      {isSenders && <span className="text-muted font-normal"> by sender</span>}
    </span>
  )
}
