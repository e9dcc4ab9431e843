import type { ProjectId } from '@spoor/contract/ids'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import { formatSseComment, formatSseStart } from '../../lib/lines/sse.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { formatGap, readTailPage, type TailPage } from './tail-page.ts'

/** The output of one reader. */
export interface TailSink {
  /** Calls `taken` when the bytes have left the process; never for a disconnected reader. */
  write(bytes: Buffer, taken: () => void): void
  /** Ends the stream after the written bytes. */
  end(): void
  /** Closes the connection and discards bytes in flight. */
  destroy(): void
}

interface Reader {
  readonly projectId: ProjectId
  readonly sink: TailSink
  position: number
  /** The start of the write in flight; null if there is none. */
  writingSince: number | null
  /** Whether the journal may have something for it. */
  behind: boolean
}

export interface TailHubDependencies {
  readonly feed: JournalFeed
  readonly timers: Timers
  readonly opened: () => void
  readonly closed: () => void
  /** Called with the error for which tails were ended. */
  readonly onError: (error: unknown) => void
}

const RETRY_MS = 3000
const HEARTBEAT_MS = 15_000
const HEARTBEAT = Buffer.from(formatSseComment('heartbeat'))
/** A reader that takes nothing for this long is disconnected. */
const STALL_MS = 60_000
/**
 * A round of duration t is followed by a pause of 4t: tails get at most a fifth of the process, however many there are.
 */
const PAUSE_FACTOR = 4
/** The longest round, so that other requests do not wait for a thousand readers that catch up. Projects take turns. */
const ROUND_MS = 5

/**
 * All open tails. Each reader has its own position and at most one page in flight; later events are not buffered but
 * read from its position when it has taken the page. Readers at the same position share one page, so that a commit is
 * rendered once for all live readers.
 */
export class TailHub {
  readonly #dependencies: TailHubDependencies
  readonly #readers = new Map<ProjectId, Set<Reader>>()
  /** Readers that are behind and have no page in flight, by project in the order of their turns. No set is empty. */
  readonly #due = new Map<ProjectId, Set<Reader>>()
  #cancelRound: (() => void) | null = null
  #isServing = false
  /** Pages of this round by project and position; cleared on a commit. */
  readonly #pages = new Map<string, TailPage>()
  #commits = 0
  #notBefore = 0
  #closed = false
  readonly #endings: readonly (() => void)[]

  constructor(dependencies: TailHubDependencies) {
    this.#dependencies = dependencies
    this.#endings = [
      dependencies.feed.subscribe((projectIds) => this.#wake(projectIds)),
      dependencies.timers.every(HEARTBEAT_MS, () => this.#beat()),
    ]
  }

  /**
   * Starts a reader after `position`, with a `gap` first if it requested a position `lostFrom` that the journal does
   * not have. Returns a function that MUST be called when its connection has closed.
   */
  open(projectId: ProjectId, position: number, sink: TailSink, lostFrom: number | null = null): () => void {
    const reader: Reader = { projectId, sink, position, writingSince: null, behind: true }
    const readers = this.#readers.get(projectId) ?? new Set()
    readers.add(reader)
    this.#readers.set(projectId, readers)
    this.#dependencies.opened()
    const gap = lostFrom === null ? '' : formatGap(lostFrom, position)
    this.#write(reader, Buffer.from(formatSseStart(RETRY_MS, String(position)) + gap))
    if (this.#closed) sink.end()
    return () => this.#remove(reader)
  }

  /** Ends every tail. Readers reconnect at their position, to another process or to this one after a restart. */
  close(): void {
    this.#closed = true
    this.#cancelRound?.()
    for (const ending of this.#endings) ending()
    for (const readers of this.#readers.values()) for (const reader of readers) reader.sink.end()
  }

  #isOpen(reader: Reader): boolean {
    return this.#readers.get(reader.projectId)?.has(reader) === true
  }

  #remove(reader: Reader): void {
    const readers = this.#readers.get(reader.projectId)
    if (readers?.delete(reader) !== true) return
    if (readers.size === 0) this.#readers.delete(reader.projectId)
    this.#removeDue(reader)
    this.#dependencies.closed()
  }

  #wake(projectIds: ReadonlySet<ProjectId>): void {
    this.#pages.clear()
    this.#commits += 1
    for (const projectId of projectIds) {
      for (const reader of this.#readers.get(projectId) ?? []) {
        reader.behind = true
        if (reader.writingSince === null) this.#addDue(reader)
      }
    }
    this.#plan()
  }

  #plan(): void {
    if (this.#closed || this.#due.size === 0 || this.#cancelRound !== null || this.#isServing) return
    const delayMs = Math.max(0, this.#notBefore - this.#dependencies.timers.now())
    this.#cancelRound = this.#dependencies.timers.after(delayMs, () => void this.#round())
  }

  /** Sends the next page to each due reader, as far as one round allows. */
  async #round(): Promise<void> {
    this.#cancelRound = null
    this.#isServing = true
    const { timers, onError } = this.#dependencies
    const began = timers.now()
    try {
      await this.#serveDue(began)
    } catch (error) {
      onError(error)
      this.#endDue()
    }
    this.#pages.clear()
    this.#isServing = false
    const ended = timers.now()
    this.#notBefore = ended + (ended - began) * PAUSE_FACTOR
    this.#plan()
  }

  async #serveDue(began: number): Promise<void> {
    for (let reader = this.#nextDue(); reader !== undefined; reader = this.#nextDue()) {
      // A commit while its page is read makes it due again.
      reader.behind = false
      const page = await this.#pageOf(reader)
      if (this.#closed) return
      this.#removeDue(reader)
      if (!this.#isOpen(reader)) continue
      reader.behind ||= page.more
      // A heartbeat may be in flight: the page is read again after it.
      if (reader.writingSince !== null) reader.behind = true
      else this.#give(reader, page)
      if (this.#dependencies.timers.now() - began >= ROUND_MS) return
    }
  }

  /** A reader of the next project, which moves to the end. */
  #nextDue(): Reader | undefined {
    for (const [projectId, readers] of this.#due) {
      this.#due.delete(projectId)
      this.#due.set(projectId, readers)
      for (const reader of readers) return reader
    }
    return undefined
  }

  #addDue(reader: Reader): void {
    const readers = this.#due.get(reader.projectId) ?? new Set()
    this.#due.set(reader.projectId, readers.add(reader))
  }

  #removeDue(reader: Reader): void {
    const readers = this.#due.get(reader.projectId)
    if (readers?.delete(reader) === true && readers.size === 0) this.#due.delete(reader.projectId)
  }

  #give(reader: Reader, page: TailPage): void {
    reader.position = page.position
    if (page.bytes.length > 0) this.#write(reader, page.bytes)
    else if (reader.behind) this.#addDue(reader)
  }

  async #pageOf({ projectId, position }: Reader): Promise<TailPage> {
    const at = `${projectId}:${position}`
    const known = this.#pages.get(at)
    if (known !== undefined) return known
    const commits = this.#commits
    const page = await readTailPage(this.#dependencies.feed, projectId, position)
    // Other readers at this position may be due because of a commit during the read.
    if (commits === this.#commits) this.#pages.set(at, page)
    return page
  }

  /**
   * If the journal cannot be read, the waiting readers are disconnected; they reconnect at their position and get the
   * error.
   */
  #endDue(): void {
    for (const readers of this.#due.values()) {
      for (const reader of readers) {
        this.#remove(reader)
        reader.sink.end()
      }
    }
  }

  #write(reader: Reader, bytes: Buffer): void {
    reader.writingSince = this.#dependencies.timers.now()
    reader.sink.write(bytes, () => {
      reader.writingSince = null
      if (!reader.behind || !this.#isOpen(reader)) return
      this.#addDue(reader)
      this.#plan()
    })
  }

  #beat(): void {
    const now = this.#dependencies.timers.now()
    const head = this.#dependencies.feed.publishedPosition()
    for (const readers of this.#readers.values()) {
      for (const reader of readers) {
        if (reader.writingSince !== null) {
          if (now - reader.writingSince >= STALL_MS) reader.sink.destroy()
          continue
        }
        // Its project has no events in between, so retention removes nothing that it needs.
        if (!reader.behind && this.#due.get(reader.projectId)?.has(reader) !== true)
          reader.position = Math.max(reader.position, head)
        this.#write(reader, HEARTBEAT)
      }
    }
  }
}
