import type { ProjectId, WebhookId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import { listPage, readPage } from '../lib/list-page.ts'
import { changeWebhook, type ChangeWebhookDependencies } from './change-webhook.ts'
import { checkWebhook } from './check-webhook.ts'
import { createWebhook, type CreateWebhookDependencies } from './create-webhook.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import { pingWebhook, type PingWebhookDependencies } from './ping-webhook.ts'
import { redeliverFailed, type RedeliverFailedDependencies } from './redeliver-failed.ts'
import { removeWebhook, type RemoveWebhookDependencies } from './remove-webhook.ts'
import { newSigningSecret } from './signing-secret.ts'
import type { WebhookUseCases } from './use-cases.ts'
import type { WebhookStore } from './webhook-store.ts'
import type { Webhook } from './webhook.ts'

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
  /** Called when deliveries of a webhook may be due that were not before: of a ping, a redelivery, a webhook enabled or moved. */
  readonly onDue: (id: WebhookId) => void
}

/** How long the secret before signs too. */
const OVERLAP_MS = 24 * 3_600_000

/** Everything that clients may do with webhooks, put together. */
export function createWebhookService(dependencies: WebhookServiceDependencies): WebhookUseCases {
  const { store, log, clock, onDue } = dependencies
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
      await find(projectId, id)
      checkWebhook({ secret: given }, dependencies.refuseAddress)
      const secret = given ?? newSigningSecret(dependencies.randomBytes)
      const now = clock.now()
      const webhook = found(await store.rotate(projectId, id, { secret, now, previousUntil: now + OVERLAP_MS }))
      return { webhook, secret: given === null ? secret : null }
    },
    async ping(projectId, id) {
      const delivery = foundDelivery(pingWebhook(dependencies, await findEnabled(projectId, id)))
      onDue(id)
      return delivery
    },
    async deliveries(projectId, id, { limit, cursor, ...filters }) {
      await find(projectId, id)
      return readPage(
        { limit, cursor },
        (text) => (/^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
        async (behind, most) => log.list({ ...filters, webhookId: id, behind, limit: most }),
        ({ place }) => place,
      )
    },
    async findDelivery(projectId, id, deliveryId) {
      await find(projectId, id)
      return foundDelivery(log.find(id, deliveryId))
    },
    async redeliver(projectId, id, deliveryId) {
      await findEnabled(projectId, id)
      const delivery = foundDelivery(log.redeliver(id, deliveryId, clock.now()))
      onDue(id)
      return delivery
    },
    redeliverFailed: (projectId, id, since) => redeliverFailed(dependencies, () => findEnabled(projectId, id), since),
  }
}

function foundDelivery<T>(delivery: T | undefined): T {
  if (delivery === undefined) throw new DomainError('not_found', 'There is no such delivery.')
  return delivery
}
