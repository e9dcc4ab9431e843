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

/** From now on, what could not be had because the service was away is asked for again as soon as it is back. */
export function watchOutages(): void {
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && isOutage(query.state.error)) watch.noteFailure()
  })
}

/** Calls when the service can be reached: for a screen whose script it could not give. Returns what ends that. */
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
