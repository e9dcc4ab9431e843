import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { DueDelivery } from '../../ports/webhooks/delivery.ts'
import type { Breaker } from './breaker.ts'

/** A subscription with work: its own queue, so that a slow receiver delays nobody else. */
export interface Lane {
  readonly id: WebhookId
  breaker: Breaker
  /** Leased and not sent yet, the longest due first. */
  ready: DueDelivery[]
  /** Somebody wants these tried now, in this order. */
  readonly urgent: DeliveryId[]
  /** When they were leased, by the timers. */
  leasedAt: number
  inFlight: number
  /** Whether the store may have more that is due. */
  hasDue: boolean
}

/** By the timers, which do not jump. */
interface Rest {
  readonly until: number
  readonly breaker: Breaker
}

/** Of subscriptions at rest this many are remembered; one that is forgotten is probed once too early. */
const MOST_RESTS = 10_000
/** What nobody asked for since is forgotten. */
const FORGET_AFTER_MS = 10 * 60_000

/** The lanes at work, whose turn it is, and which subscriptions are left alone for a while. */
export class Lanes {
  readonly #most: number
  readonly #lanes = new Map<WebhookId, Lane>()
  /** First in, first out. */
  readonly #turns = new Set<Lane>()
  /** Begun first comes first. */
  readonly #rests = new Map<WebhookId, Rest>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#lanes.size
  }

  get restCount(): number {
    return this.#rests.size
  }

  get hasRoom(): boolean {
    return this.#lanes.size < this.#most
  }

  get hasTurns(): boolean {
    return this.#turns.size > 0
  }

  all(): Iterable<Lane> {
    return this.#lanes.values()
  }

  find(id: WebhookId): Lane | undefined {
    return this.#lanes.get(id)
  }

  isAtRest(id: WebhookId, now: number): boolean {
    return (this.#rests.get(id)?.until ?? -Infinity) > now
  }

  /** Until when nothing goes out to it, by the timers; null when it may. */
  heldUntil(id: WebhookId, now: number): number | null {
    const until = this.#lanes.get(id)?.breaker.retryAt ?? this.#rests.get(id)?.until ?? -Infinity
    return until > now ? until : null
  }

  /** What was known of its receiver when it went to rest; undefined when that is not remembered. */
  breakerAtRest(id: WebhookId): Breaker | undefined {
    return this.#rests.get(id)?.breaker
  }

  /** A new lane: there MUST be none of this subscription. */
  open(id: WebhookId, breaker: Breaker): Lane {
    const lane: Lane = { id, breaker, ready: [], urgent: [], leasedAt: 0, inFlight: 0, hasDue: false }
    this.#rests.delete(id)
    this.#lanes.set(id, lane)
    return lane
  }

  /** At the end of the queue, unless it is in it. */
  giveTurn(lane: Lane): void {
    if (this.#lanes.get(lane.id) === lane) this.#turns.add(lane)
  }

  nextTurn(): Lane | undefined {
    const [lane] = this.#turns
    if (lane !== undefined) this.#turns.delete(lane)
    return lane
  }

  /** Forgets a lane that holds nothing. One that is not at rest is opened again when it has work. */
  close(lane: Lane, restUntil: number | null): void {
    this.#lanes.delete(lane.id)
    this.#turns.delete(lane)
    if (restUntil === null) return
    this.#rests.set(lane.id, { until: restUntil, breaker: lane.breaker })
    const [oldest] = this.#rests.keys()
    if (this.#rests.size > MOST_RESTS && oldest !== undefined) this.#rests.delete(oldest)
  }

  endRest(id: WebhookId): void {
    this.#rests.delete(id)
  }

  forgetOldRests(now: number): void {
    for (const [id, { until }] of this.#rests) if (until + FORGET_AFTER_MS < now) this.#rests.delete(id)
  }
}
