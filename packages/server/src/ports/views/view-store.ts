import type { ProjectId } from '@spoor/contract/ids'
import type { Saved, View } from './view.ts'

export type AddedView = 'added' | 'name_taken' | 'full'

/**
 * Stores saved views, or dashboards: those of one kind. A view of another project does not exist. Writes of a method
 * are durable when it resolves, and every later read sees them. Rejects with DomainError `storage_unavailable`, and
 * writes with `disk_full` too: nothing is written then.
 */
export interface ViewStore<S extends Saved = View> {
  /**
   * `name_taken`: the project has a view of this name. `full`: it has `mostOfProject`. Nothing is written then. Of
   * several concurrent views of one name, one is added. `view.id` MUST be new.
   */
  add(view: S, mostOfProject: number): Promise<AddedView>
  /**
   * Replaces a view by what `apply` returns for it. `apply` may run twice; `id`, `projectId`, `createdBy` and
   * `createdAt` MUST stay. Writes nothing if another view has the new name.
   */
  change(projectId: ProjectId, id: S['id'], apply: (view: S) => S): Promise<S | 'name_taken' | 'missing'>
  /** Returns whether it existed. `check` gets the view first, and may run twice; nothing is removed if it throws. */
  remove(projectId: ProjectId, id: S['id'], check: (view: S) => void): Promise<boolean>
  /** At most `limit` with an id after `after`, in the order of ids. */
  list(projectId: ProjectId, after: S['id'] | null, limit: number): Promise<readonly S[]>
}
