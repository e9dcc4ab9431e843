import { AsyncLocalStorage } from 'node:async_hooks'
import type { ProjectId } from '@spoor/contract/ids'

/**
 * On whose behalf work runs. It decides who is next where all share something: sessions of the engine (storage/clickhouse/engine/read-queue.ts) and room
 * for answers (lib/work/byte-gate.ts).
 *
 * - `project`: a request that reads. `signal` aborts when its client has gone; the work is dropped then, and rejects with the signal's reason.
 * - `commit`: look-ups that a write waits for. They are gathered for many requests, so no client's signal may end them.
 * - `service`: the service itself, such as monitors, settling, discoveries and housekeeping.
 */
export type Requester =
  | { readonly kind: 'project'; readonly projectId: ProjectId; readonly signal: AbortSignal }
  | { readonly kind: 'commit' }
  | { readonly kind: 'service' }

const SERVICE: Requester = { kind: 'service' }
const COMMIT: Requester = { kind: 'commit' }

const current = new AsyncLocalStorage<Requester>()

/** The requester of the work that calls this. The service, unless something said otherwise. */
export function currentRequester(): Requester {
  return current.getStore() ?? SERVICE
}

/** Runs `work` and all that it starts for this requester. */
export function onBehalfOf<T>(requester: Requester, work: () => T): T {
  return current.run(requester, work)
}

/** MUST wrap work that outlives the request that happens to start it. */
export function onBehalfOfService<T>(work: () => T): T {
  return current.run(SERVICE, work)
}

/** MUST wrap look-ups that are shared by several writes. */
export function onBehalfOfCommit<T>(work: () => T): T {
  return current.run(COMMIT, work)
}

/** The same elements, each made for the requester of now: a stream asks for them from whatever event makes room in it. */
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

/** Null for work that no client's leaving ends. */
export function signalOf(requester: Requester): AbortSignal | null {
  return requester.kind === 'project' ? requester.signal : null
}

/** What shares are counted by: each project for itself, the other kinds each as one. */
export function laneOf(requester: Requester): string {
  return requester.kind === 'project' ? requester.projectId : requester.kind
}
