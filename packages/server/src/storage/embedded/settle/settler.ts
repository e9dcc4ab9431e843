import { inSlices } from '../../../lib/flow/in-slices.ts'
import { onBehalfOfService } from '../../../lib/flow/requester.ts'
import type { Timers } from '../../../lib/time/timers.ts'
import type { StoredCommit } from '../../../ports/traces/trace-store.ts'
import type { CommitLog } from '../log/commit-log.ts'
import type { RecentRows } from '../../recent/recent-rows.ts'
import type { RowBytes, SettledRows } from '../../recent/settled-rows.ts'
import { SettleBatch } from '../../recent/settle-batch.ts'
import { storeUnavailable } from '../../store-failure.ts'

export interface SettlerOptions {
  readonly settled: Pick<SettledRows, 'insert' | 'insertMissing'>
  readonly log: Pick<CommitLog, 'release'>
  readonly recent: Pick<RecentRows, 'drop'>
  /** Number of the journal's last commit when the store was opened: later commits of the log are in no answer. */
  readonly committedVersion: number
  /** Whether the words of steps are stored for search. */
  readonly fullText: boolean
  readonly timers: Timers
  /**
   * Called for each failed try to move commits into the engine. They stay in the log and in memory, and are tried
   * again.
   */
  readonly onError: (error: unknown) => void
  /** Called when they are in the engine after such a failure. */
  readonly onRecovered: () => void
  /** Called when the log could not delete what has settled; it tries again. */
  readonly onReleaseError: (error: unknown) => void
}

/**
 * Commits settle when their rows have this many bytes: a batch of any size costs the engine 20 ms, and fewer are merged
 * less often. With 4 MB its threads took 540 µs for a trace of 10 steps, with 8 MB 400 µs; memory limits it.
 */
export const SETTLE_BYTES = 8 * 1024 * 1024
/** … or when the first of them has waited this long. */
export const SETTLE_AFTER_MS = 800
/** Commits wait while this much waits after the batch that is settling. */
const MOST_WAITING_BYTES = 1.5 * SETTLE_BYTES
const RETRY_AFTER_MS = 1000
/** A batch takes some 20 ms. An engine that takes so long for one counts as failing until it answers. */
const STUCK_AFTER_MS = 60_000
/**
 * A batch normally settles within a second. A read that has waited longer is refused: its client would give up and send
 * it again.
 */
const MOST_WAIT_MS = 15_000

/**
 * Moves published commits into the engine, many at a time. Then memory and log are freed of them. A failed batch is
 * retried until it succeeds.
 */
export class Settler {
  readonly #options: SettlerOptions
  #filling: SettleBatch
  #spare: SettleBatch
  #settling: Promise<void> | null = null
  /** A commit is written, and `keep` or `undo` was not called yet. */
  #writing = false
  #settledVersion: number
  /** The newest commit that was published. */
  #keptVersion: number
  #cancelTimer: (() => void) | null = null
  #failing = false
  #closing = false
  /** Called at the next change: there may be capacity, or nothing is being written any more. */
  #waiting: (() => void)[] = []

  constructor(options: SettlerOptions) {
    this.#options = options
    this.#filling = new SettleBatch(options.fullText)
    this.#spare = new SettleBatch(options.fullText)
    this.#settledVersion = options.committedVersion
    this.#keptVersion = options.committedVersion
  }

  /** All commits up to this one are in the engine. */
  get settledVersion(): number {
    return this.#settledVersion
  }

  /**
   * Resolves when one more commit may be written. Rejects with `storage_unavailable` while the engine takes nothing.
   */
  async waitForCapacity(): Promise<void> {
    while (this.#filling.bytes >= MOST_WAITING_BYTES) {
      if (this.#failing)
        throw storeUnavailable(undefined, 'Too much waits for the store, which takes nothing at the moment.')
      await this.#change()
    }
  }

  /**
   * The rows of a commit, for the log; at once when they are few. Until `keep` or `undo` they are in no batch that
   * settles.
   */
  write(commit: StoredCommit): RowBytes | Promise<RowBytes> {
    this.#writing = true
    return inSlices(this.#filling.write(commit))
  }

  keep(): void {
    this.#filling.keep()
    this.#keptVersion = this.#filling.commits.at(-1)?.version ?? this.#keptVersion
    this.#endWriting()
  }

  undo(): void {
    this.#filling.undo()
    this.#endWriting()
  }

  /** Deletes everything that has settled from the log. */
  releaseLog(): Promise<void> {
    return this.#options.log.release(this.#settledVersion, true)
  }

  /**
   * Resolves when what was published before the call is in the engine: at once if nothing waits, regardless of later
   * commits. Rejects with `storage_unavailable` while the engine takes nothing, and after MOST_WAIT_MS: nothing settles
   * while a failed commit cannot be undone, which lasts as long as the disk is full.
   */
  async settled(): Promise<void> {
    const through = this.#keptVersion
    if (this.#settledVersion >= through) return
    let late = false
    const cancel = this.#options.timers.after(MOST_WAIT_MS, () => {
      late = true
      this.#wake()
    })
    try {
      while (this.#settledVersion < through) {
        if (this.#failing || late)
          throw storeUnavailable(undefined, 'Recent writes have not reached the engine, which must evaluate them.')
        this.#settle()
        await this.#change()
      }
    } finally {
      cancel()
    }
  }

  /** Resolves when nothing waits any more. */
  async settleAll(): Promise<void> {
    while (this.#filling.commits.length > 0 || this.#settling !== null) {
      this.#settle()
      await (this.#settling ?? this.#change())
    }
  }

  /**
   * Like `settleAll`, but rejects if the engine cannot take a batch. No commit is written any more; the next start
   * decides about a commit in the log that was neither kept nor undone.
   */
  async close(): Promise<void> {
    this.#closing = true
    this.undo()
    await this.settleAll()
  }

  #endWriting(): void {
    this.#writing = false
    this.#plan()
    this.#wake()
  }

  /** Called when settling is possible again: a batch may be full, or its time over. */
  #plan(): void {
    if (this.#closing || this.#filling.commits.length === 0) return
    if (this.#filling.bytes >= SETTLE_BYTES) this.#settle()
    else this.#cancelTimer ??= this.#options.timers.after(SETTLE_AFTER_MS, () => this.#settle())
  }

  #settle(): void {
    this.#stopTimer()
    if (this.#settling !== null || this.#writing || this.#filling.commits.length === 0) return
    const batch = this.#filling
    this.#filling = this.#spare
    // A read that waits for it may have started it.
    this.#settling = onBehalfOfService(() => this.#move(batch))
    // `close` gets its failure; otherwise it ends with success only.
    this.#settling.catch(() => undefined)
  }

  async #move(batch: SettleBatch): Promise<void> {
    try {
      await this.#insert(batch)
      const { commits } = batch
      this.#options.recent.drop(commits)
      this.#settledVersion = commits.at(-1)?.version ?? this.#settledVersion
      batch.reset()
      this.#spare = batch
      // Tried again with the next ones that settle.
      await this.#options.log.release(this.#settledVersion, false).catch(this.#options.onReleaseError)
    } finally {
      this.#settling = null
      this.#plan()
      this.#wake()
    }
  }

  async #insert(batch: SettleBatch): Promise<void> {
    const [from, through] = [batch.commits[0]?.version ?? 0, batch.commits.at(-1)?.version ?? 0]
    for (let failures = 0; ; failures++) {
      const stuck = () => this.#fail(new Error(`the engine has not taken a batch for ${STUCK_AFTER_MS / 1000} s`))
      const cancel = this.#options.timers.after(STUCK_AFTER_MS, stuck)
      try {
        // After a failure any part of it may be in the engine.
        const { settled } = this.#options
        await (
          failures === 0 ? settled.insert(batch.rows()) : settled.insertMissing(batch.rows(), from, through)
        ).finally(cancel)
        if (this.#failing) this.#recovered()
        return
      } catch (error) {
        this.#fail(error)
        if (this.#closing) throw error
        await new Promise<void>((resolve) => this.#options.timers.after(RETRY_AFTER_MS, resolve))
      }
    }
  }

  #fail(error: unknown): void {
    this.#failing = true
    this.#wake()
    this.#options.onError(error)
  }

  #recovered(): void {
    this.#failing = false
    this.#options.onRecovered()
  }

  #stopTimer(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
