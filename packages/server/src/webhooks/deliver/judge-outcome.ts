import type { AfterAttempt, DueDelivery } from '../../ports/webhooks/delivery.ts'
import type { SendOutcome } from '../../ports/webhooks/delivery-sender.ts'
import { parseRetryAfter } from '../../lib/time/retry-after.ts'
import { nextAttempt } from './retry-schedule.ts'

/** The status decides: a success whose body never ended is one all the same, since the receiver has said what it had to say. */
function isSuccess({ response }: SendOutcome): boolean {
  return response !== null && response.status >= 200 && response.status < 300
}

/**
 * What becomes of a delivery behind an attempt that ended at `now`.
 *
 * @param random in [0, 1)
 */
export function judgeOutcome(
  { eventType, schedule }: DueDelivery,
  outcome: SendOutcome,
  { now, random }: { readonly now: number; readonly random: number },
): AfterAttempt {
  if (isSuccess(outcome)) return { status: 'succeeded' }
  if (outcome.response?.status === 410) return { status: 'failed', reason: 'gone' }
  const retryAfterMs = parseRetryAfter(outcome.response?.headers['retry-after'], now)
  // Somebody waits for the outcome of a ping, and sends another.
  const next = eventType === 'ping' ? null : nextAttempt({ schedule, now, retryAfterMs, random })
  return next === null ? { status: 'failed', reason: 'attempts_exhausted' } : { status: 'pending', ...next }
}

/** Whether the receiver is there and can take more. One that refuses a delivery for what it is does its work; `429` says that it has too much of it. */
export function isReceiverAlive({ response }: SendOutcome): boolean {
  return response !== null && response.status < 500 && response.status !== 429
}
