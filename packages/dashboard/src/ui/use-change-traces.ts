import { TRACE_KEYS } from '../api/client/feed.ts'
import { deleteTrace, restoreTrace, UNDO_SECONDS } from '../api/trace.ts'
import { type Changed, changedWords, changeEach } from './change-each.ts'
import { useToast } from './toasts.tsx'
import { useAction } from './use-action.ts'

export interface Change {
  readonly ids: readonly string[]
  /** For the message: "flagged". */
  readonly what: string
  /** A sentence behind it. */
  readonly note?: string | undefined
  change(id: string): Promise<unknown>
  /** Takes the change of one trace back. If omitted, it cannot be. */
  undo?(id: string): Promise<unknown>
  /** For the message of the undo; "restored" if omitted. */
  readonly undone?: string
  /** `change` takes a change back. */
  readonly isUndo?: true
  /** What the undo does not restore, as a sentence for its message. */
  readonly lost?: string | undefined
  onChanged?(changed: Changed): void
}

/** Changes each trace. A message says how many were changed and what failed, with a button that undoes the change. */
export function useChangeTraces() {
  const toast = useToast()
  const tell = (changed: Changed, of: Change): void => {
    const { what, note, undone = 'restored', lost, onChanged } = of
    // What could not be undone can be tried again.
    const [undo, ids] = of.isUndo === true ? [of.change, [...changed.failed.keys()]] : [of.undo, changed.done]
    const words = of.isUndo === true ? { what, note } : { what: undone, note: lost }
    toast({
      kind: changed.failed.size === 0 ? 'ok' : 'fail',
      text: changedWords(changed, what, note),
      ...(undo !== undefined &&
        ids.length > 0 && { undo: () => changing.mutate({ ids, ...words, change: undo, isUndo: true }) }),
    })
    onChanged?.(changed)
  }
  const change = (of: Change) => changeEach(of.ids, of.change)
  const changing = useAction(change, { onSuccess: tell, refresh: TRACE_KEYS })
  return { ...changing, tell }
}

/** Undo is offered after the last deletion: the more there are, the longer the first ones must be restorable. */
export const deletionOf = (ids: readonly string[]): Change => ({
  ids,
  what: 'deleted',
  change: (id) => deleteTrace(id, UNDO_SECONDS + ids.length - 1),
  undo: restoreTrace,
  lost: 'In no cluster until the next discovery.',
})
