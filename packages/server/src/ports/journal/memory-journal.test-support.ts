import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import { numberedId } from './numbered-commit.test-support.ts'
import {
  type CommitRecord,
  type DeletedTrace,
  type Journal,
  type JournalEvent,
  type JournalRow,
  type RemovalMark,
  rowsOfEvents,
  type SupersededKeys,
  type TraceName,
} from './journal.ts'
import { withoutTexts } from './without-texts.ts'

const ROWS_AT_ONCE = 10_000
const KEYS_AT_ONCE = 20_000

interface Deletion {
  readonly deleted: DeletedTrace
  /** The head when it was deleted: the journal holds no event of it behind. */
  readonly through: number
  isPurged: boolean
  /** Keys of its steps and metric events that are still to be forgotten. */
  keys: number
}

/** A journal in memory that passes journal.conformance.ts. Counts its queries. */
export class MemoryJournal implements Journal {
  #rows: JournalRow[] = []
  #deletions: Deletion[] = []
  #removals: RemovalMark[] = []
  #superseded: { readonly committedAt: number; readonly keys: SupersededKeys }[] = []
  readonly #keys = new Map<TraceId, number>()
  readonly #waiting = new Map<TraceId, { readonly name: TraceName; readonly version: number }>()
  #head = 0
  #pruned = 0
  reads = 0
  /** By all reads, and most at once. */
  eventsRead = 0
  largestRead = 0

  /** Appends the events of a commit in one project. */
  append(projectId: ProjectId, events: readonly JournalEvent[], committedAt = 0): JournalRow {
    this.#head += events.length
    const row = { projectId, lastPosition: this.#head, committedAt, events }
    if (events.length > 0) this.#rows.push(row)
    return row
  }

  /** A whole commit, but for its monitors and discoveries. */
  write(commit: CommitRecord): readonly JournalRow[] {
    const rows = commit.projects.map(({ projectId, events }) => this.append(projectId, events, commit.committedAt))
    for (const { traceId } of [...commit.stepKeys, ...commit.metricEventKeys]) {
      this.#keys.set(traceId, (this.#keys.get(traceId) ?? 0) + 1)
    }
    for (const keys of commit.superseded) this.#superseded.push({ committedAt: commit.committedAt, keys })
    for (const { restored, ...deleted } of commit.deleted) {
      if (restored !== true) this.#addDeletion(deleted)
      else this.#deletions = this.#deletions.filter((one) => one.deleted.traceId !== deleted.traceId)
    }
    for (const { projectId, traceId, id } of commit.removedEvents) {
      if (!this.#removals.some((mark) => mark.id === id))
        this.#removals.push({ projectId, traceId, id, version: commit.version })
    }
    for (const { projectId, traceId, waits } of commit.quietWaits) {
      this.#waiting.delete(traceId)
      if (waits) this.#waiting.set(traceId, { name: { projectId, traceId }, version: commit.version })
    }
    return rows
  }

  delete(traceId: TraceId, projectId: ProjectId = numberedId('proj', 1)): void {
    this.#addDeletion({ projectId, traceId })
  }

  #addDeletion(deleted: DeletedTrace): void {
    const keys = this.#keys.get(deleted.traceId) ?? 0
    this.#deletions.push({ deleted, through: this.#head, isPurged: false, keys })
  }

  pruneThrough(position: number): void {
    this.#pruned = position
    this.#rows = this.#rows.filter(({ lastPosition }) => lastPosition > position)
    this.#forgetDeletions()
  }

  async read(projectId: ProjectId, after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    return this.#read(after, limitEvents, (row) => row.projectId === projectId)
  }

  async readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    return this.#read(after, limitEvents, () => true)
  }

  #read(after: number, limitEvents: number, isWanted: (row: JournalRow) => boolean): readonly JournalRow[] {
    this.reads++
    const later = this.#rows.filter((row) => row.lastPosition > after && isWanted(row))
    const rows = rowsOfEvents(later, after, limitEvents)
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

  async prune(before: number, limitRows = ROWS_AT_ONCE, throughPosition = Infinity, now = Infinity): Promise<number> {
    const isAhead = ({ committedAt }: JournalRow) => committedAt > now
    /** Of a row from the future, the time of the next that is not. */
    const timeOf = (at: number) => this.#rows.slice(at).find((row) => !isAhead(row))?.committedAt ?? Infinity
    const kept = this.#rows.findIndex((row, at) => row.lastPosition > throughPosition || timeOf(at) >= before)
    const expired = Math.min(limitRows, kept === -1 ? this.#rows.length : kept)
    const last = this.#rows[expired - 1]
    if (last !== undefined) this.pruneThrough(last.lastPosition)
    return expired
  }

  async supersededAt(projectId: ProjectId, version: number): Promise<readonly SupersededKeys[]> {
    return this.#superseded
      .map(({ keys }) => keys)
      .filter((keys) => keys.projectId === projectId && keys.fromVersion <= version && version < keys.untilVersion)
  }

  async quietSince(version: number, limit: number): Promise<readonly TraceName[]> {
    const quiet = [...this.#waiting.values()].filter((one) => one.version <= version)
    quiet.sort((a, b) => a.version - b.version || (a.name.traceId < b.name.traceId ? -1 : 1))
    return quiet.slice(0, limit).map(({ name }) => name)
  }

  /** It only counts keys. */
  async expireKeys(): Promise<number> {
    return 0
  }

  async pruneSuperseded(before: number, limitRows = ROWS_AT_ONCE): Promise<number> {
    const expired = this.#superseded.filter(({ committedAt }) => committedAt < before).slice(0, limitRows)
    this.#superseded = this.#superseded.filter((one) => !expired.includes(one))
    return expired.length
  }

  async deletedAmong(traceIds: readonly TraceId[], onlyForGood = false): Promise<ReadonlySet<TraceId>> {
    const found = this.#deletions.filter(
      ({ isPurged, deleted }) => !onlyForGood || isPurged || deleted.restorableUntil === undefined,
    )
    return new Set(traceIds.filter((id) => found.some(({ deleted }) => deleted.traceId === id)))
  }

  async pendingPurges(limit: number, after: string = '', withoutExpired = false): Promise<readonly DeletedTrace[]> {
    return this.#deletions
      .filter(({ isPurged }) => !isPurged)
      .map(({ deleted }) => deleted)
      .filter(({ traceId, isExpired }) => traceId > after && !(withoutExpired && isExpired === true))
      .sort((a, b) => (a.traceId < b.traceId ? -1 : 1))
      .slice(0, limit)
  }

  async restorableUntil(traceId: TraceId): Promise<number | null> {
    return this.#deletions.find(({ deleted }) => deleted.traceId === traceId)?.deleted.restorableUntil ?? null
  }

  async pendingPurgeCount(limit: number): Promise<number> {
    return (await this.pendingPurges(limit)).length
  }

  async markPurged(traceIds: readonly TraceId[]): Promise<void> {
    let room = KEYS_AT_ONCE
    for (const deletion of this.#deletions.filter(({ deleted }) => traceIds.includes(deleted.traceId))) {
      const forgotten = Math.min(room, deletion.keys)
      room -= forgotten
      deletion.keys -= forgotten
      deletion.isPurged ||= deletion.keys === 0
    }
    this.#forgetDeletions()
  }

  async forgetTexts(projectId: ProjectId): Promise<number> {
    let last = 0
    this.#rows = this.#rows.map((row) => {
      if (row.projectId !== projectId || !row.events.some((event) => 'data' in event)) return row
      last = row.lastPosition
      return { ...row, events: row.events.map(withoutTexts) }
    })
    return last
  }

  async removedEvents(projectId: ProjectId): Promise<ReadonlySet<MetricEventId>> {
    return new Set(this.#removals.filter((mark) => mark.projectId === projectId).map(({ id }) => id))
  }

  async removalMarks(limit: number): Promise<readonly RemovalMark[]> {
    return this.#removals.slice(0, limit)
  }

  async forgetRemovals(ids: readonly MetricEventId[]): Promise<void> {
    this.#removals = this.#removals.filter(({ id }) => !ids.includes(id))
  }

  #forgetDeletions(): void {
    this.#deletions = this.#deletions.filter(({ isPurged, through }) => !isPurged || through > this.#pruned)
  }
}
