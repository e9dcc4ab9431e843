import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import { backoffDelayMs } from '../../lib/time/backoff.ts'
import { TaskQueue } from '../../lib/work/task-queue.ts'
import type { FinishedAttempt } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import { SCHEDULE_MS } from './retry-schedule.ts'
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
  /** Told of each attempt that was written. */
  readonly onAttempt?: (finished: FinishedAttempt) => void
  /** Told once for a run of failures. */
  readonly onError: (error: unknown, message: string) => void
  readonly rules?: Partial<DeliveryMachineRules>
}

/** Between two tries of a store that cannot be used. */
const STORE_BACKOFF = { firstMs: 200, maxMs: 5000 }
/** Of one round of giving up, and of one look for subscriptions: the thread belongs to others too. */
const MOST_BATCHES = 4
const LONGEST_TIMER_MS = 3_600_000

/**
 * Sends what is due. Each subscription that has work is a lane: they take turns, each with a bound on its requests under way and a breaker of its own, so that a receiver that hangs or is dead costs the
 * others nothing. Only what is leased is in memory. Between deliveries one timer waits for the next that is due; while subscriptions at rest have due deliveries, it is each second.
 *
 * Invariant, from start to stop: whenever a delivery is due or will be, a timer or an attempt under way leads to a look for it. So whoever turns work away or gives it back sees to the next look.
 *
 * While the store cannot be used nothing is sent, and results are kept until it takes them.
 *
 * Everything that happens, a wake, a timer, the end of an attempt, is one task of one queue: while a task waits for the
 * store no other one changes what it goes by. Attempts themselves run beside it.
 */
export class DeliveryMachine {
  readonly #dependencies: DeliveryMachineDependencies
  readonly #rules: DeliveryMachineRules
  readonly #lanes: Lanes
  readonly #results: Results
  readonly #work: LaneWork
  readonly #timesCorrection: TimesCorrection
  readonly #tasks = new TaskQueue()
  /** When the timer `next` runs, by the timers; Infinity without one. */
  #nextLookAt = Infinity
  readonly #cancels = new Map<'soon' | 'next' | 'resume' | 'expire' | 'correct', () => void>()
  /** Where the last look for subscriptions ended. */
  #scannedTo: WebhookId | null = null
  /** By the timers. */
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
    this.#results = new Results({ ...dependencies, rules, isTime: () => this.#enter(() => this.#write()) })
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
      leftDue: () => this.#lookAgain(),
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

  /** Subscriptions with work, and those that are left alone for a while. */
  get laneCounts(): { readonly atWork: number; readonly atRest: number } {
    return { atWork: this.#lanes.size, atRest: this.#lanes.restCount }
  }

  /** To be called once. */
  start(): void {
    const { timers } = this.#dependencies
    this.#isRunning = true
    this.#cancels.set(
      'expire',
      timers.every(this.#rules.expireMs, () => this.#enter(() => this.#tick())),
    )
    this.#timesCorrection.start()
    this.#enter(() => this.#correctTimes())
    this.#soon()
  }

  /** There are new deliveries, of these subscriptions or of any. Returns at once; a subscription at rest stays so. Before the start nothing happens: it looks for all. */
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

  /** The subscription was enabled or moved to another url, or somebody wants all of it tried again: what is known of its receiver no longer holds. */
  reconsider(id: WebhookId): void {
    this.#lanes.endRest(id)
    const lane = this.#lanes.find(id)
    if (lane !== undefined && lane.breaker.state !== 'probing') lane.breaker = CLOSED
    this.wake([id])
  }

  /**
   * Somebody wants this delivery tried now. It goes out before all others of its subscription, also to a receiver that is left alone for a while, as the attempt that shows whether it is back. It waits only for
   * attempts under way, when there are as many as there may be.
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

  /** Wall time before which no delivery of the subscription goes out by itself, because its receiver is left alone for a while; null when nothing holds them back. */
  heldUntil(id: WebhookId): number | null {
    const { clock, timers } = this.#dependencies
    const until = this.#lanes.heldUntil(id, timers.now())
    return until === null ? null : Math.ceil(clock.now() + until - timers.now())
  }

  /** Sends no more; what is under way has `timeoutMs` to end and is attempted again later otherwise. */
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
    this.#lookAtClock()
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

  /** Looks for subscriptions with due deliveries, some pages of them. */
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

  /** At rest, or without room, it is found by a later scan. */
  async #giveWork(id: WebhookId): Promise<void> {
    if (this.#lanes.isAtRest(id, this.#dependencies.timers.now())) return this.#lookAgain()
    const lane = await this.#openLane(id)
    if (lane === undefined) return this.#lookAgain()
    lane.hasDue = true
    this.#lanes.giveTurn(lane)
  }

  /** Undefined when there is no room for another. */
  async #openLane(id: WebhookId): Promise<Lane | undefined> {
    const known = this.#lanes.find(id)
    if (known !== undefined) return known
    if (!this.#lanes.hasRoom) return undefined
    return this.#lanes.open(id, this.#lanes.breakerAtRest(id) ?? (await this.#storedBreaker(id)))
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

  /** What is due and not in memory belongs to subscriptions at rest, or to such as have no room: those are looked for now and then. */
  async #waitForNext(): Promise<void> {
    if (!this.#isRunning) return
    const { queue, clock, timers } = this.#dependencies
    const dueAt = await queue.nextDueAt()
    const untilDueMs = dueAt === null ? null : dueAt - clock.now()
    if (untilDueMs === null) this.#lookAt(Infinity)
    else if (untilDueMs > 0) this.#lookAt(timers.now() + Math.min(untilDueMs, LONGEST_TIMER_MS))
    else this.#lookAt(this.#scannedAt + this.#rules.scanMs)
  }

  /** Something is due that nobody serves now. Asks the store for nothing, since it may be called for each event. */
  #lookAgain(): void {
    const scanAt = this.#scannedAt + this.#rules.scanMs
    if (this.#isRunning && scanAt < this.#nextLookAt) this.#lookAt(scanAt)
  }

  /** @param at by the timers; Infinity for never */
  #lookAt(at: number): void {
    this.#cancels.get('next')?.()
    this.#cancels.delete('next')
    this.#nextLookAt = at
    if (at === Infinity) return
    this.#after('next', Math.max(at - this.#dependencies.timers.now(), 0), () => {
      this.#nextLookAt = Infinity
      this.#mustScan = true
      return this.#pump()
    })
  }

  #soon(): void {
    if (!this.#cancels.has('soon')) this.#after('soon', 0, () => this.#pump())
  }

  /** Never once it is stopped. */
  #after(name: 'soon' | 'next' | 'resume' | 'correct', delayMs: number, run: () => Promise<void>): void {
    if (!this.#isRunning) return
    const cancel = this.#dependencies.timers.after(delayMs, () => {
      this.#cancels.delete(name)
      this.#enter(run)
    })
    this.#cancels.set(name, cancel)
  }

  async #tick(): Promise<void> {
    this.#lookAtClock()
    await this.#correctTimes()
    await this.#expire()
  }

  /** At each step, so that no time is planned by a clock whose error went unnoticed. */
  #lookAtClock(): void {
    if (!this.#timesCorrection.look()) return
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
    this.#lanes.forgetOldRests(timers.now())
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
