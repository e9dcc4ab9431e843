import type { ProjectId } from '@spoor/contract/ids'
import type { Page, PageRequest } from '../lib/list-page.ts'
import type { ContextLimit } from '../ports/prices/bill.ts'
import type { ModelRates, Price, Pricer, TokenRates } from '../ports/prices/price.ts'

export interface ListPricesRequest extends PageRequest {
  readonly projectId: ProjectId
  /** Only the price with which steps of this model are billed, whichever of its names it was found under. */
  readonly model: string | null
}

/**
 * Every method rejects with DomainError `storage_unavailable` when the store cannot be read; methods that write also
 * with `disk_full`.
 */
export interface PriceUseCases {
  /** By model. Throws DomainError `invalid_cursor`. */
  list(request: ListPricesRequest): Promise<Page<Price>>
  /**
   * Sets the project's own price and replaces an earlier one. Repeating the same price changes nothing. Throws
   * DomainError `validation_failed`.
   */
  set(projectId: ProjectId, model: string, rates: TokenRates): Promise<Price>
  /**
   * Restores the built-in price, if there is one. Throws DomainError `not_found` when the project has no own price for
   * exactly this name.
   */
  remove(projectId: ProjectId, model: string): Promise<void>
  /** Current prices, for one answer. */
  pricer(projectId: ProjectId): Promise<Pricer>
  rates(projectId: ProjectId): Promise<ModelRates>
  readonly contextLimit: ContextLimit
}
