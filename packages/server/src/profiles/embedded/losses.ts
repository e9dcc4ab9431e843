import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../lib/operator-error.ts'
import { DATA_FILES } from '../../storage/data-files.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'

/**
 * Acknowledged data that a start cannot find. The service does not start, and nothing more is removed, until the
 * operator has accepted its loss.
 */
export class Losses {
  readonly #environment: Pick<EmbeddedEnvironment, 'dataDir' | 'clock' | 'logger'>
  readonly #losses: string[] = []
  /** Those that no later start can find, also of earlier starts: a file lists them until they are accepted. */
  readonly #fleeting: string[]
  readonly isAccepting: boolean

  constructor(environment: Pick<EmbeddedEnvironment, 'dataDir' | 'clock' | 'logger'>, acceptLoss: boolean) {
    this.#environment = environment
    this.isAccepting = acceptLoss
    this.#fleeting = readNamed(join(environment.dataDir, DATA_FILES.namedLosses))
    this.#losses.push(...this.#fleeting)
  }

  /** `what`: a sentence that says what is missing, where, and how much. */
  add(what: string): void {
    this.#losses.push(what)
  }

  /**
   * The same, for a loss that the next start could not find because this start changes the data: it is recorded at
   * once, and reported by each start until it is accepted.
   */
  addFleeting(what: string): void {
    if (this.#fleeting.includes(what)) return
    this.#fleeting.push(what)
    this.add(what)
    const { dataDir } = this.#environment
    appendFileSync(join(dataDir, DATA_FILES.namedLosses), `${what}\n`, { flush: true, mode: 0o600 })
  }

  /**
   * Continues when nothing is missing, or when the loss is accepted: then it is recorded first. Throws OperatorError
   * otherwise.
   */
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
    rmSync(join(dataDir, DATA_FILES.namedLosses), { force: true })
    logger.warn(
      { losses },
      `the service continues without missing data, as --accept-loss allows; see ${DATA_FILES.acceptedLosses}`,
    )
  }
}

function readNamed(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}
