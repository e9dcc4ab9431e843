import type { Logger } from '../../operation/logging.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'

/**
 * Stops merges of the engine while the disk is nearly full: a merge needs as much space as it merges, and one that runs
 * out of space may leave broken files. Removing deleted rows is a mutation, which the engine stops together with
 * merges. So while deleted traces are being removed, both continue, because that frees space.
 */
export class MergeSwitch {
  readonly #engine: Pick<TelemetryEngine, 'command'>
  readonly #logger: Logger
  #isDiskFull = false
  #isPurging = false
  #isStopped = false
  /** Commands run one after the other. */
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
