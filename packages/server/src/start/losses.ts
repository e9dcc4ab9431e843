import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'
import { DATA_FILES } from '../storage/data-files.ts'
import type { Environment } from './environment.ts'

/** Acknowledged data that a start cannot find. Until somebody has accepted its loss the service does not start, and nothing more is removed. */
export class Losses {
  readonly #environment: Pick<Environment, 'dataDir' | 'clock' | 'logger'>
  readonly #losses: string[] = []
  readonly isAccepting: boolean

  constructor(environment: Pick<Environment, 'dataDir' | 'clock' | 'logger'>, acceptLoss: boolean) {
    this.#environment = environment
    this.isAccepting = acceptLoss
  }

  /** `what`: a sentence that says what is missing, where, and how much. */
  add(what: string): void {
    this.#losses.push(what)
  }

  /** Goes on when nothing is missing, or when the loss is accepted: then it is put on record first. Throws OperatorError otherwise. */
  settle(): void {
    if (this.#losses.length === 0) return
    const { dataDir, clock, logger } = this.#environment
    if (!this.isAccepting) {
      throw new OperatorError(
        [
          `Acknowledged data is missing in ${dataDir}:`,
          ...this.#losses.map((what) => `  - ${what}`),
          'Nothing was removed. Restore the files from a backup of one moment, or start with --accept-loss to go on without what is missing.',
        ].join('\n'),
      )
    }
    const losses = this.#losses.splice(0)
    const line = JSON.stringify({ at: new Date(clock.now()).toISOString(), losses })
    appendFileSync(join(dataDir, DATA_FILES.acceptedLosses), `${line}\n`, { flush: true, mode: 0o600 })
    logger.warn(
      { losses },
      `the service goes on without data that is missing, as --accept-loss says; see ${DATA_FILES.acceptedLosses}`,
    )
  }
}
