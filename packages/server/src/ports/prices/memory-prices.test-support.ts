import type { ProjectId } from '@spoor/contract/ids'
import type { OwnPrice } from './price.ts'
import type { PriceStore } from './price-store.ts'

/** For tests: prices in maps that are replaced, never changed. */
export class MemoryPriceStore implements PriceStore {
  readonly #byProject = new Map<ProjectId, ReadonlyMap<string, OwnPrice>>()

  async own(projectId: ProjectId): Promise<ReadonlyMap<string, OwnPrice>> {
    const own = this.#byProject.get(projectId) ?? new Map()
    this.#byProject.set(projectId, own)
    return own
  }

  async put(projectId: ProjectId, price: OwnPrice, most: number): Promise<boolean> {
    const next = new Map(this.#byProject.get(projectId)).set(price.model, price)
    if (next.size > most) return false
    this.#byProject.set(projectId, next)
    return true
  }

  async remove(projectId: ProjectId, model: string): Promise<boolean> {
    const next = new Map(this.#byProject.get(projectId))
    const wasThere = next.delete(model)
    this.#byProject.set(projectId, next)
    return wasThere
  }
}
