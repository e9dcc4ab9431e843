import type { WebhookId, DeliveryId, EventId, ProjectId } from '@spoor/contract/ids'
import type { WebhookEvents } from '@spoor/contract/schemas/webhook-event'
import type { Clock } from '../../lib/time/clock.ts'
import type { DeliveryLog } from '../../ports/webhooks/delivery-log.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'
import type { DeliveryIntake } from '../../ports/webhooks/delivery-intake.ts'
import type { Delivery } from '../../ports/webhooks/delivery.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { listPage, readPage } from '../../lib/list-page.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import { newSigningSecret } from '../signing/signing-secret.ts'
import type { WebhookStore } from '../../ports/webhooks/webhook-store.ts'
import { changeWebhook, type ChangeWebhookDependencies } from './change-webhook.ts'
import { checkWebhook, requireKey } from './check-webhook.ts'
import { createWebhook, type CreateWebhookDependencies } from './create-webhook.ts'
import { removeWebhook, type RemoveWebhookDependencies } from './remove-webhook.ts'
import type { WebhookUseCases } from './use-cases.ts'

/** Deliveries made due before yielding to other work: a few milliseconds. */
const BATCH = 500

export interface WebhookServiceDependencies
  extends CreateWebhookDependencies, ChangeWebhookDependencies, RemoveWebhookDependencies {
  readonly store: WebhookStore
  readonly queue: Pick<DeliveryQueue, 'cancel' | 'forgetFailures'>
  readonly log: Pick<DeliveryLog, 'list' | 'find' | 'redeliver' | 'redeliverFailed'>
  readonly intake: Pick<DeliveryIntake, 'add'>
  readonly clock: Clock
  readonly newEventId: () => EventId
  readonly newDeliveryId: () => DeliveryId
  readonly pause: () => Promise<void>
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

/** Undefined if the webhook was deleted meanwhile. */
async function pingWebhook(
  { intake, log, clock, newEventId, newDeliveryId }: WebhookServiceDependencies,
  { id: webhookId, projectId }: Webhook,
): Promise<Delivery | undefined> {
  const [id, deliveryId, createdAt] = [newEventId(), newDeliveryId(), clock.now()]
  const timestamp = new Date(createdAt).toISOString()
  // The stored body is sent unchanged, so it has the wire's names.
  const data = { webhook_id: webhookId }
  const body: WebhookEvents['ping'] = { id, type: 'ping', timestamp, project_id: projectId, data }
  const bytes = Buffer.from(JSON.stringify(body))
  const deliveries = [{ id: deliveryId, webhookId }]
  await intake.add(
    [{ id, projectId, contentOf: null, type: body.type, createdAt, dueAt: createdAt, body: bytes, deliveries }],
    null,
  )
  return log.find(webhookId, deliveryId)
}

/** Returns how many were made due again. `find` throws if the webhook no longer accepts deliveries. */
async function redeliverFailed(
  { log, clock, pause, onDue }: WebhookServiceDependencies,
  find: () => Promise<Webhook>,
  since: number,
): Promise<number> {
  let count = 0
  let after: number | null = null
  for (;;) {
    const { id } = await find()
    const step = await log.redeliverFailed(id, since, clock.now(), after, BATCH)
    count += step.count
    after = step.after
    if (step.count > 0) onDue(id)
    if (after === null) return count
    await pause()
  }
}
