import { ApiError } from '../api/client/api-error.ts'
import { isReachable } from '../api/readiness.ts'
import { createOutageWatch } from './outage-watch.ts'
import { queryClient } from './query-client.ts'

let onBack = () => {}
const watch = createOutageWatch({
  isBack: isReachable,
  after: (ms, call) => void setTimeout(call, ms),
  onBack: () => {
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => isOutage(state.error) })
    onBack()
  },
})

/** Refetches failed queries as soon as the service is back after an outage. */
export function watchOutages(): void {
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && isOutage(query.state.error)) watch.noteFailure()
  })
}

/** Calls once the service can be reached, for a screen whose script failed to load. Returns a function that cancels. */
export function whenBack(call: () => void): () => void {
  onBack = call
  watch.noteFailure()
  return () => {
    if (onBack === call) onBack = () => {}
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 503)
}
