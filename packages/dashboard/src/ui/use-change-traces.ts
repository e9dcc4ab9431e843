import { FEED_KEYS } from '../api/client/feed.ts'
import { deleteTrace, restoreTrace, UNDO_SECONDS } from '../api/trace.ts'
import { type Changed, changedWords, changeEach } from './change-each.ts'
import { useToast } from './toasts.tsx'
import { useAction } from './use-action.ts'

interface Change {
  readonly ids: readonly string[]
  /** For the message: "flagged". */
  readonly what: string
  change(id: string): Promise<unknown>
  /** Takes the change of one trace back. If omitted, it cannot be. */
  undo?(id: string): Promise<unknown>
  onChanged?(changed: Changed): void
}

/** Changes each trace. A message says how many were changed and what failed, with a button that undoes the change. */
export function useChangeTraces() {
  const toast = useToast()
  const changing = useAction(({ ids, change }: Change) => changeEach(ids, change), {
    onSuccess: (changed: Changed, { what, undo, onChanged }: Change): void => {
      const ids = changed.done
      toast({
        kind: changed.failed.size === 0 ? 'ok' : 'fail',
        text: changedWords(changed, what),
        ...(undo !== undefined &&
          ids.length > 0 && { undo: () => changing.mutate({ ids, what: 'restored', change: undo }) }),
      })
      onChanged?.(changed)
    },
    refresh: [...FEED_KEYS, ['trace-row']],
  })
  return changing
}

/** Undo is offered after the last deletion: the more there are, the longer the first ones must be restorable. */
export const deletionOf = (ids: readonly string[]): Change => ({
  ids,
  what: 'deleted',
  change: (id) => deleteTrace(id, UNDO_SECONDS + ids.length - 1),
  undo: restoreTrace,
})
