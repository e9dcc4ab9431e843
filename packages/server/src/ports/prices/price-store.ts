import type { ProjectId } from '@spoor/contract/ids'
import type { OwnPrice } from './price.ts'

/** Where projects keep their own prices. Several processes may use it at once. */
export interface PriceStore {
  /**
   * The project's own prices by model. Asked for every trace that is read, so it MUST be cheap, and MUST see what any process changed at the next call. What was
   * given out does not change. Throws DomainError `storage_unavailable`.
   */
  own(projectId: ProjectId): ReadonlyMap<string, OwnPrice>
  /** Sets the price of its model, in place of an earlier one, and is durable when it resolves; `false`, and nothing changed, when the project would have more than `most`. */
  put(projectId: ProjectId, price: OwnPrice, most: number): Promise<boolean>
  /** Durable when it resolves. Whether there was one. */
  remove(projectId: ProjectId, model: string): Promise<boolean>
}
