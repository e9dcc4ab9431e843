import { Lanes } from './lanes.ts'

/**
 * Milliseconds of work of all requests in one turn of the event loop: the additional delay that a short request may
 * get.
 */
const MOST_MS = 5

export interface WorkTurnsOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Calls `run` in the next turn of the event loop, after the input that has arrived. */
  readonly nextTurn: (run: () => void) => void
}

/** Calls `step` repeatedly until it returns false. Rejects with the error of a step. */
export type InTurns = (step: () => boolean) => Promise<void>

/** Runs `work` to its end; where it yields, other work may get a turn. */
export async function resultInTurns<T>(work: Generator<void, T>, inTurns: InTurns): Promise<T> {
  const results: T[] = []
  await inTurns(() => {
    const result = work.next()
    if (result.done === true) results.push(result.value)
    return result.done !== true
  })
  return results[0] as T
}

interface Task {
  readonly owner: string
  readonly step: () => boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Bounds how long the requests of all clients together block the event loop; all share one instance. Work is done in
 * steps, each of which MUST be short. Work that does not fit into a turn continues in the next turns, after the input
 * that has arrived. Owners (projects) take turns, and so do the tasks of one owner. Work runs at once if there is no
 * other.
 */
export class WorkTurns {
  readonly #options: WorkTurnsOptions
  readonly #waiting = new Lanes<Task>()
  #spentMs = 0
  #scheduled = false

  constructor(options: WorkTurnsOptions) {
    this.#options = options
  }

  /** For work that cannot be split into steps. Settles with the result or the error of `work`. */
  async run<T>(owner: string, work: () => T): Promise<T> {
    const results: T[] = []
    await this.steps(owner, () => {
      results.push(work())
      return false
    })
    return results[0] as T
  }

  steps(owner: string, step: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(owner, { owner, step, resolve, reject })
      this.#runTurn()
    })
  }

  #runTurn(): void {
    while (this.#spentMs < MOST_MS) {
      const task = this.#waiting.next()
      if (task === undefined) break
      if (this.#advance(task)) this.#waiting.add(task.owner, task)
    }
    if (this.#scheduled || this.#spentMs === 0) return
    this.#scheduled = true
    this.#options.nextTurn(() => {
      this.#scheduled = false
      this.#spentMs = 0
      this.#runTurn()
    })
  }

  /** Runs steps until the task or the turn ends. True if the task has more steps. */
  #advance({ step, resolve, reject }: Task): boolean {
    const { now } = this.#options
    const before = now() - this.#spentMs
    try {
      while (step()) {
        this.#spentMs = now() - before
        if (this.#spentMs >= MOST_MS) return true
      }
      resolve()
    } catch (error) {
      reject(error)
    }
    this.#spentMs = now() - before
    return false
  }
}

export const systemWorkTurns: WorkTurnsOptions = {
  now: () => performance.now(),
  nextTurn: (run) => void setImmediate(run),
}
