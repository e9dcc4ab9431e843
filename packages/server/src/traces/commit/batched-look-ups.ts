import type { ProjectId } from '@spoor/contract/ids'
import { onBehalfOfCommit } from '../../lib/flow/requester.ts'

interface Waiting<Key, Found> {
  readonly key: Key
  readonly resolve: (found: Found) => void
  readonly reject: (error: unknown) => void
}

/**
 * Bounds one query (the engine accepts 256 KiB of SQL) and its result: a trace may have 256 KB of metadata, though few
 * do. 1,000 metric events on 1,000 traces need five queries: one for the first, four for the others.
 */
const MOST_TOGETHER = 250

/**
 * Batches the look-ups of many requests. One query runs at a time for each project; look-ups that arrive during it go
 * into the next. A single look-up is sent at once.
 */
export class BatchedLookUps<Key, Found> {
  readonly #query: (projectId: ProjectId, keys: readonly Key[]) => Promise<(key: Key) => Found>
  /** Only projects with a running query have an entry. */
  readonly #waiting = new Map<ProjectId, Waiting<Key, Found>[]>()

  /** @param query runs after all its callers have registered their keys, and must return a result for each key */
  constructor(query: (projectId: ProjectId, keys: readonly Key[]) => Promise<(key: Key) => Found>) {
    this.#query = query
  }

  /** Rejects with the error of the query, as do all look-ups of the same batch. */
  find(projectId: ProjectId, key: Key): Promise<Found> {
    return new Promise((resolve, reject) => {
      const one = { key, resolve, reject }
      const waiting = this.#waiting.get(projectId)
      if (waiting === undefined) void this.#run(projectId, [one])
      else waiting.push(one)
    })
  }

  async #run(projectId: ProjectId, waiting: Waiting<Key, Found>[]): Promise<void> {
    this.#waiting.set(projectId, waiting)
    while (waiting.length > 0) {
      const taken = waiting.splice(0, MOST_TOGETHER)
      try {
        const keys = taken.map(({ key }) => key)
        // Runs as the commit, not as the request that happened to come first.
        const answer = await onBehalfOfCommit(() => this.#query(projectId, keys))
        for (const { key, resolve } of taken) resolve(answer(key))
      } catch (error) {
        for (const { reject } of taken) reject(error)
      }
    }
    this.#waiting.delete(projectId)
  }
}
