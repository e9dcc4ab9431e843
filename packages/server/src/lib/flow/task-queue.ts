/** Runs tasks one at a time, in the order of `add`. A task must not wait for a later one: it would wait forever. */
export class TaskQueue {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when the task has ended, or rejects with its error. Later tasks run in any case. */
  add(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(task)
    this.#last = done.catch(() => undefined)
    return done
  }
}
