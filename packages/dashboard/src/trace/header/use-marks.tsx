import { useState } from 'react'
import { markOf, type Mark } from '../../ui/marks.ts'
import { useChangeTraces } from '../../ui/use-change-traces.ts'
import type { TraceHead } from '../reading/trace-head.ts'
import { type MarkWithReason, ReasonDialog } from './reason-dialog.tsx'

/** Flags and marks of a trace. They act at once; those with a reason ask for it. */
export function useMarks(head: TraceHead) {
  const [asked, setAsked] = useState<MarkWithReason | null>(null)
  const changing = useChangeTraces()
  const changeOf = (mark: Mark, reason?: string) => markOf(mark, [head.id], head.growing, reason)
  const button = (label: string, mark: Mark) => ({ label, run: () => changing.mutate(changeOf(mark)) })
  const ask = (label: string, mark: MarkWithReason) => ({ label, run: () => setAsked(mark) })
  const flagged = head.state === 'flagged'
  const failed = head.status === 'error'
  return {
    status: failed ? button('Mark ok', 'ok') : button('Mark failed', 'fail'),
    flag: flagged ? button('Remove flag', 'unflag') : button('Flag', 'flag'),
    withReason: [
      ...(failed ? [] : [ask('Mark failed with a reason…', 'fail')]),
      flagged
        ? ask(head.flag_reason === null ? 'Add a reason…' : 'Change the reason…', 'reason')
        : ask('Flag with a reason…', 'flag'),
    ],
    dialog: asked !== null && (
      <ReasonDialog
        traceId={head.id}
        mark={asked}
        before={head.flag_reason}
        changeOf={changeOf}
        onChanged={changing.tell}
        onClose={() => setAsked(null)}
      />
    ),
  }
}
