import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import { backoffDelayMs } from '../../lib/time/backoff.ts'
import type { FinishedAttempt } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import { SCHEDULE_MS } from './retry-schedule.ts'
import type { WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import type { AttemptDependencies } from './attempt-delivery.ts'
import { breakerAfter, CLOSED } from './breaker.ts'
import { ClockWatch } from './clock-watch.ts'
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
 */
export class DeliveryMachine {
  readonly #dependencies: DeliveryMachineDependencies
  readonly #rules: DeliveryMachineRules
  readonly #lanes: Lanes
  readonly #results: Results
  readonly #work: LaneWork
  readonly #clockWatch: ClockWatch
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
    this.#clockWatch = new ClockWatch(dependencies)
    this.#results = new Results({ ...dependencies, rules, isTime: () => this.#write() })
    this.#work = new LaneWork({
      ...dependencies,
      rules,
      lanes: this.#lanes,
      results: this.#results,
      guarded: (run) => this.#guard(run),
      ended: () => this.#ended(),
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
      timers.every(this.#rules.expireMs, () => this.#tick()),
    )
    this.#clockWatch.start()
    this.#correctTimes()
    this.#soon()
  }

  /** There are new deliveries, of these subscriptions or of any. Returns at once; a subscription at rest stays so. Before the start nothing happens: it looks for all. */
  wake(webhookIds?: Iterable<WebhookId>): void {
    if (!this.#isRunning) return
    if (webhookIds === undefined) this.#mustScan = true
    else if (!this.#isPaused) {
      this.#guard(() => {
        for (const id of webhookIds) this.#giveWork(id)
      })
    }
    this.#soon()
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
    this.#guard(() => {
      const lane = this.#openLane(id)
      if (lane?.urgent.includes(deliveryId) === false) lane.urgent.push(deliveryId)
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
    this.#guard(() => {
      for (const lane of this.#lanes.all()) this.#work.giveBackReady(lane)
    })
    if (this.#work.inFlight > 0) {
      const cancel = timers.after(timeoutMs, () => this.#work.interrupt())
      await new Promise<void>((resolve) => (this.#idle = resolve))
      cancel()
    }
    this.#isPaused = false
    this.#write()
  }

  #pump(): void {
    if (this.#isPaused || !this.#isRunning) return
    this.#lookAtClock()
    this.#guard(() => {
      if (this.#mustScan) this.#scan()
      for (let turns = 0; turns < this.#rules.sendsPerTurn && this.#work.hasRoom; turns++) {
        const lane = this.#lanes.nextTurn()
        if (lane === undefined) break
        if (this.#work.serve(lane)) this.#lanes.giveTurn(lane)
      }
    })
    if (this.#lanes.hasTurns && this.#work.hasRoom) this.#soon()
  }

  /** Looks for subscriptions with due deliveries, some pages of them. */
  #scan(): void {
    const { queue, clock, timers } = this.#dependencies
    const { scanLimit } = this.#rules
    const now = clock.now()
    this.#mustScan = false
    this.#scannedAt = timers.now()
    for (let page = 0; page < MOST_BATCHES; page++) {
      const ids = queue.dueWebhooks(now, this.#scannedTo, scanLimit)
      this.#scannedTo = ids.at(-1) ?? null
      for (const id of ids) this.#giveWork(id)
      if (ids.length < scanLimit) break
    }
    this.#waitForNext()
  }

  /** At rest, or without room, it is found by a later scan. */
  #giveWork(id: WebhookId): void {
    if (this.#lanes.isAtRest(id, this.#dependencies.timers.now())) return this.#lookAgain()
    const lane = this.#openLane(id)
    if (lane === undefined) return this.#lookAgain()
    lane.hasDue = true
    this.#lanes.giveTurn(lane)
  }

  /** Undefined when there is no room for another. */
  #openLane(id: WebhookId): Lane | undefined {
    if (this.#lanes.find(id) === undefined && !this.#lanes.hasRoom) return undefined
    return this.#lanes.open(id, () =>
      breakerAfter(this.#dependencies.queue.health(id).failuresInARow, this.#rules.breaker),
    )
  }

  #ended(): void {
    if (this.#work.inFlight === 0) this.#idle?.()
    this.#pump()
  }

  #write(): void {
    if (this.#isPaused) return
    this.#guard(() => {
      this.#work.written(this.#results.write())
      this.#waitForNext()
    })
    this.#pump()
  }

  /** What is due and not in memory belongs to subscriptions at rest, or to such as have no room: those are looked for now and then. */
  #waitForNext(): void {
    if (!this.#isRunning) return
    const { queue, clock, timers } = this.#dependencies
    const dueAt = queue.nextDueAt()
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
      this.#pump()
    })
  }

  #soon(): void {
    if (this.#isRunning && !this.#cancels.has('soon')) this.#after('soon', 0, () => this.#pump())
  }

  #after(name: 'soon' | 'next' | 'resume' | 'correct', delayMs: number, run: () => void): void {
    const cancel = this.#dependencies.timers.after(delayMs, () => {
      this.#cancels.delete(name)
      run()
    })
    this.#cancels.set(name, cancel)
  }

  #tick(): void {
    this.#lookAtClock()
    this.#correctTimes()
    this.#expire()
  }

  /** At each step, so that no time is planned by a clock whose error went unnoticed. */
  #lookAtClock(): void {
    if (!this.#clockWatch.look()) return
    this.#mustScan = true
    this.#soon()
  }

  #correctTimes(): void {
    if (this.#isPaused) return
    this.#guard(() => {
      if (this.#clockWatch.correct()) this.#after('correct', 0, () => this.#correctTimes())
      else this.#waitForNext()
    })
  }

  #expire(): void {
    const { queue, clock, timers } = this.#dependencies
    const { expireLimit } = this.#rules
    if (this.#isPaused) return
    const now = clock.now()
    this.#lanes.forgetOldRests(timers.now())
    this.#guard(() => {
      for (let batch = 0; batch < MOST_BATCHES; batch++) {
        if (queue.expire(now - SCHEDULE_MS, now, expireLimit) < expireLimit) break
      }
    })
  }

  #guard(run: () => void): void {
    try {
      run()
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

  #resume(): void {
    this.#isPaused = false
    this.#mustScan = true
    for (const lane of this.#lanes.all()) this.#lanes.giveTurn(lane)
    this.#write()
    if (!this.#isPaused) this.#storeFailures = 0
  }
}
