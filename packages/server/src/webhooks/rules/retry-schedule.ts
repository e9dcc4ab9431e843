import type { DeliverySchedule } from '../../ports/webhooks/delivery.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** From the end of a failed attempt to the next; 23 hours and 43 minutes in total. */
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
/** No attempt starts later than this after the first failure. */
export const SCHEDULE_MS = 24 * HOUR
/** The least time between two attempts, and between the last one and the end of the schedule. */
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
 * Corrects times of a pending delivery that were set by a clock that was ahead. At `now` it can be due at most the
 * longest wait of its step later, at once before its first attempt, and its schedule has started. Null if nothing
 * changes.
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
 * The next attempt after a failed one; null at the end of the schedule. Each wait is 0.9 to 1.0 of its step.
 * `Retry-After` is respected within the step: a longer wait is limited to the step, a shorter one causes one early
 * attempt, after which the step continues to its end. So `Retry-After: 1` does not use up steps faster.
 *
 * @param now end of the failed attempt, milliseconds
 * @param retryAfterMs from `now`; null without `Retry-After`
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
  // The day begins with the first failure: a back-off or a stopped service may have delayed the first attempt.
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
