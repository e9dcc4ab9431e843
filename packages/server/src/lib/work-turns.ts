/** Work of one turn of the event loop, milliseconds: what a short request may have to wait for on top of its own. */
const MOST_MS = 10

export interface WorkTurnsOptions {
  /** Milliseconds, rising. */
  readonly now: () => number
  /** Runs it in the next turn of the event loop, after what has arrived meanwhile. */
  readonly nextTurn: (run: () => void) => void
}

/**
 * Bounds how long work that must not be interrupted keeps the event loop. Hundreds of large bodies may arrive in one turn, and parsing them
 * takes milliseconds each: those beyond the bound run in the next turns, in the order of their calls. Work that meets no other runs at once.
 */
export class WorkTurns {
  readonly #options: WorkTurnsOptions
  readonly #waiting: (() => void)[] = []
  #spentMs = 0
  #scheduled = false

  constructor(options: WorkTurnsOptions) {
    this.#options = options
  }

  /** Resolves or rejects with what `work` returns or throws. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
      this.#go()
    })
  }

  #go(): void {
    const { now, nextTurn } = this.#options
    while (this.#waiting.length > 0 && this.#spentMs < MOST_MS) {
      const began = now()
      this.#waiting.shift()?.()
      this.#spentMs += now() - began
    }
    if (this.#scheduled || this.#spentMs === 0) return
    this.#scheduled = true
    nextTurn(() => {
      this.#scheduled = false
      this.#spentMs = 0
      this.#go()
    })
  }
}

export const systemWorkTurns: WorkTurnsOptions = {
  now: () => performance.now(),
  nextTurn: (run) => void setImmediate(run),
}
