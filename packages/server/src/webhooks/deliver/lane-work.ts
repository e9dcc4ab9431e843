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
  /** Runs what an attempt leads to; keeps what the store throws within. */
  readonly guarded: (run: () => void) => void
  /** Told when an attempt has ended. */
  readonly ended: () => void
  /** Told when due deliveries are given back that only a look for them will find. */
  readonly leftDue: () => void
  readonly onError: (error: unknown, message: string) => void
}

/** One step of one lane at a time: takes deliveries, sends them, and says what comes of it. Holds what is leased. */
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
   * Sends the next delivery of the lane, or settles one without. Returns whether there may be more to do at once.
   *
   * @throws what the store throws: nothing is lost then
   */
  serve(lane: Lane): boolean {
    const { clock, timers, rules } = this.#dependencies
    const share = this.#shareOf(lane)
    if (lane.inFlight >= share.inFlight) return false
    if (lane.ready.length > 0 && timers.now() > lane.leasedAt + rules.leaseMs / 2) this.giveBackReady(lane)
    const now = clock.now()
    const isUrgent = this.#takeUrgent(lane, now)
    if (!isUrgent && timers.now() < lane.breaker.retryAt) return this.#rest(lane, lane.breaker.retryAt)
    if (lane.ready.length === 0) this.#lease(lane, share, now)
    const [delivery] = lane.ready
    if (delivery === undefined) return this.#closeIfDone(lane)
    const webhook = this.#findSigned(lane, now)
    if (webhook === 'broken') return this.#rest(lane, timers.now() + rules.brokenRestMs)
    if (webhook === undefined) return this.#cancelAll(lane, now)
    if (isOver(delivery, webhook, now)) {
      this.#settle(lane, { status: 'failed', reason: 'expired' }, now)
      return true
    }
    if (!webhook.enabled) return this.#rest(lane, timers.now() + rules.disabledRestMs)
    return this.#send(lane, delivery, webhook)
  }

  /** Gives back what a lane has leased and not sent. */
  giveBackReady(lane: Lane): void {
    const given = lane.ready
    if (given.length === 0) return
    lane.ready = []
    lane.hasDue = true
    this.#giveBack(given)
  }

  /** Lets go of what the store has now; gives back what it did not take before. */
  written(finished: readonly FinishedAttempt[]): void {
    for (const { delivery } of finished) this.#held.letGo(delivery)
    this.#giveBack([])
    this.#feedStarved()
  }

  #shareOf({ breaker }: Lane): LaneShare {
    const { lanes, rules } = this.#dependencies
    const load = { inFlight: this.#inFlight, heldBytes: this.#held.bytes, lanes: lanes.size }
    const share = laneShare(load, rules)
    return breaker.state === 'closed' ? share : { ...share, inFlight: 1, leaseLimit: 1 }
  }

  #lease(lane: Lane, { leaseLimit: limit, leaseBytes: maxBytes }: LaneShare, now: number): void {
    if (!lane.hasDue) return
    const { queue, timers, rules } = this.#dependencies
    if (this.#held.bytes + maxBytes > rules.mostBytes) {
      this.#starved.add(lane)
      return
    }
    const leased = queue.lease(lane.id, now, now + rules.leaseMs, { limit, maxBytes })
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
  #takeUrgent(lane: Lane, now: number): boolean {
    const { queue, rules } = this.#dependencies
    for (let [id] = lane.urgent; id !== undefined; [id] = lane.urgent) {
      const at = lane.ready.findIndex((ready) => ready.id === id)
      const [ready] = at < 0 ? [] : lane.ready.splice(at, 1)
      const leased = ready ?? (this.#held.has(id) ? undefined : queue.leaseOne(lane.id, id, now, now + rules.leaseMs))
      lane.urgent.shift()
      if (leased === undefined) continue
      this.#held.hold(leased)
      lane.ready.unshift(leased)
      return true
    }
    return false
  }

  #findSigned(lane: Lane, now: number): SignedWebhook | undefined | 'broken' {
    try {
      const webhook = this.#dependencies.directory.findSigned(lane.id, now)
      this.#unreadable.delete(lane.id)
      return webhook
    } catch (error) {
      this.#tellUnreadable(lane, error)
      return 'broken'
    }
  }

  #tellUnreadable({ id }: Lane, error: unknown): void {
    if (!this.#unreadable.has(id)) this.#dependencies.onError(error, 'deliveries wait: a subscription cannot be read')
    this.#unreadable.add(id)
  }

  #send(lane: Lane, delivery: DueDelivery, webhook: SignedWebhook): boolean {
    const { timers, rules } = this.#dependencies
    let attempt: Promise<EndedAttempt>
    try {
      attempt = attemptDelivery(this.#dependencies, delivery, webhook, this.#interruption.signal)
    } catch (error) {
      this.#tellUnreadable(lane, error)
      return this.#rest(lane, timers.now() + rules.brokenRestMs)
    }
    lane.ready.shift()
    const isProbe = lane.breaker.state !== 'closed'
    if (isProbe) this.#moveBreaker(lane, 'probe')
    lane.inFlight++
    this.#inFlight++
    const end = (run: () => void) => {
      lane.inFlight--
      this.#inFlight--
      this.#dependencies.guarded(run)
      this.#dependencies.ended()
    }
    attempt.then(
      (ended) => end(() => this.#judge(lane, delivery, webhook, ended, isProbe)),
      (error: unknown) =>
        end(() => {
          this.#dependencies.onError(error, 'a delivery could not be sent')
          this.#withoutVerdict(lane, delivery)
        }),
    )
    return true
  }

  #judge(lane: Lane, delivery: DueDelivery, webhook: SignedWebhook, ended: EndedAttempt, isProbe: boolean): void {
    const { attempt, outcome } = ended
    if (outcome.error?.code === 'interrupted' && outcome.response === null) return this.#withoutVerdict(lane, delivery)
    const { lanes, results, clock, random } = this.#dependencies
    const after = judgeOutcome(delivery, outcome, { now: clock.now(), random: random() })
    this.#moveBreaker(lane, isReceiverAlive(outcome) ? 'success' : isProbe ? 'failure' : 'late_failure')
    lanes.giveTurn(lane)
    results.add({ delivery, attempt, after }, webhook)
  }

  /** Not again at once: whatever ended it may end the next one too. */
  #withoutVerdict(lane: Lane, delivery: DueDelivery): void {
    const { timers, rules } = this.#dependencies
    this.#moveBreaker(lane, 'no_verdict')
    lane.ready.unshift(delivery)
    this.#rest(lane, timers.now() + rules.brokenRestMs)
  }

  #moveBreaker(lane: Lane, event: Parameters<typeof moveBreaker>[1]): void {
    const { timers, random, rules } = this.#dependencies
    lane.breaker = moveBreaker(lane.breaker, event, { rules: rules.breaker, now: timers.now(), random: random() })
  }

  /** Its subscription is gone: nobody else settles what is leased here. */
  #cancelAll(lane: Lane, now: number): boolean {
    const { queue, rules } = this.#dependencies
    while (lane.ready.length > 0) this.#settle(lane, { status: 'cancelled' }, now)
    lane.hasDue = queue.cancel(lane.id, now, rules.expireLimit) === rules.expireLimit
    return this.#closeIfDone(lane)
  }

  /** The first that is ready. */
  #settle(lane: Lane, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): void {
    const [delivery] = lane.ready
    if (delivery === undefined) return
    this.#dependencies.queue.settle(delivery.id, after, now)
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
  #rest(lane: Lane, until: number): false {
    if (lane.inFlight === 0) this.#dependencies.lanes.close(lane, until)
    this.giveBackReady(lane)
    return false
  }

  #giveBack(deliveries: readonly DueDelivery[]): void {
    if (this.#held.giveBack(deliveries) === 0) return
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
