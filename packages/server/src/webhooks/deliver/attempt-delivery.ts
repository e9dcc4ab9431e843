import type { Clock } from '../../lib/time/clock.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { Attempt, DueDelivery } from '../../ports/webhooks/delivery.ts'
import type { DeliverySender, SendOutcome } from '../../ports/webhooks/delivery-sender.ts'
import { toDeliveredBody } from '../messages/to-delivered-body.ts'
import type { SignDelivery } from '../signing/delivery-signer.ts'
import type { SignedWebhook } from '../../ports/webhooks/webhook-directory.ts'

export interface AttemptDependencies {
  readonly sender: Pick<DeliverySender, 'send'>
  readonly sign: SignDelivery
  /** Address of the dashboard for links in messages, without a path; null if it is not known. */
  readonly publicUrl: string | null
  /** Value of the `user-agent` header. */
  readonly userAgent: string
  readonly clock: Clock
  readonly timers: Timers
}

export interface EndedAttempt {
  readonly attempt: Attempt
  readonly outcome: SendOutcome
}

/**
 * Sends a delivery once, with the present URL and secrets of its subscription. The promise never rejects.
 *
 * @throws what `sign` throws, before anything is sent
 */
export function attemptDelivery(
  { sender, sign, publicUrl, userAgent, clock, timers }: AttemptDependencies,
  delivery: DueDelivery,
  webhook: Pick<SignedWebhook, 'url' | 'format' | 'secrets'>,
  signal: AbortSignal,
): Promise<EndedAttempt> {
  const { id, eventId, eventType } = delivery
  const { url, secrets } = webhook
  const body = toDeliveredBody(delivery.body, webhook, publicUrl)
  const startedAt = clock.now()
  const begun = timers.now()
  const number = delivery.attempts + 1
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    ...sign({ eventId, attemptAt: startedAt, body, secrets }),
    'x-spoor-delivery': id,
    'x-spoor-attempt': String(number),
    'x-spoor-event': eventType,
  }
  return sender.send({ url, headers, body }, signal).then((outcome) => {
    const durationMs = Math.max(0, Math.round(timers.now() - begun))
    return { attempt: { number, startedAt, durationMs, url, requestHeaders: headers, ...outcome }, outcome }
  })
}
