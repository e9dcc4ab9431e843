/** Runs tasks one at a time, in the order in which they were added. A task that waited for one behind it would wait for ever. */
export class TaskQueue {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when the task has ended. Rejects with what it throws; those behind it run all the same. */
  add(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(task)
    this.#last = done.catch(() => undefined)
    return done
  }
}
