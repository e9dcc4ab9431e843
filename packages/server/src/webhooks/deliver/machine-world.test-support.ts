import type { DeliveredEventType } from '@spoor/contract/events'
import type { DeliveryId, ProjectId, WebhookId } from '@spoor/contract/ids'
import { createIdGenerator } from '../../lib/ids/ids.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import type { DeliveryRequest, DeliverySender, SendOutcome } from '../../ports/webhooks/delivery-sender.ts'
import type { MemoryDeliveryState, StoredDelivery } from '../../ports/webhooks/memory-delivery-state.test-support.ts'
import { MemoryDeliveryStore } from '../../ports/webhooks/memory-delivery-store.test-support.ts'
import { MemoryWebhooks } from '../../ports/webhooks/memory-webhooks.test-support.ts'
import type { SignedWebhook } from '../../ports/webhooks/webhook-directory.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'
import { DeliveryMachine, type DeliveryMachineDependencies } from './delivery-machine.ts'

/** A Tuesday at noon. */
export const NOON = Date.UTC(2026, 2, 3, 12)
export const SECOND = 1000
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** The answer of a receiver after `afterMs`: a status with headers, or the code of an error. */
export interface Reaction {
  readonly afterMs?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly error?: NonNullable<SendOutcome['error']>['code']
}

/** A request that a receiver got. */
export interface Arrival extends DeliveryRequest {
  readonly at: number
}

const ids = createIdGenerator({ now: () => NOON }, systemRandomBytes)
const PROJECT: ProjectId = ids.newId('proj')

/** A machine with store, subscriptions and receivers in memory, under manual time. */
export class MachineWorld {
  readonly timers = new ManualTimers()
  readonly deliveries = new MemoryDeliveryStore()
  readonly directory = new MemoryWebhooks()
  readonly errors: string[] = []
  /** By url: the answer to the request with this number, from 0. */
  readonly receivers = new Map<string, (number: number) => Reaction>()
  readonly arrivals: Arrival[] = []
  machine: DeliveryMachine
  /** The most requests that were under way at once. */
  mostUnderWay = 0
  #underWay = 0
  readonly #overrides: Partial<DeliveryMachineDependencies>

  constructor(overrides: Partial<DeliveryMachineDependencies> = {}) {
    this.timers.advance(NOON)
    this.#overrides = overrides
    this.machine = this.newMachine()
  }

  /** Creates a machine as after a crash: leases of the previous one are free. */
  newMachine(): DeliveryMachine {
    return new DeliveryMachine({
      queue: this.queue,
      directory: this.directory,
      sender: this.#sender(),
      sign: ({ eventId, secrets }) => ({ 'webhook-id': eventId, 'webhook-signature': secrets.join(' ') }),
      publicUrl: 'https://spoor.test',
      userAgent: 'Spoor/test',
      clock: this.timers,
      timers: this.timers,
      // The longest waits.
      random: () => 1 - Number.EPSILON,
      onError: (_, message) => this.errors.push(message),
      ...this.#overrides,
    })
  }

  /** Adds a subscription whose receiver answers like this. */
  subscribe(react: (number: number) => Reaction, fields: Partial<SignedWebhook> = {}): SignedWebhook {
    const id = ids.newId('wh')
    const webhook: SignedWebhook = {
      id,
      projectId: PROJECT,
      url: `https://receiver.test/${id}`,
      events: ['trace.committed'],
      description: '',
      enabled: true,
      disabledReason: null,
      disabledAt: null,
      sincePosition: 0,
      format: 'json',
      previousSecretUntil: null,
      createdAt: NOON,
      updatedAt: NOON,
      secrets: ['secret'],
      ...fields,
    }
    this.directory.put(webhook)
    this.receivers.set(webhook.url, react)
    return webhook
  }

  /** Adds due deliveries and wakes the machine. */
  add(
    { id: webhookId }: { readonly id: WebhookId },
    count = 1,
    type: DeliveredEventType = 'trace.committed',
  ): DeliveryId[] {
    const createdAt = this.timers.now()
    const made = Array.from({ length: count }, () => ids.newId('dlv'))
    this.state.add(
      made.map((id) => ({
        id: ids.newId('evt'),
        projectId: PROJECT,
        contentOf: null,
        type,
        createdAt,
        dueAt: createdAt,
        body: new TextEncoder().encode(`{"type":"${type}","delivery":"${id}"}`),
        deliveries: [{ id, webhookId }],
      })),
    )
    this.machine.wake([webhookId])
    return made
  }

  get queue(): MemoryDeliveryStore['queue'] {
    return this.deliveries.queue
  }

  get state(): MemoryDeliveryState {
    return this.deliveries.state
  }

  async start(): Promise<void> {
    this.machine.start()
    await this.pass(0)
  }

  /** Advances time from timer to timer, with everything that each causes. */
  async pass(byMs: number): Promise<void> {
    const until = this.timers.now() + byMs
    await settled()
    for (;;) {
      const next = this.timers.nextAt
      if (next === null || next > until) break
      this.timers.advance(next - this.timers.now())
      await settled()
    }
    this.timers.advance(until - this.timers.now())
  }

  get(id: DeliveryId | undefined): StoredDelivery {
    const delivery = id === undefined ? undefined : this.state.deliveries.get(id)
    if (delivery === undefined) throw new Error('the delivery does not exist')
    return delivery
  }

  webhook(id: WebhookId): Webhook {
    const webhook = this.directory.get(id)
    if (webhook === undefined) throw new Error('the subscription does not exist')
    return webhook
  }

  /** Start of the attempts of a delivery, in seconds since noon. */
  times(id: DeliveryId | undefined): number[] {
    return this.get(id).attempts.map(({ startedAt }) => (startedAt - NOON) / SECOND)
  }

  /** Number of deliveries in each state. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { status } of this.state.all()) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  #sender(): DeliverySender {
    const numbers = new Map<string, number>()
    return {
      send: (request, signal) => {
        const number = numbers.get(request.url) ?? 0
        numbers.set(request.url, number + 1)
        this.arrivals.push({ ...request, at: this.timers.now() })
        this.mostUnderWay = Math.max(this.mostUnderWay, ++this.#underWay)
        const reaction = this.receivers.get(request.url)?.(number) ?? { error: 'dns_failed' }
        return new Promise((resolve) => {
          const end = (outcome: SendOutcome) => {
            cancel()
            signal.removeEventListener('abort', interrupt)
            this.#underWay--
            resolve(outcome)
          }
          const interrupt = () => end({ response: null, error: { code: 'interrupted', detail: '' } })
          const cancel = this.timers.after(reaction.afterMs ?? 0, () => end(outcomeOf(reaction)))
          signal.addEventListener('abort', interrupt)
        })
      },
      close: async () => undefined,
    }
  }
}

function outcomeOf({ status, headers, error }: Reaction): SendOutcome {
  return {
    response: status === undefined ? null : { status, headers: headers ?? {}, body: '', truncated: false },
    error: error === undefined ? null : { code: error, detail: 'as the test wants it' },
  }
}

/** Runs everything that needs no timer. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
