import type { DashboardId, ProjectId, ViewId } from '@spoor/contract/ids'
import type { DashboardCreate, DashboardPatch } from '@spoor/contract/schemas/dashboard'
import type { ViewCreate, ViewPatch } from '@spoor/contract/schemas/view'
import type { Page, PageRequest } from '../lib/list-page.ts'
import type { Principal } from '../ports/access/scopes.ts'
import type { Dashboard, View } from '../ports/views/view.ts'

/**
 * Use cases of saved views. A view of another project is answered like one that does not exist. Every method rejects
 * with DomainError `storage_unavailable` if the store cannot be read; methods that write also with `disk_full`.
 */
export interface ViewUseCases {
  /** Throws DomainError `validation_failed` and `view_conflict`. */
  create(author: Principal, body: ViewCreate): Promise<View>
  /** Oldest first. Throws DomainError `invalid_cursor`. */
  list(projectId: ProjectId, page: PageRequest): Promise<Page<View>>
  /** Throws DomainError `not_found`, `validation_failed`, `insufficient_scope` and `view_conflict`. */
  change(principal: Principal, id: ViewId, body: ViewPatch): Promise<View>
  /** Throws DomainError `not_found` and `insufficient_scope`. */
  remove(principal: Principal, id: ViewId): Promise<void>
}

/** The same of dashboards. A project without saved ones has a first one, which a change saves. */
export interface DashboardUseCases {
  create(author: Principal, body: DashboardCreate): Promise<Dashboard>
  list(projectId: ProjectId, page: PageRequest): Promise<Page<Dashboard>>
  change(principal: Principal, id: DashboardId, body: DashboardPatch): Promise<Dashboard>
  remove(principal: Principal, id: DashboardId): Promise<void>
}
