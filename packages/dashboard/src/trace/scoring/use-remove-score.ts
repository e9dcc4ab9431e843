import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import { recordAgain, removeMetricEvent } from '../../api/metrics.ts'
import { useMay, useSession } from '../../lib/hooks/use-session.ts'
import { useToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { TraceSource } from '../reading/trace-source.ts'

/** Where scores are shown beside these. */
const REFRESHED = [['feed'], ['feed-histogram'], ['series'], ['series-groups'], ['metric-events']]

/**
 * Removes a score of the shown trace; a message offers to record it again. Null for a score that must stay: beside
 * another trace, or of another author.
 */
export function useRemoveScore(source: TraceSource | null): (event: MetricEvent) => (() => void) | null {
  const mayRemove = useMay('ingest', 'manage')
  const mayManage = useMay('manage')
  const { key_id: ownKey } = useSession()
  const toast = useToast()
  const undoing = useAction(recordAgain, {
    onSuccess: (event) => source?.addMetricEvent(event),
    said: 'Score restored',
    refresh: REFRESHED,
  })
  const removing = useAction(removeMetricEvent, {
    onSuccess(_, event: MetricEvent) {
      source?.removeMetricEvent(event)
      toast({ kind: 'ok', text: `Score ${event.name} removed`, undo: () => undoing.mutate(event) })
    },
    refresh: REFRESHED,
  })
  return (event) =>
    source !== null && mayRemove && (mayManage || event.created_by === ownKey) ? () => removing.mutate(event) : null
}
