import type { ProjectId } from '@spoor/contract/ids'
import type { OwnPrice } from './price.ts'

/**
 * Where projects keep their own prices. Several processes may use it at once. Writes of a method are durable when it
 * resolves, and every later read of any process sees them. Methods reject with DomainError `storage_unavailable`, and
 * methods that write also with `disk_full`: nothing is written then.
 */
export interface PriceStore {
  /**
   * The project's own prices by model, in no order; empty for a project that has none or does not exist. Called for
   * every trace that is read, so an adapter SHOULD answer from memory, but it MUST see changes of any process at the
   * next call. A returned object never changes. While nothing has changed, the same object SHOULD be returned.
   */
  own(projectId: ProjectId): Promise<ReadonlyMap<string, OwnPrice>>
  /**
   * Sets the price of its model, in place of an earlier one. `false`, and nothing is changed, when the project would
   * then have more than `most`.
   */
  put(projectId: ProjectId, price: OwnPrice, most: number): Promise<boolean>
  /** Whether there was one. */
  remove(projectId: ProjectId, model: string): Promise<boolean>
}
