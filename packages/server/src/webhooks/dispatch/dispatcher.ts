import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WebhookId } from '@spoor/contract/ids'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import type { JournalRow } from '../../ports/journal/journal.ts'
import { backoffDelayMs } from '../../lib/time/backoff.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { StaleLeaseError } from '../../ports/leases/lease-store.ts'
import type { DeliveryIntake, NewEvent } from '../../ports/webhooks/delivery-intake.ts'
import { deliveryIdOf } from './event-id.ts'
import type { EventRows } from '../../ports/webhooks/event-rows.ts'
import { type RenderedEvent, renderEvents, traceOf } from './render-events.ts'
import { Audience, type WantedBatch, wantedEvents } from './wanted-events.ts'
import type { WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'

export interface DispatcherDependencies {
  readonly feed: Pick<JournalFeed, 'readAll' | 'publishedPosition' | 'prunedThrough' | 'deletedAmong' | 'subscribe'>
  readonly directory: Pick<WebhookDirectory, 'enabledOf' | 'anyEnabled'>
  readonly intake: DeliveryIntake
  readonly rows: EventRows
  readonly clock: Clock
  readonly timers: Timers
  /** In [0, 1). */
  readonly random: () => number
  /** Called with the subscriptions that have new deliveries, once these are durable. MUST NOT throw. */
  readonly onDispatched: (webhookIds: ReadonlySet<WebhookId>) => void
  /** Called for the first of consecutive failures. The dispatcher retries; no event is lost. */
  readonly onError: (error: unknown, message: string) => void
  /**
   * Called when events after `position`, up to `prunedThrough`, were pruned from the journal before they were
   * dispatched.
   */
  readonly onGap: (position: number, prunedThrough: number) => void
}

/** Rows of traces in memory, each as large as metadata may be; and deliveries in one write, about ten milliseconds. */
const BOUNDS = { events: 250, deliveries: 500 }
const EVENTS_PER_READ = 500
const BODY_BYTES = 4 * 1024 * 1024
/**
 * A position without new deliveries is written this rarely: after a crash the events since the stored one are read
 * again.
 */
const IDLE_WRITE_MS = 1000
const IDLE_WRITE_POSITIONS = 10_000
const RETRY = { firstMs: 250, maxMs: 10_000 }

/**
 * Turns events of the journal into deliveries: exactly one for each event and matching subscription, even if the
 * process dies, because deliveries and the position in the journal are written in one transaction. Commits wake it. One
 * run at a time, in bounded batches that yield to other work in between. Of several nodes one dispatches: its intake
 * writes under a lease, and the dispatcher ends when another has taken that.
 */
export class Dispatcher {
  readonly #dependencies: DispatcherDependencies
  /** Everything up to here is dispatched. */
  #position = 0
  /** The position in the store: lower than `#position` while no event matches. */
  #storedPosition = 0
  /** Consecutive rows of the journal, from the position on. */
  #rows: readonly JournalRow[] = []
  #running: Promise<void> | null = null
  #isStopping = false
  #failures = 0
  #unsubscribe: () => void = () => undefined
  #cancelIdleWrite: (() => void) | null = null
  #endPause: () => void = () => undefined

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * The store MUST have a position, at most the journal's head: see delivery-loss.ts.
   *
   * @throws DomainError if the store cannot be used
   */
  async start(): Promise<void> {
    const { intake, feed } = this.#dependencies
    const [stored, head] = [await intake.position(), feed.publishedPosition()]
    if (stored === null || stored > head) throw new Error(`deliveries stand at ${stored}, the journal at ${head}`)
    this.#position = stored
    this.#storedPosition = stored
    this.#unsubscribe = feed.subscribe(() => this.wake())
    this.wake()
  }

  /** Starts a run unless one is active. */
  wake(): void {
    if (this.#isStopping) return
    this.#running ??= this.#run()
  }

  /** Resolves when no run is active. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  /** Resolves after the current batch. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#unsubscribe()
    this.#endPause()
    await this.idle()
    try {
      await this.#writePosition()
    } catch (error) {
      if (error instanceof StaleLeaseError) return
      this.#dependencies.onError(error, 'the position of webhooks could not be written; some events will be read again')
    }
  }

  /** Everything up to here has become deliveries. */
  get position(): number {
    return this.#position
  }

  async #run(): Promise<void> {
    for (;;) {
      // Callers that wait for the commit go first, and other work between batches.
      await nextTurn()
      if (this.#isStopping || this.#position >= this.#dependencies.feed.publishedPosition()) {
        // Cleared here and not when the promise resolves: a commit in between must start another run.
        this.#running = null
        return
      }
      try {
        await this.#dispatchBatch()
        this.#failures = 0
      } catch (error) {
        await this.#pauseAfter(error)
      }
    }
  }

  async #dispatchBatch(): Promise<void> {
    const { feed, directory, rows } = this.#dependencies
    if (!(await directory.anyEnabled())) {
      await this.#pass(feed.publishedPosition())
      return
    }
    await this.#passGap()
    const read = await this.#readRows()
    if (read.length === 0) {
      await this.#pass(feed.publishedPosition())
      return
    }
    const batch = wantedEvents(read, this.#position, await Audience.of(directory, read), BOUNDS)
    if (batch.events.length === 0) {
      await this.#pass(batch.position)
      return
    }
    await this.#add(batch, await renderEvents(rows, batch.events))
  }

  /** Reads subscriptions and deletions again: they may have changed while rows were read. */
  async #add(batch: WantedBatch, rendered: readonly RenderedEvent[]): Promise<void> {
    const { feed, directory, intake, clock, onDispatched } = this.#dependencies
    const { taken, position } = withinBytes(batch, rendered)
    const traceIds = taken.flatMap(({ wanted }) => traceOf(wanted) ?? [])
    const deleted = await feed.deletedAmong([...new Set(traceIds)])
    const audience = await Audience.of(
      directory,
      taken.map(({ wanted }) => wanted),
    )
    const events: NewEvent[] = []
    const now = clock.now()
    for (const { wanted, event } of taken) {
      const traceId = traceOf(wanted)
      if (traceId !== null && deleted.has(traceId)) continue
      const deliveries = audience
        .subscribersOf(wanted)
        .map((webhook) => ({ id: deliveryIdOf(event.id, webhook.id, event.createdAt), webhookId: webhook.id }))
      if (deliveries.length > 0) events.push({ ...event, dueAt: Math.min(event.createdAt, now), deliveries })
    }
    if (events.length === 0) {
      await this.#pass(position)
      return
    }
    await intake.add(events, position)
    this.#position = position
    this.#storedPosition = Math.max(this.#storedPosition, position)
    onDispatched(new Set(events.flatMap(({ deliveries }) => deliveries.map(({ webhookId }) => webhookId))))
  }

  /**
   * The rows that the last batch left over, or the next ones: a large row is read once and not for each of its batches.
   */
  async #readRows(): Promise<readonly JournalRow[]> {
    const unread = this.#rows.filter(({ lastPosition }) => lastPosition > this.#position)
    this.#rows = unread.length > 0 ? unread : await this.#dependencies.feed.readAll(this.#position, EVENTS_PER_READ)
    return this.#rows
  }

  async #passGap(): Promise<void> {
    const prunedThrough = await this.#dependencies.feed.prunedThrough()
    if (prunedThrough <= this.#position) return
    this.#dependencies.onGap(this.#position, prunedThrough)
    this.#position = prunedThrough
  }

  /** Skips events that match no subscription. */
  async #pass(position: number): Promise<void> {
    this.#position = position
    if (position - this.#storedPosition >= IDLE_WRITE_POSITIONS) await this.#writePosition()
    else this.#cancelIdleWrite ??= this.#dependencies.timers.after(IDLE_WRITE_MS, () => void this.#writeIdle())
  }

  async #writeIdle(): Promise<void> {
    this.#cancelIdleWrite = null
    try {
      await this.#writePosition()
    } catch {
      // The next write reports a store that is still unavailable.
    }
  }

  async #writePosition(): Promise<void> {
    this.#cancelIdleWrite?.()
    this.#cancelIdleWrite = null
    const position = this.#position
    if (position <= this.#storedPosition) return
    await this.#dependencies.intake.add([], position)
    this.#storedPosition = Math.max(this.#storedPosition, position)
  }

  async #pauseAfter(error: unknown): Promise<void> {
    const { timers, random, onError } = this.#dependencies
    if (error instanceof StaleLeaseError) {
      // Another node dispatches now, and its runner will stop this one.
      this.#isStopping = true
      return
    }
    this.#failures += 1
    if (this.#failures === 1) onError(error, 'events could not be dispatched to webhooks; the service tries again')
    if (this.#isStopping) return
    await new Promise<void>((resolve) => {
      const cancel = timers.after(backoffDelayMs(RETRY, this.#failures, random()), resolve)
      this.#endPause = () => {
        cancel()
        resolve()
      }
    })
  }
}

/** The first events whose bodies fit into one write, and the position of the last. */
function withinBytes(
  batch: WantedBatch,
  rendered: readonly RenderedEvent[],
): { readonly taken: readonly RenderedEvent[]; readonly position: number } {
  let bytes = 0
  for (const [index, { event, wanted }] of rendered.entries()) {
    bytes += event.body.length
    if (index > 0 && bytes > BODY_BYTES) return { taken: rendered.slice(0, index), position: wanted.position - 1 }
  }
  return { taken: rendered, position: batch.position }
}
