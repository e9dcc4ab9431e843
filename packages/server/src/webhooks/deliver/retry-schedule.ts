import type { DeliverySchedule } from '../../ports/webhooks/delivery.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** From the end of a failed attempt to the next. 23 hours and 43 minutes in all. */
export const RETRY_WAITS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  10 * HOUR,
]
/** Nothing starts later than this after the first attempt failed. */
export const SCHEDULE_MS = 24 * HOUR
/** The least between two attempts of a delivery, and how long before its end a schedule may begin its last one. */
const LEAST_WAIT_MS = SECOND

export interface NextAttempt {
  readonly nextAttemptAt: number
  readonly schedule: DeliverySchedule
}

/** Whether no attempt of this schedule has ended yet. */
export function isUntried({ step, stepDueAt }: DeliverySchedule): boolean {
  return step === 0 && stepDueAt === null
}

/**
 * The times of a pending delivery as they may be at `now` at the latest: due when the longest wait of its step ends that begins now, a first attempt at once, and on a schedule that has started. Times
 * beyond these were set by a clock that was ahead. Null when its times may be as they are.
 */
export function correctedTimes({ nextAttemptAt, schedule }: NextAttempt, now: number): NextAttempt | null {
  const { startedAt, step, stepDueAt } = schedule
  const latest = isUntried(schedule) ? now : now + (RETRY_WAITS_MS[stepDueAt === null ? step - 1 : step] ?? 0)
  if (nextAttemptAt <= latest && startedAt <= now && (stepDueAt ?? 0) <= latest) return null
  return {
    nextAttemptAt: Math.min(nextAttemptAt, latest),
    schedule: {
      startedAt: Math.min(startedAt, now),
      step,
      stepDueAt: stepDueAt === null ? null : Math.min(stepDueAt, latest),
    },
  }
}

/**
 * When a delivery is attempted again whose attempt has just failed; null when its schedule is used up. Each wait is 0.9 to 1.0 of its step. `Retry-After` is honoured within the step: a longer wait is granted up
 * to the whole of it; for a shorter one, one early attempt is made, behind which the step goes on to its own end. So a receiver that always asks for a second uses no step up any faster.
 *
 * @param now end of the failed attempt, milliseconds
 * @param retryAfterMs from `now`; null when the receiver asked for nothing
 * @param random in [0, 1)
 */
export function nextAttempt(past: {
  readonly schedule: DeliverySchedule
  readonly now: number
  readonly retryAfterMs: number | null
  readonly random: number
}): NextAttempt | null {
  const { schedule, now, retryAfterMs, random } = past
  const { step, stepDueAt } = schedule
  // The day begins with the first failure: before it the receiver may have been left alone, or the service was down.
  const startedAt = isUntried(schedule) ? now : Math.min(schedule.startedAt, now)
  const stepMs = RETRY_WAITS_MS[step]
  const last = startedAt + SCHEDULE_MS - LEAST_WAIT_MS
  if (stepMs === undefined || now + LEAST_WAIT_MS > last) return null
  const at = (time: number) => Math.round(Math.min(Math.max(time, now + LEAST_WAIT_MS), last))
  const used = { startedAt, step: step + 1, stepDueAt: null }
  // The early attempt of this step has failed too.
  if (stepDueAt !== null) return { nextAttemptAt: at(stepDueAt), schedule: used }
  const waitMs = stepMs * (0.9 + 0.1 * random)
  if (retryAfterMs === null) return { nextAttemptAt: at(now + waitMs), schedule: used }
  if (retryAfterMs >= waitMs) return { nextAttemptAt: at(now + Math.min(retryAfterMs, stepMs)), schedule: used }
  return { nextAttemptAt: at(now + retryAfterMs), schedule: { startedAt, step, stepDueAt: at(now + waitMs) } }
}
