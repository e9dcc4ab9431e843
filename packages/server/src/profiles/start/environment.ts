import type { Config } from '../../config.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Logger } from '../../operation/logging.ts'

/** What all parts of a start share. */
export interface Environment {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  readonly version: string
}
