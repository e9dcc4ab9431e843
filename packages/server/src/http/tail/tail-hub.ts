import type { ProjectId } from '@spoor/contract/ids'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import { formatSseComment, formatSseStart } from '../../lib/lines/sse.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { formatGap, readTailPage, type TailPage } from './tail-page.ts'

/** Where the bytes of one reader go. */
export interface TailSink {
  /** Calls `taken` once the bytes have left the process; never for a reader that is gone. */
  write(bytes: Buffer, taken: () => void): void
  /** Ends the stream after what was written. */
  end(): void
  /** Drops the connection with whatever is on its way. */
  destroy(): void
}

interface Reader {
  readonly projectId: ProjectId
  readonly sink: TailSink
  position: number
  /** When the write that is on its way began; null when none is. */
  writingSince: number | null
  /** Whether the journal may hold something for it. */
  behind: boolean
}

export interface TailHubDependencies {
  readonly feed: JournalFeed
  readonly timers: Timers
  readonly opened: () => void
  readonly closed: () => void
  /** Told why tails had to be ended. */
  readonly onError: (error: unknown) => void
}

const RETRY_MS = 3000
const HEARTBEAT_MS = 15_000
const HEARTBEAT = Buffer.from(formatSseComment('heartbeat'))
/** A reader that takes nothing for this long is gone. */
const STALL_MS = 60_000
/** A round that took t is followed by a pause of 4t: tails get at most a fifth of the process, however many there are. */
const PAUSE_FACTOR = 4
/** A round ends after this long, so that commits do not wait behind a thousand readers that catch up. */
const ROUND_MS = 10

/**
 * All open tails. Each reader has its own position and at most one page on its way; what it has not taken is not kept for it but read again, from its
 * position, when it has. Readers at the same position share one page, so that a commit is rendered once for all who follow live.
 */
export class TailHub {
  readonly #dependencies: TailHubDependencies
  readonly #readers = new Map<ProjectId, Set<Reader>>()
  /** Readers that are behind and have nothing on its way. */
  #due = new Set<Reader>()
  #cancelRound: (() => void) | null = null
  #isServing = false
  /** What was read in this round, by project and position; forgotten when something was committed meanwhile. */
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

  /** Starts a reader behind `position`, with a `gap` first when it asked for a position `lostFrom` that the journal does not have. Returns what MUST be called when its connection has closed. */
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

  /** Ends every tail; readers come back to another process, or this one after its restart, at their position. */
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
    this.#due.delete(reader)
    this.#dependencies.closed()
  }

  #wake(projectIds: ReadonlySet<ProjectId>): void {
    this.#pages.clear()
    this.#commits += 1
    for (const projectId of projectIds) {
      for (const reader of this.#readers.get(projectId) ?? []) {
        reader.behind = true
        if (reader.writingSince === null) this.#due.add(reader)
      }
    }
    this.#plan()
  }

  #plan(): void {
    if (this.#closed || this.#due.size === 0 || this.#cancelRound !== null || this.#isServing) return
    const delayMs = Math.max(0, this.#notBefore - this.#dependencies.timers.now())
    this.#cancelRound = this.#dependencies.timers.after(delayMs, () => void this.#round())
  }

  /** Gives each due reader its next page, or as many of them as one round may take. */
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
    for (const reader of this.#due) {
      // What is committed while its page is read makes it due again.
      reader.behind = false
      const page = await this.#pageOf(reader)
      if (this.#closed) return
      this.#due.delete(reader)
      if (!this.#isOpen(reader)) continue
      reader.behind ||= page.more
      // A heartbeat may have gone out meanwhile: the page is read again behind it.
      if (reader.writingSince !== null) reader.behind = true
      else this.#give(reader, page)
      if (this.#dependencies.timers.now() - began >= ROUND_MS) return
    }
  }

  #give(reader: Reader, page: TailPage): void {
    reader.position = page.position
    if (page.bytes.length > 0) this.#write(reader, page.bytes)
    else if (reader.behind) this.#due.add(reader)
  }

  async #pageOf({ projectId, position }: Reader): Promise<TailPage> {
    const at = `${projectId}:${position}`
    const known = this.#pages.get(at)
    if (known !== undefined) return known
    const commits = this.#commits
    const page = await readTailPage(this.#dependencies.feed, projectId, position)
    // Others who stand there may be due because of a commit that came while it was read.
    if (commits === this.#commits) this.#pages.set(at, page)
    return page
  }

  /** The journal cannot be read: who waits for it comes back at the position it has seen, and is told then. */
  #endDue(): void {
    for (const reader of this.#due) {
      this.#remove(reader)
      reader.sink.end()
    }
  }

  #write(reader: Reader, bytes: Buffer): void {
    reader.writingSince = this.#dependencies.timers.now()
    reader.sink.write(bytes, () => {
      reader.writingSince = null
      if (!reader.behind || !this.#isOpen(reader)) return
      this.#due.add(reader)
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
        // Nothing of its project lies between: retention that overtakes it takes nothing from it.
        if (!reader.behind && !this.#due.has(reader)) reader.position = Math.max(reader.position, head)
        this.#write(reader, HEARTBEAT)
      }
    }
  }
}
