import type { DeliveryId, EventId, ProjectId, WebhookId } from '@spoor/contract/ids'
import { DEFAULT_LIMITS, type Limits } from '@spoor/contract/limits'
import { createIdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { MemoryWebhooks } from '../../ports/webhooks/memory-webhooks.test-support.ts'
import type { NewEvent } from '../../ports/webhooks/delivery-intake.ts'
import type { Attempt } from '../../ports/webhooks/delivery.ts'
import { toDue } from '../../ports/webhooks/memory-delivery-queue.test-support.ts'
import { MemoryDeliveryStore } from '../../ports/webhooks/memory-delivery-store.test-support.ts'
import type { WebhookUseCases } from './use-cases.ts'
import type { WebhookDraft } from './webhook-draft.ts'
import { createWebhookService } from './webhook-service.ts'

/** A Tuesday at noon. */
export const NOON = Date.UTC(2026, 2, 3, 12)

export const DRAFT: WebhookDraft = {
  url: 'https://example.com/hook',
  events: ['trace.committed'],
  format: 'json',
  description: '',
  enabled: true,
  secret: 'a secret of sixteen',
}

/** Webhooks and deliveries in memory, under manual time. */
export class WebhookWorld {
  readonly store = new MemoryWebhooks()
  readonly deliveries = new MemoryDeliveryStore()
  readonly useCases: WebhookUseCases
  readonly errors: string[] = []
  now = NOON
  /** The journal's head position. */
  head = 0
  /** How often the sender was notified of possibly due deliveries. */
  wakes = 0
  pauses = 0
  /** The webhook of each `forgetFailures` call. */
  readonly forgotten: WebhookId[] = []
  /** Deliveries reported to the sender as urgent. */
  readonly urgent: DeliveryId[] = []
  heldUntil: number | null = null
  readonly #ids = createIdGenerator({ now: () => this.now }, systemRandomBytes)

  constructor(limits: Limits = DEFAULT_LIMITS) {
    this.useCases = createWebhookService({
      store: this.store,
      queue: {
        cancel: (id, now, limit) => this.deliveries.queue.cancel(id, now, limit),
        forgetFailures: (id) => {
          this.forgotten.push(id)
          return this.deliveries.queue.forgetFailures(id)
        },
      },
      log: this.deliveries.log,
      intake: this.deliveries.intake,
      clock: { now: () => this.now },
      newId: () => this.#ids.newId('wh'),
      newEventId: () => this.#ids.newId('evt'),
      newDeliveryId: () => this.#ids.newId('dlv'),
      randomBytes: systemRandomBytes,
      headPosition: () => this.head,
      refuseAddress: ({ hostname }) => (hostname === '127.0.0.1' ? '127.0.0.1 is a loopback address.' : null),
      limits,
      pause: async () => void this.pauses++,
      onDue: () => void this.wakes++,
      onUrgent: (_id, deliveryId) => void this.urgent.push(deliveryId),
      heldUntil: () => this.heldUntil,
      onError: (_error, message) => void this.errors.push(message),
    })
  }

  /** Adds an event for the webhook as the dispatcher would. */
  dispatch(projectId: ProjectId, webhookId: WebhookId, type: NewEvent['type'] = 'trace.committed'): DeliveryId {
    const { now } = this
    const id: EventId = this.#ids.newId('evt')
    const deliveryId: DeliveryId = this.#ids.newId('dlv')
    const body = Buffer.from(JSON.stringify({ id, type }))
    const deliveries = [{ id: deliveryId, webhookId }]
    this.deliveries.state.add([{ id, projectId, contentOf: null, type, createdAt: now, dueAt: now, body, deliveries }])
    return deliveryId
  }

  /** Ends a delivery with one attempt and this response status; null: the connection was refused. */
  end(id: DeliveryId, status: number | null): void {
    const headers = { server: 'x', ...(status === 302 && { location: DRAFT.url }) }
    const response = status === null ? null : { status, headers, body: 'seen', truncated: false }
    const attempt: Attempt = {
      number: 1,
      startedAt: this.now,
      durationMs: 12.5,
      url: DRAFT.url,
      requestHeaders: { 'webhook-id': 'evt_x', 'webhook-signature': 'v1,c2VjcmV0', 'x-service-signature': 'sha256=ab' },
      response,
      error: status === null ? { code: 'connection_refused', detail: 'Nobody listens there.' } : null,
    }
    const delivery = this.deliveries.state.deliveries.get(id)
    if (delivery === undefined) throw new Error(`no delivery ${id}`)
    const succeeded = status !== null && status >= 200 && status < 300
    const after = succeeded
      ? ({ status: 'succeeded' } as const)
      : ({ status: 'failed', reason: 'attempts_exhausted' } as const)
    void this.deliveries.queue.finish([{ delivery: toDue(delivery), attempt, after }])
  }
}
