import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { JournalReads } from '../../journal/journal-feed.ts'
import type { JournalEvent, JournalRow } from './journal.ts'

/** The reading side of a journal, kept in memory. */
export class MemoryJournal implements JournalReads {
  readonly #rows: JournalRow[] = []
  readonly #deleted = new Set<TraceId>()
  #head = 0
  #pruned = 0
  reads = 0
  /** By `readAll`, and most at once. */
  eventsRead = 0
  largestRead = 0

  append(projectId: ProjectId, events: readonly JournalEvent[], committedAt = 0): JournalRow {
    this.#head += events.length
    const row = { projectId, lastPosition: this.#head, committedAt, events }
    this.#rows.push(row)
    return row
  }

  delete(traceId: TraceId): void {
    this.#deleted.add(traceId)
  }

  pruneThrough(position: number): void {
    this.#pruned = position
    while ((this.#rows[0]?.lastPosition ?? Infinity) <= position) this.#rows.shift()
  }

  async read(projectId: ProjectId, after: number, limitRows: number): Promise<readonly JournalRow[]> {
    this.reads++
    return this.#rows.filter((row) => row.projectId === projectId && row.lastPosition > after).slice(0, limitRows)
  }

  async readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    this.reads++
    const rows: JournalRow[] = []
    let count = 0
    for (const row of this.#rows) {
      if (row.lastPosition <= after) continue
      if (count >= limitEvents) break
      rows.push(row)
      count += Math.min(row.events.length, row.lastPosition - after)
    }
    const size = rows.reduce((sum, { events }) => sum + events.length, 0)
    this.eventsRead += size
    this.largestRead = Math.max(this.largestRead, size)
    return rows
  }

  async headPosition(): Promise<number> {
    return this.#head
  }

  async prunedThrough(): Promise<number> {
    return this.#pruned
  }

  async deletedAmong(traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    return new Set(traceIds.filter((id) => this.#deleted.has(id)))
  }
}
