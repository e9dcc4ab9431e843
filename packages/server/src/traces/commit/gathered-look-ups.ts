import type { ProjectId } from '@spoor/contract/ids'
import { onBehalfOfCommit } from '../../lib/work/requester.ts'

interface Waiting<Key, Found> {
  readonly key: Key
  readonly resolve: (found: Found) => void
  readonly reject: (error: unknown) => void
}

/**
 * Bounds one question, which the engine takes up to 256 KiB of, and what comes back: a trace has up to 256 KB of
 * metadata, if seldom. A thousand judgements of as many traces are five questions.
 */
const MOST_TOGETHER = 250

/**
 * Look-ups of many requests in few questions to the store, one at a time for each project: what is looked up while one
 * is under way goes into the next, as with commits. What is looked up alone is asked for at once.
 */
export class GatheredLookUps<Key, Found> {
  readonly #ask: (projectId: ProjectId, keys: readonly Key[]) => Promise<(key: Key) => Found>
  /** Of the projects of which a question is under way. */
  readonly #waiting = new Map<ProjectId, Waiting<Key, Found>[]>()

  /** @param ask is called after whoever gets its answer has asked, and answers for each of its keys */
  constructor(ask: (projectId: ProjectId, keys: readonly Key[]) => Promise<(key: Key) => Found>) {
    this.#ask = ask
  }

  /** Rejects with what the question rejected with, as do all that were asked for with it. */
  find(projectId: ProjectId, key: Key): Promise<Found> {
    return new Promise((resolve, reject) => {
      const one = { key, resolve, reject }
      const waiting = this.#waiting.get(projectId)
      if (waiting === undefined) void this.#askAll(projectId, [one])
      else waiting.push(one)
    })
  }

  async #askAll(projectId: ProjectId, waiting: Waiting<Key, Found>[]): Promise<void> {
    this.#waiting.set(projectId, waiting)
    while (waiting.length > 0) {
      const taken = waiting.splice(0, MOST_TOGETHER)
      try {
        const keys = taken.map(({ key }) => key)
        // Not for the one that happened to ask first.
        const answer = await onBehalfOfCommit(() => this.#ask(projectId, keys))
        for (const { key, resolve } of taken) resolve(answer(key))
      } catch (error) {
        for (const { reject } of taken) reject(error)
      }
    }
    this.#waiting.delete(projectId)
  }
}
