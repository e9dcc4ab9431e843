/** Work of all requests in one turn of the event loop, milliseconds: what a short request may have to wait for on top of its own. */
const MOST_MS = 5

export interface WorkTurnsOptions {
  /** Milliseconds, rising. */
  readonly now: () => number
  /** Runs it in the next turn of the event loop, after what has arrived meanwhile. */
  readonly nextTurn: (run: () => void) => void
}

/** Calls `step` again and again until it returns false. Rejects with what it throws. */
export type InTurns = (step: () => boolean) => Promise<void>

/** Runs `work` to its end; where it yields, other work may have its turn. */
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
 * Bounds how long the requests of all clients together keep the event loop: one of these serves them all. Work is done in steps, each of which
 * MUST be short. What does not fit in a turn goes on in the next ones, behind what has arrived meanwhile. Owners (projects) take it in turns,
 * and so do the tasks of one owner. Work that meets no other runs at once.
 */
export class WorkTurns {
  readonly #options: WorkTurnsOptions
  /** Tasks by owner, both in the order in which they go on. No owner has none. */
  readonly #waiting = new Map<string, Task[]>()
  #spentMs = 0
  #scheduled = false

  constructor(options: WorkTurnsOptions) {
    this.#options = options
  }

  /** Work that cannot be cut into steps. Resolves or rejects with what it returns or throws. */
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
      this.#wait({ owner, step, resolve, reject })
      this.#go()
    })
  }

  #wait(task: Task): void {
    const tasks = this.#waiting.get(task.owner)
    if (tasks === undefined) this.#waiting.set(task.owner, [task])
    else tasks.push(task)
  }

  /** Takes out the task that is next. Its owner goes behind the others. */
  #next(): Task | undefined {
    for (const [owner, tasks] of this.#waiting) {
      const task = tasks.shift()
      this.#waiting.delete(owner)
      if (tasks.length > 0) this.#waiting.set(owner, tasks)
      return task
    }
    return undefined
  }

  #go(): void {
    while (this.#spentMs < MOST_MS) {
      const task = this.#next()
      if (task === undefined) break
      if (this.#advance(task)) this.#wait(task)
    }
    if (this.#scheduled || this.#spentMs === 0) return
    this.#scheduled = true
    this.#options.nextTurn(() => {
      this.#scheduled = false
      this.#spentMs = 0
      this.#go()
    })
  }

  /** Steps until the task or the turn is over. True when there is more to do. */
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
