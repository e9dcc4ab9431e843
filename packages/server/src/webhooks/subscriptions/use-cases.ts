import type { DeliveredEventType } from '@spoor/contract/events'
import type { DeliveryId, ProjectId, WebhookId } from '@spoor/contract/ids'
import type { Page, PageRequest } from '../../lib/list-page.ts'
import type { DeliveryDetail } from '../../ports/webhooks/delivery-log.ts'
import type { Delivery, DeliveryStatus } from '../../ports/webhooks/delivery.ts'
import type { WebhookChange, WebhookDraft } from './webhook-draft.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

/** `secret` is the one that the service made just now, to be shown this once; null when the client brought its own. */
export interface ShownOnce {
  readonly webhook: Webhook
  readonly secret: string | null
}

interface DeliveryPageRequest extends PageRequest {
  /** Null: all. */
  readonly eventType: DeliveredEventType | null
  readonly status: DeliveryStatus | null
  /** Bounds on when its event happened, milliseconds; start inclusive, end exclusive; null: open. */
  readonly startTime: number | null
  readonly endTime: number | null
}

/**
 * What a client may do with webhooks and their deliveries. Every method answers a webhook of another project exactly as one that does not exist: DomainError `not_found`. Any can throw
 * `storage_unavailable`, those that write `disk_full`.
 */
export interface WebhookUseCases {
  /** Throws `validation_failed`. */
  create(projectId: ProjectId, draft: WebhookDraft): Promise<ShownOnce>
  list(projectId: ProjectId, page: PageRequest): Promise<Page<Webhook>>
  find(projectId: ProjectId, id: WebhookId): Promise<Webhook>
  /** Throws `validation_failed`. */
  change(projectId: ProjectId, id: WebhookId, change: WebhookChange): Promise<Webhook>
  /** Its pending deliveries are cancelled. */
  remove(projectId: ProjectId, id: WebhookId): Promise<void>
  /** `secret` null: the service makes one. The secret so far signs too for 24 hours. Throws `validation_failed`. */
  rotateSecret(projectId: ProjectId, id: WebhookId, secret: string | null): Promise<ShownOnce>
  /** The delivery on its way. Throws `webhook_disabled`. */
  ping(projectId: ProjectId, id: WebhookId): Promise<Delivery>
  /** Newest first. Throws `invalid_cursor`. */
  deliveries(projectId: ProjectId, id: WebhookId, request: DeliveryPageRequest): Promise<Page<Delivery>>
  findDelivery(projectId: ProjectId, id: WebhookId, deliveryId: DeliveryId): Promise<DeliveryDetail>
  /** Throws `webhook_disabled`. */
  redeliver(projectId: ProjectId, id: WebhookId, deliveryId: DeliveryId): Promise<Delivery>
  /** Those created at or after `since` (milliseconds); returns how many. Throws `webhook_disabled`. */
  redeliverFailed(projectId: ProjectId, id: WebhookId, since: number): Promise<number>
}
