import type { WebhookId } from '@spoor/contract/ids'
import type { AfterAttempt, DueDelivery, FinishedAttempt } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import { isUntried, SCHEDULE_MS } from './retry-schedule.ts'
import type { SignedWebhook, WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import { type AttemptDependencies, attemptDelivery, type EndedAttempt } from './attempt-delivery.ts'
import { moveBreaker } from './breaker.ts'
import type { DeliveryMachineRules } from './delivery-machine-rules.ts'
import { HeldDeliveries } from './held-deliveries.ts'
import { isReceiverAlive, judgeOutcome } from './judge-outcome.ts'
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
  /** Runs what an attempt leads to, when nothing else is at work on the lanes; keeps what the store throws within. */
  readonly afterAttempt: (run: () => Promise<void>) => void
  /** Told when due deliveries are given back that only a look for them will find. */
  readonly leftDue: () => void
  readonly onError: (error: unknown, message: string) => void
}

/**
 * One step of one lane at a time: takes deliveries, sends them, and says what comes of it. Holds what is leased. Its
 * methods MUST NOT be called while another one, or what `afterAttempt` was given, has not ended.
 */
export class LaneWork {
  readonly #dependencies: LaneWorkDependencies
  readonly #interruption = new AbortController()
  readonly #held: HeldDeliveries
  readonly #starved = new Set<Lane>()
  #inFlight = 0
  /** Told already, and not read since. */
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

  /** Attempts under way end at once, without a verdict. */
  interrupt(): void {
    this.#interruption.abort()
  }

  /**
   * Begins the next delivery of the lane: sends it, or settles it without. Returns whether there may be more to do at once.
   *
   * @throws what the store throws: nothing is lost then
   */
  async serve(lane: Lane): Promise<boolean> {
    const { clock, timers, rules } = this.#dependencies
    const share = this.#shareOf(lane)
    if (lane.inFlight >= share.inFlight) return false
    if (lane.ready.length > 0 && timers.now() > lane.leasedAt + rules.leaseMs / 2) await this.giveBackReady(lane)
    const now = clock.now()
    const isUrgent = await this.#takeUrgent(lane, now)
    if (!isUrgent && timers.now() < lane.breaker.retryAt) return this.#rest(lane, lane.breaker.retryAt)
    if (lane.ready.length === 0) await this.#lease(lane, share, now)
    const [delivery] = lane.ready
    if (delivery === undefined) return this.#closeIfDone(lane)
    this.#begin(lane, delivery)
    return true
  }

  /** Gives back what a lane has leased and not sent. */
  async giveBackReady(lane: Lane): Promise<void> {
    const given = lane.ready
    if (given.length === 0) return
    lane.ready = []
    lane.hasDue = true
    await this.#giveBack(given)
  }

  /** Lets go of what the store has now; gives back what it did not take before. */
  async written(finished: readonly FinishedAttempt[]): Promise<void> {
    for (const { delivery } of finished) this.#held.letGo(delivery)
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
    if (!lane.hasDue) return
    const { queue, timers, rules } = this.#dependencies
    if (this.#held.bytes + maxBytes > rules.mostBytes) {
      this.#starved.add(lane)
      return
    }
    const leased = await queue.lease(lane.id, now, now + rules.leaseMs, { limit, maxBytes })
    lane.ready = leased.filter(({ id }) => !this.#held.has(id))
    lane.leasedAt = timers.now()
    let bytes = 0
    for (const delivery of lane.ready) {
      this.#held.hold(delivery)
      bytes += delivery.body.length
    }
    // Fewer than asked for, and not because of their size: there are no more.
    lane.hasDue = lane.ready.length > 0 && (leased.length === limit || bytes + rules.largestBody > maxBytes)
  }

  /** Puts the first that somebody wants tried now in front; one that is under way or settled meanwhile is left to that. False when there is none. */
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

  #tellUnreadable({ id }: Lane, error: unknown): void {
    if (!this.#unreadable.has(id)) this.#dependencies.onError(error, 'deliveries wait: a subscription cannot be read')
    this.#unreadable.add(id)
  }

  /** The subscription is looked up for each attempt: it goes out to what is stored then. Meanwhile it counts as under way. */
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
        return this.#withoutVerdict(lane, delivery)
      }),
    )
  }

  /** Returns what is to be done when it is no longer under way. */
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
      if (!webhook.enabled) return () => this.#restDisabled(lane, delivery)
      if (signal.aborted) return () => this.#withoutVerdict(lane, delivery)
      attempt = attemptDelivery(this.#dependencies, delivery, webhook, signal)
    } catch (error) {
      this.#tellUnreadable(lane, error)
      return () => this.#withoutVerdict(lane, delivery)
    }
    const ended = await attempt
    return () => this.#judge(lane, delivery, webhook, ended, isProbe)
  }

  async #judge(
    lane: Lane,
    delivery: DueDelivery,
    webhook: SignedWebhook,
    ended: EndedAttempt,
    isProbe: boolean,
  ): Promise<void> {
    const { attempt, outcome } = ended
    if (outcome.error?.code === 'interrupted' && outcome.response === null) return this.#withoutVerdict(lane, delivery)
    const { lanes, results, clock, random } = this.#dependencies
    const after = judgeOutcome(delivery, outcome, { now: clock.now(), random: random() })
    this.#moveBreaker(lane, isReceiverAlive(outcome) ? 'success' : isProbe ? 'failure' : 'late_failure')
    lanes.giveTurn(lane)
    results.add({ delivery, attempt, after }, webhook)
  }

  /** Not again at once: whatever ended it may end the next one too. */
  async #withoutVerdict(lane: Lane, delivery: DueDelivery): Promise<void> {
    const { timers, rules } = this.#dependencies
    this.#takeBack(lane, delivery)
    await this.#rest(lane, timers.now() + rules.brokenRestMs)
  }

  async #restDisabled(lane: Lane, delivery: DueDelivery): Promise<void> {
    const { timers, rules } = this.#dependencies
    this.#takeBack(lane, delivery)
    await this.#rest(lane, timers.now() + rules.disabledRestMs)
  }

  /** Its day has passed. */
  async #giveUp(lane: Lane, delivery: DueDelivery): Promise<void> {
    const { lanes, clock } = this.#dependencies
    this.#takeBack(lane, delivery)
    lanes.giveTurn(lane)
    await this.#settle(lane, { status: 'failed', reason: 'expired' }, clock.now())
  }

  /** It was not attempted, and is the first that is ready again. */
  #takeBack(lane: Lane, delivery: DueDelivery): void {
    this.#moveBreaker(lane, 'no_verdict')
    lane.ready.unshift(delivery)
  }

  #moveBreaker(lane: Lane, event: Parameters<typeof moveBreaker>[1]): void {
    const { timers, random, rules } = this.#dependencies
    lane.breaker = moveBreaker(lane.breaker, event, { rules: rules.breaker, now: timers.now(), random: random() })
  }

  /** Its subscription is gone: nobody else settles what is leased here. */
  async #cancelAll(lane: Lane, delivery: DueDelivery): Promise<void> {
    const { lanes, queue, clock, rules } = this.#dependencies
    const now = clock.now()
    this.#takeBack(lane, delivery)
    while (lane.ready.length > 0) await this.#settle(lane, { status: 'cancelled' }, now)
    lane.hasDue = (await queue.cancel(lane.id, now, rules.expireLimit)) === rules.expireLimit
    if (this.#closeIfDone(lane)) lanes.giveTurn(lane)
  }

  /** The first that is ready. */
  async #settle(lane: Lane, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): Promise<void> {
    const [delivery] = lane.ready
    if (delivery === undefined) return
    await this.#dependencies.queue.settle(delivery.id, after, now)
    lane.ready.shift()
    this.#held.letGo(delivery)
    this.#feedStarved()
  }

  /** Returns whether it has more to do at once. */
  #closeIfDone(lane: Lane): boolean {
    const isDone = lane.inFlight === 0 && lane.ready.length === 0 && lane.urgent.length === 0 && !lane.hasDue
    const { lanes } = this.#dependencies
    if (isDone) lanes.close(lane, lane.breaker.state === 'open' ? lane.breaker.retryAt : null)
    return !isDone && lane.hasDue && !this.#starved.has(lane)
  }

  /** It is left alone until then, or until its last attempt under way has ended, if that is later. */
  async #rest(lane: Lane, until: number): Promise<false> {
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
    for (const lane of this.#starved) this.#dependencies.lanes.giveTurn(lane)
    this.#starved.clear()
  }
}

/** Whether its day has passed. One that was never tried has its first attempt whenever it can be made: not while its subscription is disabled. */
function isOver({ schedule }: DueDelivery, { enabled }: Pick<SignedWebhook, 'enabled'>, now: number): boolean {
  return now >= schedule.startedAt + SCHEDULE_MS && !(enabled && isUntried(schedule))
}
