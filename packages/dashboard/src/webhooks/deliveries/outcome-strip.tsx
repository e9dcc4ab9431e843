import type { Delivery } from '@spoor/contract/schemas/delivery'
import { Skeleton } from '../../ui/states.tsx'
import { countOutcomes, type Outcome, outcomeOfDelivery } from '../webhook-health.ts'

/** Height as well as colour: failures are highest. */
const BARS: Readonly<Record<Outcome, string>> = {
  succeeded: 'bg-ok h-2.5',
  failed: 'bg-fail h-5',
  retrying: 'bg-warn h-4',
  pending: 'bg-line-strong h-1.5',
  cancelled: 'bg-line h-1.5',
}

/** A bar per recent delivery, the newest on the right. */
export function OutcomeStrip({ recent }: { recent: readonly Delivery[] | undefined }) {
  if (recent === undefined) return <Skeleton className="h-5 w-40" />
  if (recent.length === 0) return null
  return (
    <div aria-hidden className="flex h-5 items-end gap-px">
      {recent.toReversed().map((delivery) => (
        <span key={delivery.id} className={`w-1 rounded-sm ${BARS[outcomeOfDelivery(delivery)]}`} />
      ))}
    </div>
  )
}

/** Counts of recent deliveries: "44 succeeded · 2 failed · 4 retrying". */
export function OutcomeCounts({ recent }: { recent: readonly Delivery[] | undefined }) {
  if (recent === undefined) return <Skeleton className="h-4 w-32" />
  if (recent.length === 0) return <span className="text-muted">No deliveries yet</span>
  const counts = Object.entries(countOutcomes(recent)) as [Outcome, number][]
  return (
    <span className="text-muted text-xs" title={`Last ${recent.length} deliveries`}>
      {counts
        .filter(([, count]) => count > 0)
        .map(([outcome, count]) => `${count} ${outcome}`)
        .join(' · ')}
    </span>
  )
}
