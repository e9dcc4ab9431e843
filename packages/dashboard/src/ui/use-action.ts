import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../api/client/api-error.ts'
import { useToast } from './toasts.tsx'

/** What follows a success, in this order. */
export interface Outcome<Result, Variables = void> {
  /** Called at once: closes a dialog, or stores the result. */
  onSuccess?(result: Result, variables: Variables): unknown
  /** A message, or none. */
  readonly said?: string | ((result: Result, variables: Variables) => string | undefined)
  /** Queries that are out of date then, by the start of their key. The action is pending until they are read again. */
  readonly refresh?: readonly QueryKey[]
  /** Called last. */
  onDone?(result: Result, variables: Variables): unknown
}

/** A change of something in the service. If it fails, a message says why. */
export function useAction<Result, Variables = void>(
  act: (variables: Variables) => Promise<Result>,
  outcome: Outcome<Result, Variables> = {},
) {
  const toast = useToast()
  return useSilentAction(act, outcome, (error) => toast({ kind: 'fail', text: asApiError(error).message }))
}

/** The same for a caller that shows the error itself. */
export function useSilentAction<Result, Variables = void>(
  act: (variables: Variables) => Promise<Result>,
  { onSuccess, refresh = [], said, onDone }: Outcome<Result, Variables>,
  onError?: (error: Error) => void,
) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: act,
    onSuccess: async (result, variables) => {
      await onSuccess?.(result, variables)
      const text = typeof said === 'function' ? said(result, variables) : said
      if (text !== undefined) toast({ kind: 'ok', text })
      await Promise.all(refresh.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
      await onDone?.(result, variables)
    },
    ...(onError === undefined ? {} : { onError }),
  })
}
