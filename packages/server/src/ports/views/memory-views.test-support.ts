import type { ProjectId } from '@spoor/contract/ids'
import type { Saved, View } from './view.ts'
import type { AddedView, ViewStore } from './view-store.ts'

/** For tests. */
export class MemoryViewStore<S extends Saved = View> implements ViewStore<S> {
  readonly #views = new Map<S['id'], S>()

  async add(view: S, mostOfProject: number): Promise<AddedView> {
    const own = this.#of(view.projectId)
    if (own.some(({ name }) => name === view.name)) return 'name_taken'
    if (own.length >= mostOfProject) return 'full'
    this.#views.set(view.id, view)
    return 'added'
  }

  async change(projectId: ProjectId, id: S['id'], apply: (view: S) => S): Promise<S | 'name_taken' | 'missing'> {
    const own = this.#of(projectId)
    const present = own.find((view) => view.id === id)
    if (present === undefined) return 'missing'
    const next = apply(present)
    if (own.some((view) => view.id !== id && view.name === next.name)) return 'name_taken'
    this.#views.set(id, next)
    return next
  }

  async remove(projectId: ProjectId, id: S['id'], check: (view: S) => void): Promise<boolean> {
    const present = this.#views.get(id)
    if (present?.projectId !== projectId) return false
    check(present)
    return this.#views.delete(id)
  }

  async list(projectId: ProjectId, after: S['id'] | null, limit: number): Promise<readonly S[]> {
    return this.#of(projectId)
      .filter(({ id }) => id > (after ?? ''))
      .slice(0, limit)
  }

  #of(projectId: ProjectId): S[] {
    return [...this.#views.values()]
      .filter((view) => view.projectId === projectId)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }
}
