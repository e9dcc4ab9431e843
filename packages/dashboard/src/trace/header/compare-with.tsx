import { useNavigate } from '@tanstack/react-router'
import { findPlace, idIn } from '../../api/find-place.ts'
import { lastSuccess } from '../../api/trace.ts'
import { TextForm } from '../../ui/text-form.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { TraceHead } from '../reading/trace-head.ts'

/** Opens the comparison of a trace, at the right, with another. */
function useCompare(right: string): (left: string) => void {
  const navigate = useNavigate()
  return (left) => void navigate({ to: '/app/traces/compare', search: { left, right } })
}

export function useCompareWithSuccess(head: TraceHead): () => void {
  const compare = useCompare(head.id)
  const toast = useToast()
  const find = useAction(() => lastSuccess(head), {
    onSuccess: (left) => {
      if (left === null) toast({ kind: 'fail', text: 'No other trace of this name succeeded.' })
      else compare(left)
    },
  })
  return () => find.mutate(undefined)
}

/** Takes the id or the address of the other trace. */
export function CompareDialog({ traceId, onClose }: { readonly traceId: string; onClose(): void }) {
  const compare = useCompare(traceId)
  return (
    <TextForm
      title="Compare with another trace"
      label="Id or link of the trace"
      submit="Compare"
      send={async (text) => {
        const id = idIn(text.split('?')[0]?.split('/').at(-1) ?? '')
        const place = id === null || id.kind === 'session' ? null : await findPlace(id)
        if (place?.kind !== 'trace') throw new Error('There is no such trace in this project.')
        return place.traceId
      }}
      onClose={onClose}
      onSuccess={compare}
    />
  )
}
