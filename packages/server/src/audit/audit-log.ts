import type { AuditEntryId } from '@spoor/contract/ids'
import { inBatches } from '../lib/flow/in-batches.ts'
import type { Clock } from '../lib/time/clock.ts'
import { isId } from '@spoor/contract/ids'
import { type Page, type PageRequest, readPage } from '../lib/list-page.ts'
import type { AuditEntry, AuditFilters, AuditStore, ListedAuditEntry } from '../ports/audit/audit-store.ts'

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'at'>

export interface AuditUseCases {
  /** Durable when it resolves. Rejects as the store does. */
  add(entry: NewAuditEntry): Promise<void>
  /**
   * As `add`, but never rejects: an entry that cannot be written is logged instead, because what it records has been
   * done, and deletions must be possible on a full disk.
   */
  record(entry: NewAuditEntry): Promise<void>
  /** Newest first. Throws DomainError `invalid_cursor`. */
  list(filters: AuditFilters, page: PageRequest): Promise<Page<ListedAuditEntry>>
}

interface AuditDependencies {
  readonly audit: AuditStore
  readonly clock: Clock
  readonly newId: () => AuditEntryId
  /** Called with an entry that could not be written, and why. */
  readonly onLost: (entry: NewAuditEntry, error: unknown) => void
}

export function createAuditLog({ audit, clock, newId, onLost }: AuditDependencies): AuditUseCases {
  const add = (entry: NewAuditEntry) => audit.add({ ...entry, id: newId(), at: clock.now() })
  return {
    add,
    record: (entry) => add(entry).catch((error: unknown) => onLost(entry, error)),
    list: (filters, page) =>
      readPage<ListedAuditEntry, AuditEntryId>(
        page,
        (text) => (isId('aud', text) ? text : undefined),
        (before, limit) => audit.list(filters, before, limit),
        ({ id }) => id,
      ),
  }
}

/** Entries removed in one step: some milliseconds. */
const PRUNE_BATCH = 1000

/** One round: removes entries older than `retentionMs`, a bounded number. */
export async function pruneAudit(audit: Pick<AuditStore, 'prune'>, retentionMs: number, now: number): Promise<void> {
  await inBatches(PRUNE_BATCH, 50, (limit) => audit.prune(now - retentionMs, limit))
}
