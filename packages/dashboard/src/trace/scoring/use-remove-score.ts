import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import { TRACE_KEYS } from '../../api/client/feed.ts'
import { recordAgain, removeMetricEvent } from '../../api/metrics.ts'
import { useMay, useSession } from '../../lib/hooks/use-session.ts'
import { useToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { TraceSource } from '../reading/trace-source.ts'

/**
 * Removes a score of the shown trace; a message offers to record it again. Null for a score that must stay: beside
 * another trace, or of another author.
 */
export function useRemoveScore(source: TraceSource | null): (event: MetricEvent) => (() => void) | null {
  const mayRemove = useMay('ingest', 'manage')
  const mayManage = useMay('manage')
  const { key_id: ownKey } = useSession()
  const toast = useToast()
  const undoing = useAction(recordAgain, { said: 'Score restored', refresh: TRACE_KEYS })
  const removing = useAction(removeMetricEvent, {
    onSuccess: (_, event: MetricEvent) =>
      toast({ kind: 'ok', text: `Score ${event.name} removed`, undo: () => undoing.mutate(event) }),
    refresh: TRACE_KEYS,
  })
  return (event) =>
    source !== null && mayRemove && (mayManage || event.created_by === ownKey) ? () => removing.mutate(event) : null
}
