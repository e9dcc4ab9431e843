import type { ProjectId, ViewId } from '@spoor/contract/ids'
import type { View } from './view.ts'
import type { AddedView, ViewStore } from './view-store.ts'

/** For tests. */
export class MemoryViewStore implements ViewStore {
  readonly #views = new Map<ViewId, View>()

  async add(view: View, mostOfProject: number): Promise<AddedView> {
    const own = this.#of(view.projectId)
    if (own.some(({ name }) => name === view.name)) return 'name_taken'
    if (own.length >= mostOfProject) return 'full'
    this.#views.set(view.id, view)
    return 'added'
  }

  async change(
    projectId: ProjectId,
    id: ViewId,
    apply: (view: View) => View,
  ): Promise<View | 'name_taken' | 'missing'> {
    const own = this.#of(projectId)
    const present = own.find((view) => view.id === id)
    if (present === undefined) return 'missing'
    const next = apply(present)
    if (own.some((view) => view.id !== id && view.name === next.name)) return 'name_taken'
    this.#views.set(id, next)
    return next
  }

  async remove(projectId: ProjectId, id: ViewId, check: (view: View) => void): Promise<boolean> {
    const present = this.#views.get(id)
    if (present?.projectId !== projectId) return false
    check(present)
    return this.#views.delete(id)
  }

  async list(projectId: ProjectId, after: ViewId | null, limit: number): Promise<readonly View[]> {
    return this.#of(projectId)
      .filter(({ id }) => id > (after ?? ''))
      .slice(0, limit)
  }

  #of(projectId: ProjectId): View[] {
    return [...this.#views.values()]
      .filter((view) => view.projectId === projectId)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }
}
