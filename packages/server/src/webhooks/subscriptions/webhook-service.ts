import type { DeliveryId, ProjectId, WebhookId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { listPage, readPage } from '../../lib/list-page.ts'
import { changeWebhook, type ChangeWebhookDependencies } from './change-webhook.ts'
import { checkWebhook, requireKey } from './check-webhook.ts'
import { createWebhook, type CreateWebhookDependencies } from './create-webhook.ts'
import type { DeliveryLog } from '../../ports/webhooks/delivery-log.ts'
import type { Delivery } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import { pingWebhook, type PingWebhookDependencies } from './ping-webhook.ts'
import { redeliverFailed, type RedeliverFailedDependencies } from './redeliver-failed.ts'
import { removeWebhook, type RemoveWebhookDependencies } from './remove-webhook.ts'
import { newSigningSecret } from '../signing/signing-secret.ts'
import type { WebhookUseCases } from './use-cases.ts'
import type { WebhookStore } from '../../ports/webhooks/webhook-store.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

export interface WebhookServiceDependencies
  extends
    CreateWebhookDependencies,
    ChangeWebhookDependencies,
    RemoveWebhookDependencies,
    PingWebhookDependencies,
    RedeliverFailedDependencies {
  readonly store: WebhookStore
  readonly queue: Pick<DeliveryQueue, 'cancel' | 'forgetFailures'>
  readonly log: Pick<DeliveryLog, 'list' | 'find' | 'redeliver' | 'redeliverFailed'>
  /**
   * Called when deliveries of a webhook may have become due: many were redelivered, or it was enabled or its URL
   * changed.
   */
  readonly onDue: (id: WebhookId) => void
  /** Called for a delivery that a client wants attempted now: a ping or a redelivery. */
  readonly onUrgent: (id: WebhookId, deliveryId: DeliveryId) => void
  /** Until when no delivery of the webhook is sent on schedule, milliseconds; null if none are held back. */
  readonly heldUntil: (id: WebhookId) => number | null
}

/** How long the previous secret signs too. */
const OVERLAP_MS = 24 * 3_600_000

/** Implements the use cases of webhooks. */
export function createWebhookService(dependencies: WebhookServiceDependencies): WebhookUseCases {
  const { store, log, clock, onDue, onUrgent } = dependencies
  const asOfNow = (webhook: Webhook): Webhook => {
    const { previousSecretUntil: until } = webhook
    return until === null || until > clock.now() ? webhook : { ...webhook, previousSecretUntil: null }
  }
  const found = (webhook: Webhook | undefined): Webhook => {
    if (webhook === undefined) throw new DomainError('not_found', 'There is no such webhook.')
    return asOfNow(webhook)
  }
  const find = async (projectId: ProjectId, id: WebhookId) => found(await store.findOf(projectId, id))
  const findEnabled = async (projectId: ProjectId, id: WebhookId) => {
    const webhook = await find(projectId, id)
    if (webhook.enabled) return webhook
    throw new DomainError('webhook_disabled', 'The webhook is disabled: enable it, then send again.')
  }
  /** With the time of the next attempt in place of the due time. */
  const asSent = <D extends Delivery>(delivery: D, { enabled }: Webhook): D => {
    if (delivery.status !== 'pending' || delivery.nextAttemptAt === null) return delivery
    if (!enabled) return { ...delivery, nextAttemptAt: null }
    const held = dependencies.heldUntil(delivery.webhookId) ?? 0
    return { ...delivery, nextAttemptAt: Math.max(delivery.nextAttemptAt, held, clock.now()) }
  }
  return {
    create: (projectId, draft) => createWebhook(dependencies, projectId, draft),
    async list(projectId, { cursor, limit }) {
      const page = await listPage('wh', cursor, limit, (after, most) => store.listOf(projectId, after, most))
      return { ...page, items: page.items.map(asOfNow) }
    },
    find,
    async change(projectId, id, change) {
      const after = found(await changeWebhook(dependencies, await find(projectId, id), change))
      onDue(id)
      return after
    },
    async remove(projectId, id) {
      if (!(await removeWebhook(dependencies, { projectId, id }))) found(undefined)
    },
    async rotateSecret(projectId, id, given) {
      const { format } = await find(projectId, id)
      requireKey(format, given)
      checkWebhook({ secret: given }, dependencies.refuseAddress)
      const secret = given ?? newSigningSecret(dependencies.randomBytes)
      const now = clock.now()
      const webhook = found(await store.rotate(projectId, id, { secret, now, previousUntil: now + OVERLAP_MS }))
      return { webhook, secret: given === null ? secret : null }
    },
    async ping(projectId, id) {
      const delivery = foundDelivery(await pingWebhook(dependencies, await findEnabled(projectId, id)))
      onUrgent(id, delivery.id)
      return delivery
    },
    async deliveries(projectId, id, { limit, cursor, ...filters }) {
      const webhook = await find(projectId, id)
      const page = await readPage(
        { limit, cursor },
        (text) => (/^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
        (after, most) => log.list({ ...filters, webhookId: id, after, limit: most }),
        ({ place }) => place,
      )
      return { ...page, items: page.items.map((delivery) => asSent(delivery, webhook)) }
    },
    async findDelivery(projectId, id, deliveryId) {
      const webhook = await find(projectId, id)
      return asSent(foundDelivery(await log.find(id, deliveryId)), webhook)
    },
    async redeliver(projectId, id, deliveryId) {
      await findEnabled(projectId, id)
      const delivery = foundDelivery(await log.redeliver(id, deliveryId, clock.now()))
      onUrgent(id, deliveryId)
      return delivery
    },
    redeliverFailed: (projectId, id, since) => redeliverFailed(dependencies, () => findEnabled(projectId, id), since),
  }
}

function foundDelivery<T>(delivery: T | undefined): T {
  if (delivery === undefined) throw new DomainError('not_found', 'There is no such delivery.')
  return delivery
}
