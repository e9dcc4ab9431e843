import type { ProjectId, TraceId, WebhookId } from '@spoor/contract/ids'
import { JournalFeed } from '../../journal/journal-feed.ts'
import type { JournalEvent } from '../../ports/journal/journal.ts'
import { MemoryJournal } from '../../ports/journal/memory-journal.test-support.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { idOf, NOW, PROJECT } from '../../ports/webhooks/delivery-builders.test-support.ts'
import type { DeliveryIntake } from '../../ports/webhooks/delivery-intake.ts'
import { Dispatcher } from './dispatcher.ts'
import type { EventRows } from '../../ports/webhooks/event-rows.ts'
import type { WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

/** For tests: the directory of a dispatcher, in memory. */
class MemoryAudience implements Pick<WebhookDirectory, 'enabledOf' | 'anyEnabled'> {
  readonly webhooks = new Map<WebhookId, Webhook>()

  subscribe(id: WebhookId, fields: Partial<Webhook> = {}): void {
    this.webhooks.set(id, {
      id,
      projectId: PROJECT,
      url: 'https://receiver.example/',
      events: ['trace.committed'],
      description: '',
      enabled: true,
      disabledReason: null,
      disabledAt: null,
      sincePosition: 0,
      format: 'json',
      previousSecretUntil: null,
      createdAt: NOW,
      updatedAt: NOW,
      ...fields,
    })
  }

  async enabledOf(projectIds: readonly ProjectId[]): Promise<ReadonlyMap<ProjectId, readonly Webhook[]>> {
    const enabled = [...this.webhooks.values()].filter((webhook) => webhook.enabled)
    return new Map(projectIds.map((id) => [id, enabled.filter(({ projectId }) => projectId === id)]))
  }

  async anyEnabled(): Promise<boolean> {
    return [...this.webhooks.values()].some(({ enabled }) => enabled)
  }
}

/** Errors thrown once, at the next step of their kind. */
export interface DispatchFaults {
  rows: Error | null
  beforeAdd: Error | null
  /** The process dies after the transaction is committed. */
  afterAdd: Error | null
}

/**
 * For tests: a dispatcher between a journal in memory and an intake, under manual time. It can be killed and restarted.
 */
export class DispatchWorld {
  readonly journal = new MemoryJournal()
  readonly feed = new JournalFeed(this.journal, { recentEventsMax: 50 })
  readonly audience = new MemoryAudience()
  readonly timers = new ManualTimers()
  readonly clock = { now: () => this.nowMs }
  /** The wall clock. */
  nowMs = NOW
  readonly faults: DispatchFaults = { rows: null, beforeAdd: null, afterAdd: null }
  readonly errors: string[] = []
  readonly gaps: (readonly [number, number])[] = []
  readonly woken: WebhookId[] = []
  /** Deliveries in each written batch. */
  readonly batches: number[] = []
  /** Number of writes with a position and no delivery. */
  positionWrites = 0
  /** Called while rows are read. */
  duringRows: () => void = () => undefined
  rowReads = 0
  dispatcher: Dispatcher
  readonly #intake: DeliveryIntake
  /** Writes of other dispatchers fail: their process is dead. */
  readonly #alive = new Set<Dispatcher>()
  #made = 0

  constructor(intake: DeliveryIntake) {
    this.#intake = intake
    this.dispatcher = this.#create()
  }

  /** Commits traces; returns their ids. */
  commit(count = 1, projectId = PROJECT): TraceId[] {
    const ids = Array.from({ length: count }, () => idOf('tr', (this.#made += 1)))
    this.publish(
      ids.map((traceId) => ({ type: 'trace.committed', traceId })),
      projectId,
    )
    return ids
  }

  publish(events: readonly JournalEvent[], projectId = PROJECT): void {
    this.feed.publish([this.journal.append(projectId, events, NOW)])
  }

  /** Replaces the dispatcher, as after the death of its process. */
  async restart(): Promise<void> {
    const { dispatcher } = this
    this.dispatcher = this.#create()
    this.#alive.delete(dispatcher)
    await dispatcher.stop()
    await this.dispatcher.start()
  }

  /** Waits until all work is done, retries included. */
  async settle(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (round % 20 === 19) this.timers.advance(10_000)
    }
  }

  #create(): Dispatcher {
    const isAlive = () => this.#alive.has(dispatcher)
    const dispatcher: Dispatcher = new Dispatcher({
      feed: this.feed,
      directory: this.audience,
      intake: {
        position: () => this.#intake.position(),
        setPosition: (position) => this.#intake.setPosition(position),
        add: async (events, position) => {
          if (!isAlive()) throw new Error('the process is dead')
          throwOnce(this.faults, 'beforeAdd')
          await this.#intake.add(events, position)
          if (events.length === 0) this.positionWrites += 1
          else this.batches.push(events.reduce((sum, { deliveries }) => sum + deliveries.length, 0))
          throwOnce(this.faults, 'afterAdd')
        },
      },
      rows: this.#rows(),
      clock: this.clock,
      timers: this.timers,
      random: () => 0,
      onDispatched: (ids) => void this.woken.push(...ids),
      onError: (error, message) => void (isAlive() && this.errors.push(`${message}: ${String(error)}`)),
      onGap: (position, prunedThrough) => void this.gaps.push([position, prunedThrough]),
    })
    this.#alive.add(dispatcher)
    return dispatcher
  }

  #rows(): EventRows {
    const read = async <Id>(ids: readonly Id[], print: (id: Id) => string) => {
      this.rowReads += 1
      await Promise.resolve()
      throwOnce(this.faults, 'rows')
      this.duringRows()
      return new Map(ids.map((id) => [id, print(id)]))
    }
    return {
      traceRows: (_projectId, ids) => read(ids, (id) => JSON.stringify({ id })),
      metricEvents: (_projectId, places) =>
        read(
          places.map(({ id }) => id),
          (id) => JSON.stringify({ id }),
        ),
    }
  }
}

function throwOnce(faults: DispatchFaults, name: keyof DispatchFaults): void {
  const error = faults[name]
  faults[name] = null
  if (error !== null) throw error
}
