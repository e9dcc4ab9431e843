import type { Logger } from '../../operation/logging.ts'

type Ending = { stop(): unknown } | { close(): unknown }

function end(part: Ending): unknown {
  return 'stop' in part ? part.stop() : part.close()
}

/** The parts of a running program, in the order in which they were started. They stop in reverse order. */
export class Parts {
  readonly #logger: Pick<Logger, 'error'>
  readonly #started: { readonly name: string; stop(): unknown }[] = []

  constructor(logger: Pick<Logger, 'error'>) {
    this.#logger = logger
  }

  /** Starts a part after those before it. A part whose start fails is not stopped. */
  start<T extends Ending>(name: string, start: () => T | Promise<T>): Promise<T> {
    return this.startWith(name, start, end)
  }

  /** The same for a part that `stop` ends. */
  async startWith<T>(name: string, start: () => T | Promise<T>, stop: (part: T) => unknown): Promise<T> {
    const part = await start()
    this.#started.push({ name, stop: () => stop(part) })
    return part
  }

  /**
   * Stops every part, each after the parts that were started later. A part that fails is logged by its name, and the
   * others stop anyway; rejects with the first failure.
   */
  async stop(): Promise<void> {
    const failures: unknown[] = []
    for (let part = this.#started.pop(); part !== undefined; part = this.#started.pop()) {
      try {
        await part.stop()
      } catch (error) {
        this.#logger.error({ error, part: part.name }, 'a part of the service could not be stopped')
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
