import type { ProjectId } from '@spoor/contract/ids'
import type { SpanFilter } from '@spoor/contract/schemas/project'
import type { StoredKey } from './key-store.ts'

export interface Project {
  readonly id: ProjectId
  readonly name: string
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  /** Which spans of OpenTelemetry it takes. */
  readonly spanFilter: SpanFilter
}

/** It takes all spans. */
export type NewProject = Omit<Project, 'spanFilter'>

/**
 * Where projects are kept. Several processes may use it at once; each sees the others' finished writes. Methods reject
 * with DomainError `storage_unavailable`, and methods that write also with `disk_full`: nothing is written then.
 */
export interface ProjectStore {
  /**
   * The project and its first keys: all durable when it resolves, or none. Rejects when there is a project of this id,
   * or a key of the id or secret of one of `keys`.
   */
  create(project: NewProject, keys: readonly StoredKey[]): Promise<void>
  find(id: ProjectId): Promise<Project | undefined>
  /** The changed project; undefined if there is none. */
  setSpanFilter(id: ProjectId, spanFilter: SpanFilter): Promise<Project | undefined>
  /** By id, which is by age: the oldest first, those after `after`. */
  list(after: ProjectId | null, limit: number): Promise<readonly Project[]>
  /** Names are not unique. By id; the case counts. */
  findByName(name: string): Promise<readonly Project[]>
}
