import type { AuditEntryId } from '@spoor/contract/ids'
import type { AuditEntry, AuditFilters, AuditStore, ListedAuditEntry } from './audit-store.ts'

/** For tests. */
export class MemoryAudit implements AuditStore {
  #entries: AuditEntry[] = []
  readonly #nameOf: (keyId: string) => string | null

  constructor(nameOf: (keyId: string) => string | null = () => null) {
    this.#nameOf = nameOf
  }

  async add(entry: AuditEntry): Promise<void> {
    this.#entries.unshift(entry)
  }

  async list(filters: AuditFilters, before: AuditEntryId | null, limit: number): Promise<readonly ListedAuditEntry[]> {
    const { projectId, alsoOfNone, action, actorId, targetId, startTime, endTime } = filters
    return this.#entries
      .filter(
        (entry) =>
          (entry.projectId === projectId || (alsoOfNone && entry.projectId === null)) &&
          (before === null || entry.id < before) &&
          (action === null || entry.action === action) &&
          (actorId === null || entry.actor.id === actorId) &&
          (targetId === null || entry.target.id === targetId) &&
          entry.at >= (startTime ?? -Infinity) &&
          entry.at < (endTime ?? Infinity),
      )
      .slice(0, limit)
      .map((entry) => this.#named(entry))
  }

  #named(entry: AuditEntry): ListedAuditEntry {
    return { ...entry, actorName: entry.actor.id && this.#nameOf(entry.actor.id) }
  }

  async prune(endedBy: number, limit: number): Promise<number> {
    const old = new Set(
      this.#entries
        .toReversed()
        .filter(({ at }) => at < endedBy)
        .slice(0, limit),
    )
    this.#entries = this.#entries.filter((entry) => !old.has(entry))
    return old.size
  }
}
