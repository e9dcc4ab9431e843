import type { KeyId, ProjectId, ViewId } from '@spoor/contract/ids'
import type { ViewQuery } from '@spoor/contract/schemas/view'

/** A saved view of the list of traces. */
export interface View {
  readonly projectId: ProjectId
  readonly id: ViewId
  /** Unique in the project. */
  readonly name: string
  readonly query: ViewQuery
  /** Fields with which clients show it. */
  readonly display: Readonly<Record<string, unknown>>
  readonly createdBy: KeyId
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly updatedAt: number
}
