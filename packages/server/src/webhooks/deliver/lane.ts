import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { DueDelivery } from '../../ports/webhooks/delivery.ts'
import type { Breaker } from './breaker.ts'

/** The queue of a subscription with work: a slow receiver delays no other subscription. */
export interface Lane {
  readonly id: WebhookId
  breaker: Breaker
  /** Leased and not sent yet, the earliest due first. */
  ready: DueDelivery[]
  /** To be sent now, in this order. */
  readonly urgent: DeliveryId[]
  /** When `ready` was leased, in time of the timers. */
  leasedAt: number
  inFlight: number
  /** Whether the store may have more that is due. */
  hasDue: boolean
}

/** `until`: in time of the timers. */
interface BackOff {
  readonly until: number
  readonly breaker: Breaker
}

/** Back-offs in memory. A forgotten one is probed once too early. */
const MOST_BACK_OFFS = 10_000
/** How long a back-off is remembered after its end. */
const FORGET_AFTER_MS = 10 * 60_000

/** The active lanes with their turns, and the subscriptions in back-off. */
export class Lanes {
  readonly #most: number
  readonly #lanes = new Map<WebhookId, Lane>()
  /** First in, first out. */
  readonly #turns = new Set<Lane>()
  /** The oldest first. */
  readonly #backOffs = new Map<WebhookId, BackOff>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#lanes.size
  }

  get backOffCount(): number {
    return this.#backOffs.size
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

  isBackingOff(id: WebhookId, now: number): boolean {
    return (this.#backOffs.get(id)?.until ?? -Infinity) > now
  }

  /** End of the back-off, in time of the timers; null if there is none. */
  heldUntil(id: WebhookId, now: number): number | null {
    const until = this.#lanes.get(id)?.breaker.retryAt ?? this.#backOffs.get(id)?.until ?? -Infinity
    return until > now ? until : null
  }

  /** The breaker at the start of the back-off; undefined if forgotten. */
  breakerInBackOff(id: WebhookId): Breaker | undefined {
    return this.#backOffs.get(id)?.breaker
  }

  /** Opens a lane. The subscription MUST have none. */
  open(id: WebhookId, breaker: Breaker): Lane {
    const lane: Lane = { id, breaker, ready: [], urgent: [], leasedAt: 0, inFlight: 0, hasDue: false }
    this.#backOffs.delete(id)
    this.#lanes.set(id, lane)
    return lane
  }

  /** Adds the lane at the end of the turns, unless it has one. */
  giveTurn(lane: Lane): void {
    if (this.#lanes.get(lane.id) === lane) this.#turns.add(lane)
  }

  nextTurn(): Lane | undefined {
    const [lane] = this.#turns
    if (lane !== undefined) this.#turns.delete(lane)
    return lane
  }

  /** Forgets an empty lane. It is opened again when it has work, after the back-off if one is given. */
  close(lane: Lane, backOffUntil: number | null): void {
    this.#lanes.delete(lane.id)
    this.#turns.delete(lane)
    if (backOffUntil === null) return
    this.#backOffs.set(lane.id, { until: backOffUntil, breaker: lane.breaker })
    const [oldest] = this.#backOffs.keys()
    if (this.#backOffs.size > MOST_BACK_OFFS && oldest !== undefined) this.#backOffs.delete(oldest)
  }

  endBackOff(id: WebhookId): void {
    this.#backOffs.delete(id)
  }

  forgetOldBackOffs(now: number): void {
    for (const [id, { until }] of this.#backOffs) if (until + FORGET_AFTER_MS < now) this.#backOffs.delete(id)
  }
}
