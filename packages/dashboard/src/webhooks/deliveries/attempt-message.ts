import type { Delivery } from '@spoor/contract/schemas/delivery'
import { formatUntil } from '../../lib/format-until.ts'
import { lastAnswerOf } from './delivery-words.ts'

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
