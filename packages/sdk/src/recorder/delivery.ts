import type { Attempt, Service } from './service.ts'
import { afterDelay } from './runtime.ts'
import type { FlushVerdicts } from './recorder-options.ts'
import { type Call, type Item, Queue, type SpanItem } from './queue.ts'
import type { Spool } from './spool.ts'
import { countOf, Verdicts } from './verdicts.ts'

export interface DeliveryOptions {
  readonly delayMs: number
  readonly batchBytes: number
  readonly stepBytes: number
  readonly queueBytes: number
  /** Must not throw. */
  readonly onWarning: (message: string) => void
}

/** Waits between attempts, ms: doubled each time, and a random part less, so that clients do not come together. */
const FIRST_WAIT_MS = 250
const MOST_WAIT_MS = 10_000
/** A service cannot silence a recorder for longer. */
const MOST_RETRY_AFTER_MS = 60_000
const encoder = new TextEncoder()

/**
 * Sends what is queued, in order, one request at a time, until the service has taken or refused it. What another
 * attempt repeats is stored once: spans by their ids, metric events by their keys. While the service is away, and at
 * the end of the process, the spool takes what is in memory.
 */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #service: Service
  readonly #spool: Spool | null
  readonly #queue = new Queue()
  readonly #verdicts = new Verdicts()
  /** The request under way. It stays here until it has an answer. */
  #sending: readonly Item[] = []
  #heldBytes = 0
  #isRunning = false
  /** After all was put aside, until something new is recorded. */
  #isPaused = false
  #failures = 0
  /** Why the last attempt failed. */
  #problem = ''
  #cancelTimer: (() => void) | null = null
  #endWait: (() => void) | null = null
  #hasWarnedOfLoss = false

  constructor(options: DeliveryOptions, service: Service, spool: Spool | null) {
    this.#options = options
    this.#service = service
    this.#spool = spool
    if (spool !== null && !spool.isEmpty) this.#schedule(options.delayMs)
  }

  get isIdle(): boolean {
    return this.#sending.length === 0 && this.#queue.length === 0 && this.#spoolIsEmpty
  }

  /** Whether anything is in memory only. */
  get hasUnsent(): boolean {
    return this.#sending.length + this.#queue.length > 0
  }

  warn(message: string): void {
    this.#options.onWarning(message)
  }

  addSpan(text: string): void {
    const bytes = encoder.encode(text).length
    if (bytes > this.#options.stepBytes) {
      this.#verdicts.refuse(1, `a step of ${bytes} bytes is larger than ${this.#options.stepBytes}`)
      this.warn(`refused a step of ${bytes} bytes; stepBytes is ${this.#options.stepBytes}`)
      return
    }
    this.#add({ kind: 'span', body: text }, bytes)
  }

  addCall(call: Call): void {
    this.#add(call, encoder.encode(call.body).length)
  }

  /** Counts bytes of a trace that is held. False if there is no room for it. */
  hold(text: string): boolean {
    if (this.#bytes + text.length > this.#options.queueBytes) {
      this.#lost(1, 'a held trace has no room in the queue')
      return false
    }
    this.#heldBytes += text.length
    return true
  }

  release(text: string): void {
    this.#heldBytes -= text.length
  }

  /** Resolves when everything queued so far has a verdict, or when the time is over. */
  async flush(timeoutMs: number): Promise<FlushVerdicts> {
    const flush = this.#verdicts.begin(this.#queue.newest, this.#queue.length + this.#sending.length)
    this.#start()
    // The request under way keeps the process alive, but a wait between two attempts does not: this timer does.
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      const check = () => {
        if (flush.remaining > 0 || !(this.#spoolIsEmpty || !this.#isRunning)) return
        clearTimeout(timer)
        resolve()
      }
      flush.onChange = check
      check()
    })
    return this.#verdicts.end(flush, this.#spool?.items ?? 0, this.#failures > 0 ? this.#problem : null)
  }

  /** Puts all that is in memory on disk, or counts it as lost. Synchronous: works at the very end of a process. */
  putAside(): void {
    const items = [...this.#sending, ...this.#queue.clear()]
    this.#sending = []
    this.#isPaused = true
    this.#cancelTimer?.()
    this.#cancelTimer = null
    this.#endWait?.()
    this.#spill(items)
  }

  get #bytes(): number {
    return this.#queue.bytes + this.#heldBytes
  }

  get #spoolIsEmpty(): boolean {
    return this.#spool === null || this.#spool.isEmpty
  }

  #add(item: Call | SpanItem, bytes: number): void {
    const { batchBytes, queueBytes } = this.#options
    // In pieces of a request: they are written quickly, and little waits in memory.
    if (
      this.#failures > 0 &&
      this.#spool !== null &&
      this.#queue.bytes + bytes > Math.min(batchBytes, queueBytes / 4)
    ) {
      this.#spill(this.#queue.clear())
    }
    if (this.#bytes + bytes > queueBytes) return this.#lost(1, 'the queue is full')
    this.#queue.add(item, bytes)
    this.#isPaused = false
    if (this.#isRunning) return
    if (this.#queue.bytes >= batchBytes) this.#start()
    else this.#schedule(this.#options.delayMs)
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer ??= afterDelay(delayMs, () => this.#start())
  }

  #start(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run()
  }

  async #run(): Promise<void> {
    // What is added in this moment belongs to the first request too.
    await Promise.resolve()
    try {
      while (!this.isIdle && !this.#isPaused) await this.#sendNext()
    } catch (error) {
      this.warn(`could not send: ${String(error)}`)
      this.#schedule(MOST_WAIT_MS)
    } finally {
      this.#isRunning = false
      this.#verdicts.changed()
    }
  }

  /** What is on disk is older than what is in memory. */
  async #sendNext(): Promise<void> {
    const spooled = this.#spool?.oldest() ?? null
    if (spooled !== null) {
      if (await this.#settle(spooled.items)) this.#spool?.remove(spooled)
      return
    }
    if (this.#queue.length === 0) return
    this.#sending = this.#queue.take(this.#options.batchBytes)
    await this.#settle(this.#sending)
    this.#sending = []
  }

  /** Sends items until each has a verdict, spans before calls. False if they were put aside before. */
  async #settle(items: readonly Item[]): Promise<boolean> {
    let waiting = requestsOf(items)
    while (waiting[0] !== undefined) {
      const [batch, ...others] = waiting
      waiting = others
      const attempt = await this.#service.send(batch)
      if (attempt.is === 'away') {
        await this.#backOff(attempt)
        if (this.#isPaused) return false
        waiting = [batch, ...others]
        continue
      }
      this.#failures = 0
      if (attempt.is === 'too_large' && batch.length > 1) {
        const half = Math.ceil(batch.length / 2)
        waiting = [batch.slice(0, half), batch.slice(half), ...others]
        continue
      }
      const { refused, reason } =
        attempt.is === 'too_large' ? { refused: Number.POSITIVE_INFINITY, reason: 'too large' } : attempt
      if (refused > 0)
        this.warn(`${Math.min(refused, countOf(batch))} of ${countOf(batch)} items were refused: ${reason}`)
      const settled = new Set(batch)
      this.#sending = this.#sending.filter((item) => !settled.has(item))
      this.#verdicts.settle(batch, refused, reason)
    }
    return true
  }

  async #backOff({ retryAfterMs, reason }: Extract<Attempt, { is: 'away' }>): Promise<void> {
    this.#problem = reason
    if (this.#failures++ === 0) this.warn(`the service takes nothing now (${reason}); trying again`)
    const most = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures, 20))
    const waitMs = Math.max(most * (0.5 + Math.random() / 2), Math.min(retryAfterMs, MOST_RETRY_AFTER_MS))
    await new Promise<void>((resolve) => {
      const cancel = afterDelay(waitMs, resolve)
      this.#endWait = () => {
        cancel()
        resolve()
      }
    })
    this.#endWait = null
  }

  #spill(items: readonly Item[]): void {
    if (items.length === 0) return
    const problem = this.#spool === null ? 'there is no spool' : this.#spool.add(items)
    if (problem === null) this.#verdicts.setAside(items)
    else {
      this.#verdicts.drop(items)
      this.#warnOfLoss(countOf(items), problem)
    }
  }

  #lost(count: number, why: string): void {
    this.#verdicts.dropNew(count)
    this.#warnOfLoss(count, why)
  }

  #warnOfLoss(count: number, why: string): void {
    if (this.#hasWarnedOfLoss && count === 1) return
    this.#hasWarnedOfLoss = true
    this.warn(`${count} items were lost, and others may be: ${why}`)
  }
}

/** Items that are sent in one request each. Spans first: calls are about traces that the service must have. */
function requestsOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const alone = ({ kind, sequence }: Item) => kind === 'flag' || (kind === 'span' && sequence === 0)
  const [spans, metrics, flags] = (['span', 'metric', 'flag'] as const).map((kind) =>
    items.filter((item) => item.kind === kind),
  ) as [Item[], Item[], Item[]]
  const together = (list: Item[]) => [list.filter((item) => !alone(item)), ...list.filter(alone).map((item) => [item])]
  return [...together(spans), metrics, ...together(flags)].filter(({ length }) => length > 0)
}
