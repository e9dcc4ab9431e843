import type { DeliveryId, ProjectId, WebhookId } from '@spoor/contract/ids'
import type { Page, PageRequest } from '../../lib/list-page.ts'
import type { DeliveryDetail, DeliveryQuery } from '../../ports/webhooks/delivery-log.ts'
import type { Delivery } from '../../ports/webhooks/delivery.ts'
import type { WebhookChange, WebhookDraft } from './webhook-draft.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

/** `secret`: the secret that the service generated, shown only now; null if the client supplied one. */
export interface ShownOnce {
  readonly webhook: Webhook
  readonly secret: string | null
}

type DeliveryPageRequest = PageRequest & Pick<DeliveryQuery, 'eventType' | 'status' | 'startTime' | 'endTime'>

/**
 * Operations of clients on webhooks and their deliveries. A webhook of another project does not exist: DomainError
 * `not_found`. Every method can throw `storage_unavailable`, writing ones also `disk_full`.
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
  /**
   * `secret` null: the service generates one. The previous secret signs too for 24 hours. Throws `validation_failed`.
   */
  rotateSecret(projectId: ProjectId, id: WebhookId, secret: string | null): Promise<ShownOnce>
  /** Returns the new delivery. Throws `webhook_disabled`. */
  ping(projectId: ProjectId, id: WebhookId): Promise<Delivery>
  /** Newest first. Throws `invalid_cursor`. */
  deliveries(projectId: ProjectId, id: WebhookId, request: DeliveryPageRequest): Promise<Page<Delivery>>
  findDelivery(projectId: ProjectId, id: WebhookId, deliveryId: DeliveryId): Promise<DeliveryDetail>
  /** Throws `webhook_disabled`. */
  redeliver(projectId: ProjectId, id: WebhookId, deliveryId: DeliveryId): Promise<Delivery>
  /** Redelivers those created at or after `since` (milliseconds); returns how many. Throws `webhook_disabled`. */
  redeliverFailed(projectId: ProjectId, id: WebhookId, since: number): Promise<number>
}
