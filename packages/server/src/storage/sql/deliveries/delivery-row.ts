import { idFromBytes } from '../../../lib/ids/typeid.ts'
import type { WebhookId } from '@spoor/contract/ids'
import type { Attempt, AttemptErrorCode, FailureReason } from '../../../ports/webhooks/delivery.ts'
import type { PlacedDelivery } from '../../../ports/webhooks/delivery-log.ts'
import { statusOf, typeOf } from './delivery-codes.ts'

type Row = Readonly<Record<string, unknown>>

export function toDelivery(row: Row, webhookId: WebhookId): PlacedDelivery {
  return {
    place: row['place'] as number,
    id: idFromBytes('dlv', row['id'] as Uint8Array),
    webhookId,
    projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
    eventId: idFromBytes('evt', row['event_id'] as Uint8Array),
    eventType: typeOf(row['type'] as number),
    status: statusOf(row['status'] as number),
    reason: row['reason'] as FailureReason | null,
    createdAt: row['created_at'] as number,
    attempts: row['attempts'] as number,
    lastResponseStatus: row['last_response_status'] as number | null,
    lastError: row['last_error'] as AttemptErrorCode | null,
    lastAttemptAt: row['last_attempt_at'] as number | null,
    nextAttemptAt: row['due_at'] as number | null,
    finishedAt: row['finished_at'] as number | null,
  }
}

export function toAttempt(row: Row): Attempt {
  const [status, code] = [row['response_status'], row['error_code']]
  return {
    number: row['number'] as number,
    startedAt: row['started_at'] as number,
    durationMs: row['duration_ms'] as number,
    url: row['url'] as string,
    requestHeaders: JSON.parse(row['request_headers'] as string) as Record<string, string>,
    response:
      status === null
        ? null
        : {
            status: status as number,
            headers: JSON.parse(row['response_headers'] as string) as Record<string, string>,
            body: row['response_body'] as string,
            truncated: row['response_truncated'] === 1,
          },
    error: code === null ? null : { code: code as AttemptErrorCode, detail: row['error_detail'] as string },
  }
}
