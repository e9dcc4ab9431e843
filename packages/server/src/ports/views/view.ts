import type { DashboardId, KeyId, ProjectId, ViewId } from '@spoor/contract/ids'
import type { Dashboard as WireDashboard } from '@spoor/contract/schemas/dashboard'
import type { View as WireView } from '@spoor/contract/schemas/view'

/** What a project saves under a name; `kind` and name are unique in the project. */
export interface Saved<Id extends ViewId | DashboardId = ViewId | DashboardId, Content extends object = object> {
  readonly projectId: ProjectId
  readonly id: Id
  readonly name: string
  readonly content: Content
  /** Null: no key. */
  readonly createdBy: KeyId | null
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A saved view of traces or steps. */
export type View = Saved<ViewId, Pick<WireView, 'query' | 'form' | 'chart' | 'display'>>

/** Views in a grid. */
export type Dashboard = Saved<DashboardId, Pick<WireDashboard, 'range' | 'tiles'>>
