import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import { backoffDelayMs } from '../../lib/time/backoff.ts'
import { TaskQueue } from '../../lib/flow/task-queue.ts'
import type { FinishedAttempt } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import { SCHEDULE_MS } from '../rules/retry-schedule.ts'
import type { WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import type { AttemptDependencies } from './attempt-delivery.ts'
import { type Breaker, breakerAfter, CLOSED } from './breaker.ts'
import { TimesCorrection } from './times-correction.ts'
import { DELIVERY_MACHINE_RULES, type DeliveryMachineRules } from './delivery-machine-rules.ts'
import { LaneWork } from './lane-work.ts'
import { type Lane, Lanes } from './lane.ts'
import { Results } from './results.ts'

export interface DeliveryMachineDependencies extends AttemptDependencies {
  readonly queue: DeliveryQueue
  readonly directory: Pick<WebhookDirectory, 'find' | 'findSigned' | 'disable'>
  /** In [0, 1). */
  readonly random: () => number
  readonly onAttempt?: (finished: FinishedAttempt) => void
  /** Called for the first of consecutive failures. */
  readonly onError: (error: unknown, message: string) => void
  readonly rules?: Partial<DeliveryMachineRules>
}

/** Between tries of an unavailable store. */
const STORE_BACKOFF = { firstMs: 200, maxMs: 5000 }
/** Batches of one expiry and of one scan, before yielding to other work. */
const MOST_BATCHES = 4
const LONGEST_TIMER_MS = 3_600_000

/**
 * Sends due deliveries. Each subscription with work is a lane. Lanes take turns; each has its own breaker and its own
 * bound of concurrent requests, so a receiver that hangs or is dead does not delay others. Only leased deliveries are
 * in memory. Between deliveries one timer waits for the next due time; it fires each second while a subscription in
 * back-off has due deliveries.
 *
 * Invariant between start and stop: for every pending delivery a timer or an attempt under way leads to a scan. Code
 * that declines or returns a delivery MUST schedule the next scan.
 *
 * While the store is unavailable nothing is sent, and results are kept until it accepts them.
 *
 * Every event (a wake, a timer, the end of an attempt) is one task of one queue: while a task waits for the store, no
 * other task changes its state. Attempts run concurrently to the tasks.
 */
export class DeliveryMachine {
  readonly #dependencies: DeliveryMachineDependencies
  readonly #rules: DeliveryMachineRules
  readonly #lanes: Lanes
  readonly #results: Results
  readonly #work: LaneWork
  readonly #timesCorrection: TimesCorrection
  readonly #tasks = new TaskQueue()
  /** When the timer `next` fires; Infinity without one. */
  #nextScanAt = Infinity
  readonly #cancels = new Map<'soon' | 'next' | 'resume' | 'expire' | 'correct' | 'poll', () => void>()
  /** The last subscription that the last scan read. */
  #scannedTo: WebhookId | null = null
  /** In time of the timers. */
  #scannedAt = -Infinity
  #mustScan = true
  #storeFailures = 0
  #isPaused = false
  #isRunning = false
  #idle: (() => void) | null = null

  constructor(dependencies: DeliveryMachineDependencies) {
    const rules = { ...DELIVERY_MACHINE_RULES, ...dependencies.rules }
    this.#dependencies = dependencies
    this.#rules = rules
    this.#lanes = new Lanes(rules.mostLanes)
    this.#timesCorrection = new TimesCorrection(dependencies)
    this.#results = new Results({ ...dependencies, rules, onWriteDue: () => this.#enter(() => this.#write()) })
    this.#work = new LaneWork({
      ...dependencies,
      rules,
      lanes: this.#lanes,
      results: this.#results,
      afterAttempt: (run) =>
        this.#enter(async () => {
          await this.#guard(run)
          await this.#ended()
        }),
      leftDue: () => this.#scanLater(),
    })
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#work.inFlight
  }

  /** Deliveries in memory. */
  get heldCount(): number {
    return this.#work.heldCount
  }

  /** Subscriptions with work, and those in back-off. */
  get laneCounts(): { readonly active: number; readonly backingOff: number } {
    return { active: this.#lanes.size, backingOff: this.#lanes.backOffCount }
  }

  /** To be called once. */
  start(): void {
    const { timers } = this.#dependencies
    this.#isRunning = true
    this.#cancels.set(
      'expire',
      timers.every(this.#rules.expireMs, () => this.#enter(() => this.#tick())),
    )
    const { pollMs } = this.#rules
    if (pollMs !== null) {
      this.#cancels.set(
        'poll',
        timers.every(pollMs, () => this.wake()),
      )
    }
    this.#timesCorrection.start()
    this.#enter(() => this.#correctTimes())
    this.#soon()
  }

  /**
   * Reports new deliveries of these subscriptions or of any. Does not end a back-off. Ignored before the start, which
   * scans.
   */
  wake(webhookIds?: Iterable<WebhookId>): void {
    if (!this.#isRunning) return
    if (webhookIds === undefined) {
      this.#mustScan = true
      this.#soon()
      return
    }
    const ids = [...webhookIds]
    this.#enter(async () => {
      if (this.#isPaused || !this.#isRunning) return
      await this.#guard(async () => {
        for (const id of ids) await this.#giveWork(id)
      })
      this.#soon()
    })
  }

  /**
   * Forgets the state of the receiver: the subscription was enabled, its url changed, or failed deliveries were
   * redelivered.
   */
  reconsider(id: WebhookId): void {
    this.#lanes.endBackOff(id)
    const lane = this.#lanes.find(id)
    if (lane !== undefined && lane.breaker.state !== 'probing') lane.breaker = CLOSED
    this.wake([id])
  }

  /**
   * Sends this delivery before all others of its subscription, even during a back-off; then it is the probe. It waits
   * only while the subscription has its maximum of attempts under way.
   */
  sendNow(id: WebhookId, deliveryId: DeliveryId): void {
    if (!this.#isRunning) return
    this.#enter(async () => {
      if (!this.#isRunning) return
      await this.#guard(async () => {
        const lane = await this.#openLane(id)
        if (lane?.urgent.includes(deliveryId) === false) lane.urgent.push(deliveryId)
      })
    })
    this.wake([id])
  }

  /** End of the back-off of the subscription, in wall time; null if it is in none. */
  heldUntil(id: WebhookId): number | null {
    const { clock, timers } = this.#dependencies
    const until = this.#lanes.heldUntil(id, timers.now())
    return until === null ? null : Math.ceil(clock.now() + until - timers.now())
  }

  /** Sends no more. Attempts under way have `timeoutMs` to end; interrupted ones are repeated later. */
  async stop(timeoutMs: number): Promise<void> {
    const { timers } = this.#dependencies
    this.#isRunning = false
    for (const cancel of this.#cancels.values()) cancel()
    this.#cancels.clear()
    await this.#tasks.add(() =>
      this.#guard(async () => {
        for (const lane of this.#lanes.all()) await this.#work.giveBackReady(lane)
      }),
    )
    if (this.#work.inFlight > 0) {
      const cancel = timers.after(timeoutMs, () => this.#work.interrupt())
      await new Promise<void>((resolve) => (this.#idle = resolve))
      cancel()
    }
    await this.#tasks.add(async () => {
      this.#isPaused = false
      await this.#write()
    })
    await this.#results.settled()
  }

  #enter(task: () => Promise<void>): void {
    void this.#tasks.add(task)
  }

  async #pump(): Promise<void> {
    if (this.#isPaused || !this.#isRunning) return
    this.#checkClock()
    await this.#guard(async () => {
      if (this.#mustScan) await this.#scan()
      for (let turns = 0; turns < this.#rules.sendsPerTurn && this.#work.hasRoom && this.#isRunning; turns++) {
        const lane = this.#lanes.nextTurn()
        if (lane === undefined) break
        if (await this.#work.serve(lane)) this.#lanes.giveTurn(lane)
      }
    })
    if (this.#lanes.hasTurns && this.#work.hasRoom) this.#soon()
  }

  /** Reads some pages of subscriptions with due deliveries. */
  async #scan(): Promise<void> {
    const { queue, clock, timers } = this.#dependencies
    const { scanLimit } = this.#rules
    const now = clock.now()
    this.#mustScan = false
    this.#scannedAt = timers.now()
    for (let page = 0; page < MOST_BATCHES; page++) {
      const ids = await queue.dueWebhooks(now, this.#scannedTo, scanLimit)
      this.#scannedTo = ids.at(-1) ?? null
      for (const id of ids) await this.#giveWork(id)
      if (ids.length < scanLimit) break
    }
    await this.#waitForNext()
  }

  /** A later scan finds a subscription that is in back-off or for which there is no free lane. */
  async #giveWork(id: WebhookId): Promise<void> {
    if (this.#lanes.isBackingOff(id, this.#dependencies.timers.now())) return this.#scanLater()
    const lane = await this.#openLane(id)
    if (lane === undefined) return this.#scanLater()
    lane.hasDue = true
    this.#lanes.giveTurn(lane)
  }

  /** Undefined if all lanes are in use. */
  async #openLane(id: WebhookId): Promise<Lane | undefined> {
    const known = this.#lanes.find(id)
    if (known !== undefined) return known
    if (!this.#lanes.hasRoom) return undefined
    return this.#lanes.open(id, this.#lanes.breakerInBackOff(id) ?? (await this.#storedBreaker(id)))
  }

  async #storedBreaker(id: WebhookId): Promise<Breaker> {
    const { failuresInARow } = await this.#dependencies.queue.health(id)
    return breakerAfter(failuresInARow, this.#rules.breaker)
  }

  async #ended(): Promise<void> {
    if (this.#work.inFlight === 0) this.#idle?.()
    await this.#pump()
  }

  async #write(): Promise<void> {
    if (this.#isPaused) return
    await this.#guard(async () => {
      await this.#work.written(await this.#results.write())
      await this.#waitForNext()
    })
    await this.#pump()
  }

  /**
   * A due delivery that is not in memory belongs to a subscription in back-off or without a lane: scans look for those.
   */
  async #waitForNext(): Promise<void> {
    if (!this.#isRunning) return
    const { queue, clock, timers } = this.#dependencies
    const dueAt = await queue.nextDueAt()
    const untilDueMs = dueAt === null ? null : dueAt - clock.now()
    if (untilDueMs === null) this.#scanAt(Infinity)
    else if (untilDueMs > 0) this.#scanAt(timers.now() + Math.min(untilDueMs, LONGEST_TIMER_MS))
    else this.#scanAt(this.#scannedAt + this.#rules.scanMs)
  }

  /** Schedules a scan for a due delivery that is not served now. Reads no store: it may be called for each event. */
  #scanLater(): void {
    const scanAt = this.#scannedAt + this.#rules.scanMs
    if (this.#isRunning && scanAt < this.#nextScanAt) this.#scanAt(scanAt)
  }

  /** @param at in time of the timers; Infinity for never */
  #scanAt(at: number): void {
    this.#cancels.get('next')?.()
    this.#cancels.delete('next')
    this.#nextScanAt = at
    if (at === Infinity) return
    this.#after('next', Math.max(at - this.#dependencies.timers.now(), 0), () => {
      this.#nextScanAt = Infinity
      this.#mustScan = true
      return this.#pump()
    })
  }

  #soon(): void {
    if (!this.#cancels.has('soon')) this.#after('soon', 0, () => this.#pump())
  }

  /** Does nothing after the stop. */
  #after(name: 'soon' | 'next' | 'resume' | 'correct', delayMs: number, run: () => Promise<void>): void {
    if (!this.#isRunning) return
    const cancel = this.#dependencies.timers.after(delayMs, () => {
      this.#cancels.delete(name)
      this.#enter(run)
    })
    this.#cancels.set(name, cancel)
  }

  async #tick(): Promise<void> {
    this.#checkClock()
    await this.#correctTimes()
    await this.#expire()
  }

  /** Called at each step, so that no time is planned with a clock that was set unnoticed. */
  #checkClock(): void {
    if (!this.#timesCorrection.detectStep()) return
    this.#mustScan = true
    this.#soon()
  }

  async #correctTimes(): Promise<void> {
    if (this.#isPaused || !this.#isRunning) return
    await this.#guard(async () => {
      if (await this.#timesCorrection.correct()) this.#after('correct', 0, () => this.#correctTimes())
      else await this.#waitForNext()
    })
  }

  async #expire(): Promise<void> {
    const { queue, clock, timers } = this.#dependencies
    const { expireLimit } = this.#rules
    if (this.#isPaused || !this.#isRunning) return
    const now = clock.now()
    this.#lanes.forgetOldBackOffs(timers.now())
    await this.#guard(async () => {
      for (let batch = 0; batch < MOST_BATCHES; batch++) {
        if ((await queue.expire(now - SCHEDULE_MS, now, expireLimit)) < expireLimit) break
      }
    })
  }

  async #guard(run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#pause(error)
    }
  }

  #pause(error: unknown): void {
    const { onError, random } = this.#dependencies
    if (this.#storeFailures === 0) onError(error, 'deliveries wait: their store cannot be used')
    if (this.#isPaused || !this.#isRunning) return
    this.#isPaused = true
    this.#storeFailures++
    this.#after('resume', backoffDelayMs(STORE_BACKOFF, this.#storeFailures, random()), () => this.#resume())
  }

  async #resume(): Promise<void> {
    this.#isPaused = false
    this.#mustScan = true
    for (const lane of this.#lanes.all()) this.#lanes.giveTurn(lane)
    await this.#write()
    if (!this.#isPaused) this.#storeFailures = 0
  }
}
