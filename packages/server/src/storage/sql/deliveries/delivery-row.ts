import { idFromBytes } from '../../../lib/ids/typeid.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { Attempt, AttemptErrorCode, FailureReason, FinishedAttempt } from '../../../ports/webhooks/delivery.ts'
import type { PlacedDelivery } from '../../../ports/webhooks/delivery-log.ts'
import { statusOf, typeOf } from './delivery-codes.ts'
import type { AttemptRow, DeliveryTables } from './delivery-tables.ts'

export interface ListedRow extends Pick<
  DeliveryTables['deliveries'],
  | 'place'
  | 'id'
  | 'type'
  | 'status'
  | 'reason'
  | 'created_at'
  | 'due_at'
  | 'attempts'
  | 'last_response_status'
  | 'last_error'
  | 'last_attempt_at'
  | 'finished_at'
> {
  readonly event_id: Uint8Array
  readonly project_id: Uint8Array
}

export function toDelivery(row: ListedRow, webhookId: WebhookId): PlacedDelivery {
  return {
    place: row.place,
    id: idFromBytes('dlv', row.id),
    webhookId,
    projectId: idFromBytes('proj', row.project_id),
    eventId: idFromBytes('evt', row.event_id),
    eventType: typeOf(row.type),
    status: statusOf(row.status),
    reason: row.reason as FailureReason | null,
    createdAt: row.created_at,
    attempts: row.attempts,
    lastResponseStatus: row.last_response_status,
    lastError: row.last_error as AttemptErrorCode | null,
    lastAttemptAt: row.last_attempt_at,
    nextAttemptAt: row.due_at,
    finishedAt: row.finished_at,
  }
}

export function toAttempt(row: AttemptRow, id: DeliveryId, box: SecretBox): Attempt {
  const { response_status: status, error_code: code } = row
  const open = (stored: string | null): string => box.openText(stored as string, id)
  return {
    number: row.number,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    url: open(row.url),
    requestHeaders: JSON.parse(row.request_headers) as Record<string, string>,
    response:
      status === null
        ? null
        : {
            status,
            headers: JSON.parse(open(row.response_headers)) as Record<string, string>,
            body: open(row.response_body),
            truncated: row.response_truncated === 1,
          },
    error: code === null ? null : { code: code as AttemptErrorCode, detail: row.error_detail as string },
  }
}

export function toAttemptRow(
  { place, attempts }: { readonly place: number; readonly attempts: number },
  { delivery, attempt, lease }: FinishedAttempt & { readonly lease: number },
  box: SecretBox,
): AttemptRow {
  const { response, error } = attempt
  const seal = (text: string): string => box.sealText(text, delivery.id)
  return {
    delivery: place,
    number: attempts + 1,
    lease,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    url: seal(attempt.url),
    request_headers: JSON.stringify(attempt.requestHeaders),
    response_status: response?.status ?? null,
    response_headers: response === null ? null : seal(JSON.stringify(response.headers)),
    response_body: response === null ? null : seal(response.body),
    response_truncated: response === null ? null : Number(response.truncated),
    error_code: error?.code ?? null,
    error_detail: error?.detail ?? null,
  }
}
