import { countOf, type Item, requestsOf, sizeOf, takeFirst } from './queue.ts'
import type { FlushVerdicts } from './recorder-options.ts'
import { afterDelay } from './runtime.ts'
import type { Attempt, Service } from './service.ts'
import type { Spool, SpooledFile } from './spool.ts'
import { Verdicts } from './verdicts.ts'

export interface DeliveryOptions {
  readonly delayMs: number
  readonly batchBytes: number
  readonly queueBytes: number
  /** Must not throw. */
  readonly onWarning: (message: string) => void
}

/** Waits between attempts, ms: doubled each time, and a random part less, so that clients do not come together. */
const FIRST_WAIT_MS = 250
const MOST_WAIT_MS = 10_000
/** A service cannot silence a recorder for longer. */
const MOST_RETRY_AFTER_MS = 60_000

/**
 * Sends queued records in order, one request at a time, until the service has taken or refused them. Repeated records
 * are stored once: spans by their ids, metric events by their keys. While the service is away, and at the end of the
 * process, records in memory go to the spool.
 */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #service: Service
  readonly #spool: Spool | null
  readonly #verdicts = new Verdicts()
  readonly #queue: Item[] = []
  /** Characters of the queue, and of held traces. */
  #queueSize = 0
  #heldSize = 0
  /** Requests without an answer yet: of this file of the spool, or of items that were taken out of the queue. */
  #requests: (readonly Item[])[] = []
  #file: SpooledFile | null = null
  /** Items that were queued, and how many of them have a verdict or are on disk. */
  #added = 0
  #resolved = 0
  #isScheduled = false
  #isRunning = false
  /** After all was put aside, until something new is recorded. */
  #isPaused = false
  #failures = 0
  /** Why the last attempt failed. */
  #problem = ''
  #hasWarnedOfLoss = false
  /** Why the spool took nothing; it is not tried again until the service is back. */
  #spoolProblem = ''
  /** Of flushes that wait. */
  readonly #onChange = new Set<() => void>()

  constructor(options: DeliveryOptions, service: Service, spool: Spool | null) {
    this.#options = options
    this.#service = service
    this.#spool = spool
    if (!this.#spoolIsEmpty) this.#schedule()
  }

  /** Whether anything is in memory only. */
  get hasUnsent(): boolean {
    return this.#added > this.#resolved
  }

  /** The same, or anything waits on disk. */
  get hasWork(): boolean {
    return this.hasUnsent || !this.#spoolIsEmpty
  }

  warn(message: string): void {
    this.#options.onWarning(message)
  }

  add(item: Item): void {
    const { batchBytes, queueBytes } = this.#options
    const size = item.body.length
    // In pieces of a request: they are written quickly, and little waits in memory.
    const isMuch = this.#queueSize + size > Math.min(batchBytes, queueBytes / 4)
    if (isMuch && this.#failures > 0 && this.#spoolProblem === '') this.#moveToSpool()
    if (!this.#hasRoom(size)) return
    this.#queue.push(item)
    this.#queueSize += size
    this.#added++
    this.#isPaused = false
    if (this.#queueSize >= batchBytes) this.#start()
    else this.#schedule()
  }

  /** Counts characters of a trace that is held; negative ones are given back. False if there is no room. */
  hold(size: number): boolean {
    if (size > 0 && !this.#hasRoom(size)) return false
    this.#heldSize += size
    return true
  }

  /** The same as `flush`; if only the disk has something, until the service does not take it. */
  async drain(timeoutMs: number): Promise<void> {
    await this.flush(timeoutMs, !this.hasUnsent)
  }

  /** Resolves when everything queued so far has a verdict, or when the time is over. */
  async flush(timeoutMs: number, untilFailure = false): Promise<FlushVerdicts> {
    const end = this.#verdicts.begin()
    const target = this.#added
    this.#start()
    // The request under way keeps the process alive, but a wait between two attempts does not: this timer does.
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#onChange.delete(check)
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      const check = () => {
        const isAway = untilFailure && this.#failures > 0
        if (this.#resolved >= target && (this.#spoolIsEmpty || !this.#isRunning || isAway)) done()
      }
      this.#onChange.add(check)
      check()
    })
    const pending = Math.max(0, target - this.#resolved)
    return end({ pending, spooled: this.#spool?.items ?? 0 }, this.#failures > 0 ? this.#problem : '')
  }

  /**
   * Gives up the attempt under way and puts all that is in memory on disk, or counts it as lost. Synchronous: works at
   * the very end of a process.
   */
  putAside(): void {
    this.#isPaused = true
    this.#spill()
    this.#service.abort()
  }

  /**
   * The same when the process ends now. If the service was there until now, it gets its chance: a folder may be gone
   * with the machine, and what is left of earlier processes may have waited for long. All by `endsAt`, as Date.now.
   */
  leave(endsAt: number): void {
    const isThere = this.#failures === 0
    const items = this.#inMemory
    // First on disk: the process may be killed while it waits.
    const isKept = this.#moveToSpool()
    const newest = isKept ? this.#spool?.newest : undefined
    if (isThere && items.length > 0 && this.#takes(items, endsAt)) {
      if (newest === undefined) this.#forget()
      else this.#spool?.remove(newest)
    }
    if (isThere) this.#emptySpool(endsAt)
    this.putAside()
  }

  #emptySpool(endsAt: number): void {
    for (let file = this.#spool?.oldest(); file && this.#takes(file.items, endsAt); file = this.#spool?.oldest())
      this.#spool?.remove(file)
  }

  #takes(items: readonly Item[], endsAt: number): boolean {
    const leftMs = endsAt - Date.now()
    return leftMs > 0 && this.#service.sendAtExit(requestsOf(items), leftMs)
  }

  get #spoolIsEmpty(): boolean {
    return this.#spool === null || this.#spool.isEmpty
  }

  #hasRoom(size: number): boolean {
    const hasRoom = this.#queueSize + this.#heldSize + size <= this.#options.queueBytes
    if (!hasRoom) this.#lost(1, 'the queue is full')
    return hasRoom
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isRunning) return
    this.#isScheduled = true
    afterDelay(this.#options.delayMs, () => {
      this.#isScheduled = false
      this.#start()
    })
  }

  #start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run()
  }

  async #run(): Promise<void> {
    // Records that are added in this moment belong to the first request too.
    await Promise.resolve()
    try {
      while (!this.#isPaused) {
        const items = this.#next()
        if (items === undefined) break
        await this.#send(items)
      }
    } catch (error) {
      this.warn(`could not send: ${String(error)}`)
    }
    this.#isRunning = false
    this.#changed()
  }

  /** The next request: records on disk are older than records in memory. */
  #next(): readonly Item[] | undefined {
    while (this.#requests.length === 0) {
      if (this.#file !== null) this.#spool?.remove(this.#file)
      else this.#resolved = this.#added - this.#queue.length
      this.#changed()
      this.#file = this.#spool?.oldest() ?? null
      if (this.#file === null && this.#queue.length === 0) break
      const items = this.#file?.items ?? takeFirst(this.#queue, this.#options.batchBytes)
      if (this.#file === null) this.#queueSize -= sizeOf(items)
      this.#requests = requestsOf(items)
    }
    return this.#requests[0]
  }

  async #send(items: readonly Item[]): Promise<void> {
    const attempt = await this.#service.send(items)
    // The spool has taken it.
    if (this.#requests[0] !== items) return
    if (attempt.is === 'away') return this.#backOff(attempt)
    this.#failures = 0
    this.#spoolProblem = ''
    this.#hasWarnedOfLoss = false
    this.#requests.shift()
    if (attempt.is === 'too_large' && items.length > 1) {
      const half = Math.ceil(items.length / 2)
      this.#requests.unshift(items.slice(0, half), items.slice(half))
      return
    }
    const count = countOf(items)
    // The service does not say which of them.
    const refused = Math.min(attempt.refused, count)
    this.#verdicts.add('stored', count - refused)
    if (refused === 0) {
      // It was taken, but a value was not as it must be.
      if (attempt.reason !== '') this.warn(attempt.reason)
      return
    }
    this.#verdicts.add('refused', refused, attempt.reason)
    this.warn(`${refused} of ${count} items were refused: ${attempt.reason}`)
  }

  async #backOff({ retryAfterMs, reason }: Attempt): Promise<void> {
    this.#problem = reason
    if (this.#failures++ === 0) this.warn(`the service takes nothing now (${reason}); trying again`)
    this.#changed()
    const most = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures)
    const waitMs = Math.max(most * (0.5 + Math.random() / 2), Math.min(retryAfterMs, MOST_RETRY_AFTER_MS))
    await new Promise<void>((resolve) => afterDelay(waitMs, resolve))
  }

  /** Moves all records in memory to the spool, also those being sent. Records that it cannot take are lost. */
  #spill(): void {
    if (this.#moveToSpool()) return
    const { length } = this.#inMemory
    this.#forget()
    if (length > 0) this.#lost(length, this.#spoolProblem)
    this.#changed()
  }

  /** Whether the spool has taken all; the other records stay in memory. */
  #moveToSpool(): boolean {
    const items = this.#inMemory
    const problem = items.length === 0 ? null : this.#spool === null ? 'there is no spool' : this.#spool.add(items)
    if (problem !== null) {
      this.#spoolProblem = problem
      return false
    }
    this.#forget()
    this.#changed()
    return true
  }

  /** Also what is being sent, unless the spool has it. */
  get #inMemory(): readonly Item[] {
    return [...(this.#file === null ? this.#requests.flat() : []), ...this.#queue]
  }

  #forget(): void {
    if (this.#file === null) this.#requests = []
    this.#queue.length = 0
    this.#queueSize = 0
    this.#resolved = this.#added
  }

  #lost(count: number, why: string): void {
    this.#verdicts.add('dropped', count)
    if (!this.#hasWarnedOfLoss) this.warn(`${count} items were lost, and others may be: ${why}`)
    this.#hasWarnedOfLoss = true
  }

  #changed(): void {
    for (const check of this.#onChange) check()
  }
}
