import type { Delivery } from '@spoor/contract/schemas/delivery'

/** The nth delivery of a webhook, created in the nth second, and delivered at once by default. */
export function deliveryAt(n: number, fields: Partial<Delivery> = {}): Delivery {
  const at = new Date(n * 1000).toISOString()
  return {
    id: `dlv_${n}`,
    webhook_id: 'wh_1',
    event_id: `evt_${n}`,
    event: 'trace.committed',
    status: 'succeeded',
    reason: null,
    attempt_count: 1,
    last_response_status: 200,
    last_error: null,
    last_attempt_at: at,
    next_attempt_at: null,
    created_at: at,
    finished_at: new Date(n * 1000 + 40).toISOString(),
    ...fields,
  }
}

export const RETRYING = { status: 'pending', last_response_status: 503, finished_at: null } as const
export const WAITING = { ...RETRYING, attempt_count: 0, last_response_status: null, last_attempt_at: null } as const
