import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { type Journal, type JournalRow, rowsOfEvents } from '../ports/journal/journal.ts'

/** The interface of the journal for its readers. */
export type JournalReads = Pick<Journal, 'read' | 'readAll' | 'headPosition' | 'prunedThrough' | 'deletedAmong'>

/** Called after rows became readable, with their projects. MUST NOT throw; MUST do its work later. */
export type JournalListener = (projectIds: ReadonlySet<ProjectId>) => void

/**
 * Enough for a reader that is some seconds behind at thousands of traces a second. About 4 MB; ten times that if each
 * event is a flag with the longest reason.
 */
const DEFAULT_RECENT_EVENTS = 20_000

/**
 * In front of the journal: wakes its readers and answers those near the head from memory. Everything it returns has
 * been journaled. The rows of a project are in order, whether from memory or from the journal.
 */
export class JournalFeed {
  readonly #journal: JournalReads
  readonly #recentEventsMax: number
  readonly #listeners = new Set<JournalListener>()
  /** Latest rows of all projects, oldest first. */
  #recent: JournalRow[] = []
  #recentEvents = 0
  /** Every row after this position is in `#recent`. */
  #recentFrom: number

  /**
   * In front of a journal that may already have rows. All that is committed meanwhile MUST be published later, if need
   * be again.
   */
  static async open(journal: JournalReads): Promise<JournalFeed> {
    return new JournalFeed(journal, { headPosition: await journal.headPosition() })
  }

  constructor(journal: JournalReads, options: { headPosition?: number; recentEventsMax?: number } = {}) {
    this.#journal = journal
    this.#recentEventsMax = options.recentEventsMax ?? DEFAULT_RECENT_EVENTS
    this.#recentFrom = options.headPosition ?? 0
  }

  /** MUST be called with the rows of each commit, in commit order, after the journal has them. */
  publish(rows: readonly JournalRow[]): void {
    const projectIds = new Set<ProjectId>()
    for (const row of rows) {
      // All its monitor changes were refused, so the journal has no such row either.
      if (row.events.length === 0) continue
      // It was there when this feed was opened.
      if (row.lastPosition <= this.#recentFrom) continue
      this.#recent.push(row)
      this.#recentEvents += row.events.length
      projectIds.add(row.projectId)
    }
    if (projectIds.size === 0) return
    this.#forgetOldest()
    for (const listener of this.#listeners) listener(projectIds)
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** As `Journal.read`. */
  async read(projectId: ProjectId, after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    if (after < this.#recentFrom) return this.#published(await this.#journal.read(projectId, after, limitEvents))
    return rowsOfEvents(this.#recentOf(projectId, after), after, limitEvents)
  }

  /** As `Journal.readAll`. */
  async readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    if (after < this.#recentFrom) return this.#published(await this.#journal.readAll(after, limitEvents))
    const from = this.#firstBehind(after)
    let end = from
    // Positions are unique over all projects, so their difference bounds the number of events.
    while (end < this.#recent.length && (this.#recent[end - 1]?.lastPosition ?? 0) < after + limitEvents) end++
    return this.#recent.slice(from, end)
  }

  /** The journal's head as readers know it: listeners were notified of everything up to here. */
  publishedPosition(): number {
    return Math.max(this.#recent.at(-1)?.lastPosition ?? 0, this.#recentFrom)
  }

  prunedThrough(): Promise<number> {
    return this.#journal.prunedThrough()
  }

  deletedAmong(traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    return this.#journal.deletedAmong(traceIds)
  }

  /** The journal may have rows of other nodes whose traces are not readable here yet. */
  #published(rows: readonly JournalRow[]): readonly JournalRow[] {
    const through = this.publishedPosition()
    return (rows.at(-1)?.lastPosition ?? 0) <= through ? rows : rows.filter((row) => row.lastPosition <= through)
  }

  *#recentOf(projectId: ProjectId, after: number): Iterable<JournalRow> {
    for (let i = this.#firstBehind(after); i < this.#recent.length; i++) {
      const row = this.#recent[i]
      if (row !== undefined && row.projectId === projectId) yield row
    }
  }

  /** Index of the first recent row with `lastPosition > after`. */
  #firstBehind(after: number): number {
    let low = 0
    let high = this.#recent.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#recent[middle]?.lastPosition ?? Infinity) > after) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Drops a quarter at once, so that moving the rest is seldom needed. */
  #forgetOldest(): void {
    if (this.#recentEvents <= this.#recentEventsMax) return
    let dropped = 0
    while (dropped < this.#recent.length && this.#recentEvents > this.#recentEventsMax * 0.75) {
      const row = this.#recent[dropped]
      if (row === undefined) break
      this.#recentEvents -= row.events.length
      this.#recentFrom = row.lastPosition
      dropped++
    }
    this.#recent = this.#recent.slice(dropped)
  }
}
