import type { Delivery } from '@spoor/contract/schemas/delivery'
import type { Tone } from '../../ui/badge.tsx'
import type { DeliveryStatus } from './search.ts'
import { formatUntil } from '../../lib/format-time.ts'

export const STATUS_LABELS: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'Pending',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

const TONES = { pending: 'info', succeeded: 'ok', failed: 'fail', cancelled: 'plain' } as const

/** A pending delivery with a failed attempt is shown as retrying. */
export function statusOf({ status, attempt_count, last_response_status, last_error }: StatusFields): {
  readonly tone: Tone
  readonly word: string
} {
  const isTried = attempt_count > 0 && (last_error !== null || !isSuccess(last_response_status))
  if (status === 'pending' && isTried) return { tone: 'warn', word: 'Retrying' }
  return { tone: TONES[status], word: STATUS_LABELS[status] }
}
type StatusFields = Pick<Delivery, 'status' | 'attempt_count' | 'last_response_status' | 'last_error'>

export function isSuccess(responseStatus: number | null): boolean {
  return responseStatus !== null && responseStatus >= 200 && responseStatus < 300
}

const ERROR_WORDS: Readonly<Record<NonNullable<Delivery['last_error']>, string>> = {
  address_refused: 'Address blocked',
  dns_failed: 'Host name not found',
  connection_refused: 'Connection refused',
  connection_failed: 'Connection lost',
  tls_failed: 'TLS failed',
  timeout: 'No response in time',
  bad_response: 'Invalid HTTP response',
  interrupted: 'Interrupted',
}

/**
 * The outcome of the last attempt: "200", "503", "No response in time", "200, then: Connection lost"; null before the
 * first.
 */
export function lastAnswerOf({ last_response_status: status, last_error: error }: StatusFields): string | null {
  if (error === null) return status === null ? null : String(status)
  return status === null ? ERROR_WORDS[error] : `${status}, then: ${ERROR_WORDS[error]}`
}

const REASON_WORDS: Readonly<Record<NonNullable<Delivery['reason']>, string>> = {
  attempts_exhausted: 'Stopped: all scheduled attempts failed.',
  expired: 'Stopped: no success within 24 hours.',
  gone: 'Stopped: the receiver responded with 410, which disables the webhook.',
  trace_deleted: 'Stopped: its trace was deleted.',
}

/** The outcome in a sentence; null if the status says everything. */
export function outcomeOf({ status, reason, event }: Pick<Delivery, 'status' | 'reason' | 'event'>): string | null {
  if (status === 'cancelled') return 'The webhook was deleted before delivery.'
  if (reason === null) return null
  return event === 'ping' && reason === 'attempts_exhausted' ? 'A ping is attempted once.' : REASON_WORDS[reason]
}

/** Duration of the decisive attempt in milliseconds; null if the list does not have it. */
export function lastDurationOf(delivery: Delivery): number | null {
  const { status, reason, last_attempt_at, finished_at } = delivery
  const decided = status === 'succeeded' || (status === 'failed' && reason !== 'expired' && reason !== 'trace_deleted')
  if (!decided || last_attempt_at === null || finished_at === null) return null
  return Math.max(0, Date.parse(finished_at) - Date.parse(last_attempt_at))
}

/** The outcome of an attempt that the reader requested. */
export function attemptMessage(
  delivery: Pick<Delivery, 'status' | 'attempt_count' | 'last_response_status' | 'last_error' | 'next_attempt_at'>,
  now: number,
): { readonly kind: 'ok' | 'fail'; readonly text: string } {
  const answer = lastAnswerOf(delivery)
  if (delivery.status === 'succeeded')
    return { kind: 'ok', text: `Delivered: the receiver responded with ${answer ?? ''}.` }
  const isAnswer = delivery.last_error === null && answer !== null
  const met = isAnswer ? `the receiver responded with ${answer}` : (answer ?? 'no response').toLowerCase()
  const next = delivery.next_attempt_at
  const then = next === null ? '' : ` Next attempt ${formatUntil(Date.parse(next), now)}.`
  return { kind: 'fail', text: `The attempt failed: ${met}.${then}` }
}
