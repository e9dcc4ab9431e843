import type {
  DeliveryAttempt,
  DeliveryDetail as DeliveryDetailBody,
  Delivery as DeliveryBody,
} from '@spoor/contract/schemas/delivery'
import type { DeliveryDetail } from '../ports/webhooks/delivery-log.ts'
import type { Attempt, Delivery } from '../ports/webhooks/delivery.ts'
import { toWireTime, toWireTimeOrNull } from './to-wire.ts'
import { shownAttempt } from './webhook-secrecy.ts'

export function toDeliveryBody(delivery: Delivery): DeliveryBody {
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    event: delivery.eventType,
    status: delivery.status,
    reason: delivery.reason,
    attempt_count: delivery.attempts,
    last_response_status: delivery.lastResponseStatus,
    last_error: delivery.lastError,
    last_attempt_at: toWireTimeOrNull(delivery.lastAttemptAt),
    next_attempt_at: toWireTimeOrNull(delivery.nextAttemptAt),
    created_at: toWireTime(delivery.createdAt),
    finished_at: toWireTimeOrNull(delivery.finishedAt),
  }
}

/** @param seesSecrets see `webhook-secrecy.ts` */
export function toDeliveryDetail(delivery: DeliveryDetail, seesSecrets: boolean): DeliveryDetailBody {
  const attempts = delivery.attemptList.map((attempt) => toAttempt(shownAttempt(attempt, seesSecrets)))
  return { ...toDeliveryBody(delivery), body: delivery.body, attempts }
}

function toAttempt(attempt: Attempt): DeliveryAttempt {
  const { number, startedAt, durationMs, url, requestHeaders, response, error } = attempt
  return {
    number,
    started_at: toWireTime(startedAt),
    duration_ms: Math.round(durationMs),
    request: { url, headers: { ...requestHeaders } },
    response: response === null ? null : { ...response, headers: { ...response.headers } },
    error: error === null ? null : { ...error },
  }
}
