import type { AfterAttempt, DueDelivery } from '../../ports/webhooks/delivery.ts'
import type { SendOutcome } from '../../ports/webhooks/delivery-sender.ts'
import { parseRetryAfter } from '../../lib/time/retry-after.ts'
import { nextAttempt } from '../rules/retry-schedule.ts'

/** The status alone decides, even if the body never ended. */
function isSuccess({ response }: SendOutcome): boolean {
  return response !== null && response.status >= 200 && response.status < 300
}

/**
 * The state of a delivery after an attempt that ended at `now`.
 *
 * @param random in [0, 1)
 */
export function evaluateOutcome(
  { eventType, schedule }: DueDelivery,
  outcome: SendOutcome,
  { now, random }: { readonly now: number; readonly random: number },
): AfterAttempt {
  if (isSuccess(outcome)) return { status: 'succeeded' }
  if (outcome.response?.status === 410) return { status: 'failed', reason: 'gone' }
  const retryAfterMs = parseRetryAfter(outcome.response?.headers['retry-after'], now)
  // The client waits for the outcome of a ping and can send another.
  const next = eventType === 'ping' ? null : nextAttempt({ schedule, now, retryAfterMs, random })
  return next === null ? { status: 'failed', reason: 'attempts_exhausted' } : { status: 'pending', ...next }
}

/** Whether the receiver works and can take more: a `4xx` refuses one delivery, but `429` reports overload. */
export function isReceiverAlive({ response }: SendOutcome): boolean {
  return response !== null && response.status < 500 && response.status !== 429
}
