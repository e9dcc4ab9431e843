import type { Clock } from '../../lib/time/clock.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { FinishedAttempt } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import type { WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'
import type { DeliveryMachineRules } from './delivery-machine-rules.ts'

/** A subscription without a success for this long is disabled. */
const NO_SUCCESS_MS = 5 * 24 * 3_600_000

export interface ResultsDependencies {
  readonly queue: Pick<DeliveryQueue, 'finish' | 'health'>
  readonly directory: Pick<WebhookDirectory, 'find' | 'disable'>
  readonly clock: Clock
  readonly timers: Timers
  readonly rules: Pick<DeliveryMachineRules, 'finishWithinMs' | 'finishAtOnce'>
  readonly onAttempt?: (finished: FinishedAttempt) => void
  readonly onWriteDue: () => void
  readonly onError: (error: unknown, message: string) => void
}

interface Result {
  readonly finished: FinishedAttempt
  /** The subscription as of the attempt. */
  readonly webhook: Webhook
}

/** Ended attempts that are not written yet. Several share a transaction. */
export class Results {
  readonly #dependencies: ResultsDependencies
  #waiting: Result[] = []
  #cancel: (() => void) | null = null
  #hasReported = false
  /** Never rejects. */
  #disabling: Promise<void> = Promise.resolve()

  constructor(dependencies: ResultsDependencies) {
    this.#dependencies = dependencies
  }

  add(finished: FinishedAttempt, webhook: Webhook): void {
    const { timers, rules, onWriteDue } = this.#dependencies
    this.#waiting.push({ finished, webhook })
    if (this.#waiting.length === rules.finishAtOnce) onWriteDue()
    else this.#cancel ??= timers.after(rules.finishWithinMs, onWriteDue)
  }

  /**
   * Writes all of them and returns them. Subscriptions to disable are disabled afterwards, see `settled`.
   *
   * @throws what the store throws; all are kept then
   */
  async write(): Promise<readonly FinishedAttempt[]> {
    this.#cancel?.()
    this.#cancel = null
    const written = [...this.#waiting]
    if (written.length === 0) return []
    const finished = written.map((result) => result.finished)
    await this.#dependencies.queue.finish(finished)
    this.#waiting = this.#waiting.slice(written.length)
    this.#disabling = this.#disabling.then(() => this.#disable(written))
    for (const one of finished) this.#dependencies.onAttempt?.(one)
    return finished
  }

  /** Resolves when the results written so far have disabled their subscriptions, or failed to. */
  settled(): Promise<void> {
    return this.#disabling
  }

  async #disable(written: readonly Result[]): Promise<void> {
    const { queue, clock, onError } = this.#dependencies
    const now = clock.now()
    const failing = new Map<string, Webhook>()
    const gone = new Map<string, Webhook>()
    for (const { finished, webhook } of written) {
      const { after } = finished
      if (after.status === 'succeeded') failing.delete(webhook.id)
      else failing.set(webhook.id, webhook)
      if (after.status === 'failed' && after.reason === 'gone') gone.set(webhook.id, webhook)
    }
    try {
      for (const webhook of gone.values()) await this.#disableOne(webhook, 'gone', now)
      for (const webhook of failing.values()) {
        const since = (await queue.health(webhook.id)).failingSince ?? Infinity
        if (since <= now - NO_SUCCESS_MS) await this.#disableOne(webhook, 'no_success', now)
      }
      this.#hasReported = false
    } catch (error) {
      if (!this.#hasReported) onError(error, 'a subscription could not be disabled; its next failure tries again')
      this.#hasReported = true
    }
  }

  /** Disables the subscription unless its url changed since the attempt; other changes do not matter. */
  async #disableOne({ id, url }: Webhook, reason: 'gone' | 'no_success', now: number): Promise<void> {
    const { directory } = this.#dependencies
    const present = await directory.find(id)
    if (present?.enabled === true && present.url === url) {
      await directory.disable(id, present.updatedAt, reason, now)
    }
  }
}
