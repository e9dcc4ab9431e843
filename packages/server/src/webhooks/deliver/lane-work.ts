import type { WebhookId } from '@spoor/contract/ids'
import type { AfterAttempt, DueDelivery, FinishedAttempt } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import { isUntried, SCHEDULE_MS } from '../rules/retry-schedule.ts'
import type { SignedWebhook, WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import { type AttemptDependencies, attemptDelivery, type EndedAttempt } from './attempt-delivery.ts'
import { moveBreaker } from './breaker.ts'
import type { DeliveryMachineRules } from './delivery-machine-rules.ts'
import { HeldDeliveries } from './held-deliveries.ts'
import { isReceiverAlive, evaluateOutcome } from './evaluate-outcome.ts'
import { laneShare, type LaneShare } from './lane-share.ts'
import type { Lane, Lanes } from './lane.ts'
import type { Results } from './results.ts'

export interface LaneWorkDependencies extends AttemptDependencies {
  readonly queue: Pick<DeliveryQueue, 'lease' | 'leaseOne' | 'release' | 'settle' | 'cancel'>
  readonly directory: Pick<WebhookDirectory, 'findSigned'>
  readonly lanes: Lanes
  readonly results: Results
  readonly rules: DeliveryMachineRules
  /** In [0, 1). */
  readonly random: () => number
  /** Runs a task after an attempt, when no other task uses the lanes. Handles errors of the store. */
  readonly afterAttempt: (run: () => Promise<void>) => void
  /** Called when due deliveries are released that only a scan will find. */
  readonly leftDue: () => void
  readonly onError: (error: unknown, message: string) => void
}

/**
 * One step of one lane at a time: leases deliveries, sends them and evaluates the outcomes. Its methods MUST NOT be
 * called while another one, or a task given to `afterAttempt`, has not ended.
 */
export class LaneWork {
  readonly #dependencies: LaneWorkDependencies
  readonly #interruption = new AbortController()
  readonly #held: HeldDeliveries
  /** Those that wait for bytes in memory. */
  readonly #starved = new Set<Lane>()
  /** Those that have their most under way at all nodes, some of it here. */
  readonly #capped = new Set<Lane>()
  #inFlight = 0
  /** Reported, and not read since. */
  readonly #unreadable = new Set<WebhookId>()

  constructor(dependencies: LaneWorkDependencies) {
    this.#dependencies = dependencies
    this.#held = new HeldDeliveries(dependencies.queue)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get heldCount(): number {
    return this.#held.count
  }

  get hasRoom(): boolean {
    return this.#inFlight < this.#dependencies.rules.mostInFlight
  }

  /** Ends attempts under way at once, without a result. */
  interrupt(): void {
    this.#interruption.abort()
  }

  /**
   * Sends the next delivery of the lane, or settles it without an attempt. Returns whether there may be more to do now.
   *
   * @throws what the store throws; nothing is lost then
   */
  async serve(lane: Lane): Promise<boolean> {
    const { clock, timers, rules } = this.#dependencies
    const share = this.#shareOf(lane)
    if (lane.inFlight >= share.inFlight) return false
    if (lane.ready.length > 0 && timers.now() > lane.leasedAt + rules.readyMs) await this.giveBackReady(lane)
    const now = clock.now()
    const isUrgent = await this.#takeUrgent(lane, now)
    if (!isUrgent && timers.now() < lane.breaker.retryAt) return this.#backOff(lane, lane.breaker.retryAt)
    if (lane.ready.length === 0) await this.#lease(lane, share, now)
    const [delivery] = lane.ready
    if (delivery === undefined) return this.#closeIfDone(lane)
    this.#begin(lane, delivery)
    return true
  }

  /** Releases the deliveries that a lane has leased and not sent. */
  async giveBackReady(lane: Lane): Promise<void> {
    const given = lane.ready
    if (given.length === 0) return
    lane.ready = []
    lane.hasDue = true
    await this.#giveBack(given)
  }

  /** Forgets written deliveries, and releases deliveries whose release failed before. */
  async written(finished: readonly FinishedAttempt[]): Promise<void> {
    for (const { delivery } of finished) this.#held.drop(delivery)
    await this.#giveBack([])
    this.#feedStarved()
  }

  #shareOf({ breaker }: Lane): LaneShare {
    const { lanes, rules } = this.#dependencies
    const load = { inFlight: this.#inFlight, heldBytes: this.#held.bytes, lanes: lanes.size }
    const share = laneShare(load, rules)
    return breaker.state === 'closed' ? share : { ...share, inFlight: 1, leaseLimit: 1 }
  }

  async #lease(lane: Lane, { leaseLimit: limit, leaseBytes: maxBytes }: LaneShare, now: number): Promise<void> {
    if (!lane.hasDue || (this.#capped.has(lane) && lane.inFlight > 0)) return
    const { queue, timers, rules, leftDue } = this.#dependencies
    if (this.#held.bytes + maxBytes > rules.mostBytes) {
      this.#starved.add(lane)
      return
    }
    const bounds = { limit, maxBytes }
    const { deliveries: leased, isCapped } = await queue.lease(lane.id, now, now + rules.leaseMs, bounds)
    lane.ready = leased.filter(({ id }) => !this.#held.has(id))
    lane.leasedAt = timers.now()
    let bytes = 0
    for (const delivery of lane.ready) {
      this.#held.hold(delivery)
      bytes += delivery.body.length
    }
    // If there are fewer than the limits allow, there are no more.
    lane.hasDue = lane.ready.length > 0 && (leased.length === limit || bytes + rules.largestBody > maxBytes)
    if (!isCapped) return
    // Its own results make room. If all are of other nodes, a scan finds it again.
    lane.hasDue = this.#held.countOf(lane.id) > 0
    if (lane.hasDue) this.#capped.add(lane)
    else leftDue()
  }

  /** Moves the first urgent delivery to the front. Skips those under way or settled. False if there is none. */
  async #takeUrgent(lane: Lane, now: number): Promise<boolean> {
    const { queue, rules } = this.#dependencies
    for (let [id] = lane.urgent; id !== undefined; [id] = lane.urgent) {
      const at = lane.ready.findIndex((ready) => ready.id === id)
      const [ready] = at < 0 ? [] : lane.ready.splice(at, 1)
      const leaseIt = () => queue.leaseOne(lane.id, id, now, now + rules.leaseMs)
      const leased = ready ?? (this.#held.has(id) ? undefined : await leaseIt())
      lane.urgent.shift()
      if (leased === undefined) continue
      this.#held.hold(leased)
      lane.ready.unshift(leased)
      return true
    }
    return false
  }

  #reportUnreadable({ id }: Lane, error: unknown): void {
    if (!this.#unreadable.has(id)) this.#dependencies.onError(error, 'deliveries wait: a subscription cannot be read')
    this.#unreadable.add(id)
  }

  /** Each attempt reads the subscription, so that it uses the present url and secrets. */
  #begin(lane: Lane, delivery: DueDelivery): void {
    lane.ready.shift()
    const isProbe = lane.breaker.state !== 'closed'
    if (isProbe) this.#moveBreaker(lane, 'probe')
    lane.inFlight++
    this.#inFlight++
    const end = (run: () => Promise<void>) =>
      this.#dependencies.afterAttempt(() => {
        lane.inFlight--
        this.#inFlight--
        return run()
      })
    this.#attempt(lane, delivery, isProbe).then(end, (error: unknown) =>
      end(() => {
        this.#dependencies.onError(error, 'a delivery could not be sent')
        return this.#withoutResult(lane, delivery)
      }),
    )
  }

  /** Returns the task to run when the attempt is no longer under way. */
  async #attempt(lane: Lane, delivery: DueDelivery, isProbe: boolean): Promise<() => Promise<void>> {
    const { directory, clock } = this.#dependencies
    const { signal } = this.#interruption
    let webhook: SignedWebhook | undefined
    let attempt: Promise<EndedAttempt>
    try {
      webhook = await directory.findSigned(lane.id, clock.now())
      this.#unreadable.delete(lane.id)
      if (webhook === undefined) return () => this.#cancelAll(lane, delivery)
      if (isOver(delivery, webhook, clock.now())) return () => this.#giveUp(lane, delivery)
      if (!webhook.enabled) return () => this.#withoutResult(lane, delivery, 'disabled')
      if (signal.aborted) return () => this.#withoutResult(lane, delivery)
      attempt = attemptDelivery(this.#dependencies, delivery, webhook, signal)
    } catch (error) {
      this.#reportUnreadable(lane, error)
      return () => this.#withoutResult(lane, delivery)
    }
    const ended = await attempt
    return () => this.#evaluate(lane, delivery, webhook, ended, isProbe)
  }

  async #evaluate(
    lane: Lane,
    delivery: DueDelivery,
    webhook: SignedWebhook,
    ended: EndedAttempt,
    isProbe: boolean,
  ): Promise<void> {
    const { attempt, outcome } = ended
    if (outcome.error?.code === 'interrupted' && outcome.response === null) return this.#withoutResult(lane, delivery)
    const { lanes, results, clock, random } = this.#dependencies
    const after = evaluateOutcome(delivery, outcome, { now: clock.now(), random: random() })
    this.#moveBreaker(lane, isReceiverAlive(outcome) ? 'success' : isProbe ? 'failure' : 'late_failure')
    lanes.giveTurn(lane)
    results.add({ delivery, attempt, after }, webhook)
  }

  /** Backs off: the cause may persist. */
  async #withoutResult(lane: Lane, delivery: DueDelivery, cause: 'broken' | 'disabled' = 'broken'): Promise<void> {
    const { timers, rules } = this.#dependencies
    this.#takeBack(lane, delivery)
    await this.#backOff(lane, timers.now() + rules[`${cause}BackOffMs`])
  }

  /** Gives up the delivery: its schedule has ended. */
  async #giveUp(lane: Lane, delivery: DueDelivery): Promise<void> {
    const { lanes, clock } = this.#dependencies
    this.#takeBack(lane, delivery)
    lanes.giveTurn(lane)
    await this.#settle(lane, { status: 'failed', reason: 'expired' }, clock.now())
  }

  /** Puts a delivery without an attempt back to the front. */
  #takeBack(lane: Lane, delivery: DueDelivery): void {
    this.#moveBreaker(lane, 'no_result')
    lane.ready.unshift(delivery)
  }

  #moveBreaker(lane: Lane, event: Parameters<typeof moveBreaker>[1]): void {
    const { timers, random, rules } = this.#dependencies
    lane.breaker = moveBreaker(lane.breaker, event, { rules: rules.breaker, now: timers.now(), random: random() })
  }

  /** Cancels the deliveries of a deleted subscription, leased ones included. */
  async #cancelAll(lane: Lane, delivery: DueDelivery): Promise<void> {
    const { lanes, queue, clock, rules } = this.#dependencies
    const now = clock.now()
    this.#takeBack(lane, delivery)
    while (lane.ready.length > 0) await this.#settle(lane, { status: 'cancelled' }, now)
    lane.hasDue = (await queue.cancel(lane.id, now, rules.expireLimit)) === rules.expireLimit
    if (this.#closeIfDone(lane)) lanes.giveTurn(lane)
  }

  /** Settles the first ready delivery. */
  async #settle(lane: Lane, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): Promise<void> {
    const [delivery] = lane.ready
    if (delivery === undefined) return
    await this.#dependencies.queue.settle(delivery.id, after, now)
    lane.ready.shift()
    this.#held.drop(delivery)
    this.#feedStarved()
  }

  /** Returns whether the lane has more to do now. */
  #closeIfDone(lane: Lane): boolean {
    const isDone = lane.inFlight === 0 && lane.ready.length === 0 && lane.urgent.length === 0 && !lane.hasDue
    const { lanes } = this.#dependencies
    if (isDone) lanes.close(lane, lane.breaker.state === 'open' ? lane.breaker.retryAt : null)
    return !isDone && lane.hasDue && !this.#starved.has(lane) && !this.#capped.has(lane)
  }

  /** Backs off until then, or until its last attempt under way has ended, if that is later. */
  async #backOff(lane: Lane, until: number): Promise<false> {
    if (lane.inFlight === 0) this.#dependencies.lanes.close(lane, until)
    await this.giveBackReady(lane)
    return false
  }

  async #giveBack(deliveries: readonly DueDelivery[]): Promise<void> {
    if ((await this.#held.giveBack(deliveries)) === 0) return
    this.#dependencies.leftDue()
    this.#feedStarved()
  }

  #feedStarved(): void {
    for (const waiting of [this.#starved, this.#capped]) {
      for (const lane of waiting) this.#dependencies.lanes.giveTurn(lane)
      waiting.clear()
    }
  }
}

/**
 * Whether the schedule has ended. An untried delivery still has its first attempt, unless its subscription is disabled.
 */
function isOver({ schedule }: DueDelivery, { enabled }: Pick<SignedWebhook, 'enabled'>, now: number): boolean {
  return now >= schedule.startedAt + SCHEDULE_MS && !(enabled && isUntried(schedule))
}
