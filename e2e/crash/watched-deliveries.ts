import { eventually } from '../lib/eventually.ts'
import type { Client } from '../lib/client.ts'
import type { Received } from '../webhooks/received.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'
import type { Ledger } from './ledger.ts'

const SECRET = 'a secret of nobody else'

/** A webhook for new traces and metric events, and a receiver that outlives the service. */
export class WatchedDeliveries implements AsyncDisposable {
  /** The settings with which the service can deliver to it. */
  static readonly environment = { SPOOR_WEBHOOK_ALLOW: '127.0.0.1' }
  /** `client` is that of the running process. */
  readonly #service: { readonly client: Client }
  readonly #receiver: Receiver
  #webhook: { readonly subscriptions: Subscriptions; readonly id: string } | null = null

  private constructor(service: { readonly client: Client }, receiver: Receiver) {
    this.#service = service
    this.#receiver = receiver
  }

  static async start(service: { readonly client: Client }): Promise<WatchedDeliveries> {
    return new WatchedDeliveries(service, await Receiver.start(SECRET))
  }

  /** Call it for each process of the service before anything is sent. Only the first call changes something. */
  async subscribe(): Promise<void> {
    if (this.#webhook !== null) return
    const subscriptions = await Subscriptions.of(() => this.#service.client)
    const events = ['trace.committed', 'metric.event']
    const id = await subscriptions.create({ url: this.#receiver.url, events, secret: SECRET })
    this.#webhook = { subscriptions, id }
  }

  /**
   * Waits until nothing is left to deliver. Each acknowledged trace and metric event must have arrived under one id
   * with one body.
   */
  async verify(ledger: Ledger): Promise<void> {
    await eventually('everything is delivered', () => this.#isIdle())
    const received = this.#receiver.received()
    for (const { eventId, problem } of received)
      if (problem !== null) ledger.violate(`webhook: ${eventId} came with a wrong ${problem}`)
    const byEvent = Map.groupBy(received, ({ eventId }) => eventId)
    for (const [eventId, all] of byEvent) {
      if (new Set(all.map(({ bodyHash }) => bodyHash)).size > 1)
        ledger.violate(`webhook: ${eventId} came with different bodies`)
    }
    const subjectOf = ({ type, data }: Received) =>
      (data[type === 'metric.event' ? 'event' : 'trace'] as { id: string }).id
    for (const [id, all] of Map.groupBy(received, subjectOf)) {
      const events = new Set(all.map(({ eventId }) => eventId))
      if (events.size > 1) ledger.violate(`webhook: ${id} came as ${events.size} events`)
    }
    const arrived = new Set(received.map(subjectOf))
    for (const { name, id, deletion } of ledger.traces.values()) {
      if (id !== null && deletion === 'none' && !arrived.has(id)) ledger.violate(`webhook: ${name} ${id} never came`)
    }
    for (const { comment, id, trace } of ledger.events) {
      if (id !== null && trace.deletion === 'none' && !arrived.has(id))
        ledger.violate(`webhook: ${comment} ${id} never came`)
    }
  }

  async #isIdle(): Promise<boolean> {
    const webhook = this.#webhook
    if (webhook === null) throw new Error('verify needs a subscription')
    // First this: what is dispatched between the two questions is pending.
    const metrics = await this.#service.client.get('/metrics')
    if (!/^spoor_webhook_journal_behind 0$/m.test(metrics.text)) return false
    const pending = await webhook.subscriptions.read<{ deliveries: unknown[] }>(
      `/${webhook.id}/deliveries?status=pending&limit=1`,
    )
    return pending.deliveries.length === 0
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#receiver[Symbol.asyncDispose]()
  }
}
