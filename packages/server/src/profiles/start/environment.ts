import type { Config } from '../../config.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Logger } from '../../operation/logging.ts'
import type { PriceList } from '../../pricing/price-list.ts'

/** Shared dependencies of all parts of a start. */
export interface Environment {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  readonly version: string
  /** The prices of models that no project has set. */
  readonly listedPrices: PriceList
}
