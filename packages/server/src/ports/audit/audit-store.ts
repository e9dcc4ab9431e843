import type { AuditAction, AuditActor, AuditTarget } from '@spoor/contract/audit'
import type { AuditEntryId, KeyId, ProjectId } from '@spoor/contract/ids'

export interface AuditEntry {
  /** Made from `at`, so entries sort by time. */
  readonly id: AuditEntryId
  /** Null: of no project. */
  readonly projectId: ProjectId | null
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  readonly actor: { readonly kind: AuditActor; readonly id: KeyId | null }
  readonly action: AuditAction
  readonly target: { readonly kind: AuditTarget; readonly id: string | null }
  /** JSON. */
  readonly detail: Readonly<Record<string, unknown>>
  readonly requestId: string | null
}

/** With the name of the actor's key. */
export interface ListedAuditEntry extends AuditEntry {
  readonly actorName: string | null
}

export interface AuditFilters {
  /** Entries of the project, and those of none with `alsoOfNone`. */
  readonly projectId: ProjectId
  readonly alsoOfNone: boolean
  /** Null: any. */
  readonly action: AuditAction | null
  readonly actorId: string | null
  readonly targetId: string | null
  /** Milliseconds since 1970 UTC. */
  readonly startTime: number | null
  readonly endTime: number | null
}

/**
 * The audit log. Entries are added and never changed. Writes are durable when they resolve. Methods reject with
 * DomainError `storage_unavailable`, and writes with `disk_full` too: nothing is written then.
 */
export interface AuditStore {
  add(entry: AuditEntry): Promise<void>
  /** At most `limit` entries with an id below `before`, newest first. */
  list(filters: AuditFilters, before: AuditEntryId | null, limit: number): Promise<readonly ListedAuditEntry[]>
  /** Removes at most `limit` entries made before `endedBy`. Returns how many. */
  prune(endedBy: number, limit: number): Promise<number>
}
