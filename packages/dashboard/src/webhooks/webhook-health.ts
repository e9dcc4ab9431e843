import type { Delivery } from '@spoor/contract/schemas/delivery'
import type { Webhook } from '@spoor/contract/schemas/webhook'
import type { Tone } from '../ui/badge.tsx'
import { statusOf } from './deliveries/delivery-words.ts'

export type Outcome = 'succeeded' | 'failed' | 'retrying' | 'pending' | 'cancelled'

export interface WebhookHealth {
  readonly tone: Tone
  readonly word: string
  /** The reason in a sentence. */
  readonly detail: string
}

export function outcomeOfDelivery(delivery: Delivery): Outcome {
  if (delivery.status !== 'pending') return delivery.status
  return statusOf(delivery).tone === 'warn' ? 'retrying' : 'pending'
}

export function countOutcomes(deliveries: readonly Delivery[]): Readonly<Record<Outcome, number>> {
  const counts = { succeeded: 0, failed: 0, retrying: 0, pending: 0, cancelled: 0 }
  for (const delivery of deliveries) counts[outcomeOfDelivery(delivery)] += 1
  return counts
}

const DISABLED: Readonly<Record<NonNullable<Webhook['disabled_reason']>, WebhookHealth>> = {
  by_request: { tone: 'plain', word: 'Disabled', detail: 'Disabled by request. It gets no events.' },
  gone: {
    tone: 'fail',
    word: 'Disabled',
    detail: 'The receiver responded with 410 (gone), so it gets no more events.',
  },
  no_success: {
    tone: 'fail',
    word: 'Disabled',
    detail: 'No delivery succeeded for 5 days, so it gets no more events.',
  },
}

const HELD_BACK: WebhookHealth = {
  tone: 'fail',
  word: 'Failing',
  detail: 'Paused after repeated failures. One delivery a minute probes the receiver.',
}

/** A webhook is failing after this many consecutive failures, or if every attempted delivery failed. */
const FAILURES_IN_A_ROW = 3

/** A first attempt is due at once. One that is due this long after its event is held back by the service. */
const HELD_BACK_MS = 60_000

/** A webhook's health from its newest deliveries, undefined while they are loading. */
export function healthOf(
  { enabled, disabled_reason }: Pick<Webhook, 'enabled' | 'disabled_reason'>,
  recent: readonly Delivery[] | undefined,
): WebhookHealth {
  if (!enabled) return DISABLED[disabled_reason ?? 'by_request']
  const isHeldBack = (recent ?? []).some(
    ({ attempt_count, next_attempt_at, created_at }) =>
      attempt_count === 0 &&
      next_attempt_at !== null &&
      Date.parse(next_attempt_at) - Date.parse(created_at) > HELD_BACK_MS,
  )
  if (isHeldBack) return HELD_BACK
  const tried = (recent ?? [])
    .filter(({ attempt_count, status }) => attempt_count > 0 && status !== 'cancelled')
    .sort((one, other) => (other.last_attempt_at ?? '').localeCompare(one.last_attempt_at ?? ''))
  if (tried.length === 0) return { tone: 'info', word: 'Enabled', detail: 'No deliveries attempted yet.' }
  const sinceSuccess = tried.findIndex(({ status }) => status === 'succeeded')
  if (sinceSuccess === -1 || sinceSuccess >= FAILURES_IN_A_ROW) {
    const count = sinceSuccess === -1 ? tried.length : sinceSuccess
    const them = count === 1 ? 'The last delivery' : `The last ${count} deliveries`
    return { tone: 'fail', word: 'Failing', detail: `${them} did not succeed.` }
  }
  const failures = tried.filter(({ status }) => status !== 'succeeded').length
  if (failures === 0) return { tone: 'ok', word: 'Delivering', detail: 'All recent deliveries succeeded.' }
  return { tone: 'warn', word: 'Some fail', detail: `${failures} of the last ${tried.length} did not succeed.` }
}

/** The time of the latest success among these. */
export function lastSuccessAmong(recent: readonly Delivery[]): string | null {
  const times = recent.flatMap(({ status, finished_at }) => (status === 'succeeded' ? (finished_at ?? []) : []))
  return times.reduce<string | null>((latest, time) => (latest === null || time > latest ? time : latest), null)
}
