import { AsyncLocalStorage } from 'node:async_hooks'
import type { ProjectId } from '@spoor/contract/ids'

/**
 * On whose behalf work runs. It decides the order of access to shared resources: the sessions of the engine
 * (storage/clickhouse/engine/read-queue.ts) and the memory for answers (lib/flow/byte-gate.ts).
 *
 * - `project`: a request that reads. `signal` aborts when its client has disconnected; the work is then dropped and
 *   rejects with the reason of the signal.
 * - `commit`: look-ups that a write waits for. They are shared by many requests, so the signal of one client must not
 *   end them.
 * - `service`: the service itself, such as monitors, settling, discoveries and housekeeping.
 */
export type Requester =
  | { readonly kind: 'project'; readonly projectId: ProjectId; readonly signal: AbortSignal }
  | { readonly kind: 'commit' }
  | { readonly kind: 'service' }

const SERVICE: Requester = { kind: 'service' }
const COMMIT: Requester = { kind: 'commit' }

const current = new AsyncLocalStorage<Requester>()

/** The requester of the current work; the service by default. */
export function currentRequester(): Requester {
  return current.getStore() ?? SERVICE
}

/** Runs `work` and everything that it starts for this requester. */
export function onBehalfOf<T>(requester: Requester, work: () => T): T {
  return current.run(requester, work)
}

/** MUST wrap work that outlives the request that starts it. */
export function onBehalfOfService<T>(work: () => T): T {
  return current.run(SERVICE, work)
}

/** MUST wrap look-ups that are shared by several writes. */
export function onBehalfOfCommit<T>(work: () => T): T {
  return current.run(COMMIT, work)
}

/** The same elements, each produced for the current requester: streams pull elements in unrelated events. */
export function forCurrentRequester<T>(elements: AsyncIterable<T>): AsyncGenerator<T> {
  return elementsFor(currentRequester(), elements)
}

async function* elementsFor<T>(requester: Requester, elements: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = elements[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await onBehalfOf(requester, () => iterator.next())
      if (done === true) return
      yield value
    }
  } finally {
    await onBehalfOf(requester, async () => iterator.return?.())
  }
}

/** Null for work that does not end when a client disconnects. */
export function signalOf(requester: Requester): AbortSignal | null {
  return requester.kind === 'project' ? requester.signal : null
}

/** The owner of shares: one for each project, and one for each other kind. */
export function laneOf(requester: Requester): string {
  return requester.kind === 'project' ? requester.projectId : requester.kind
}
