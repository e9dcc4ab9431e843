import type { Logger } from '../../operation/logging.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'

/**
 * Keeps the engine from merging while the disk is nearly full: a merge needs as much space as it merges, and one that meets a full disk may leave broken files. Removing deleted rows
 * is a mutation, which the engine stops with its merges: while deleted traces are being removed, both go on, because that is what makes space.
 */
export class MergeSwitch {
  readonly #engine: Pick<TelemetryEngine, 'command'>
  readonly #logger: Logger
  #isDiskFull = false
  #isPurging = false
  #isStopped = false
  /** Commands one after the other. */
  #last: Promise<void> = Promise.resolve()

  constructor(engine: Pick<TelemetryEngine, 'command'>, logger: Logger) {
    this.#engine = engine
    this.#logger = logger
  }

  setDiskFull(isDiskFull: boolean): void {
    this.#isDiskFull = isDiskFull
    this.#apply()
  }

  setPurging(isPurging: boolean): void {
    this.#isPurging = isPurging
    this.#apply()
  }

  #apply(): void {
    const stop = this.#isDiskFull && !this.#isPurging
    if (stop === this.#isStopped) return
    this.#isStopped = stop
    this.#last = this.#last
      .then(() => this.#engine.command(`SYSTEM ${stop ? 'STOP' : 'START'} MERGES`))
      .catch((error: unknown) => this.#logger.error({ error, stop }, 'merges could not be stopped or started'))
  }
}
