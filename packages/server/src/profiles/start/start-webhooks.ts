import type { WebhookId } from '@spoor/contract/ids'
import { createAddressPolicy } from '../../delivery-client/address-policy.ts'
import { assertGuarded } from '../../delivery-client/assert-guarded.ts'
import { UndiciDeliverySender } from '../../delivery-client/undici-delivery-sender.ts'
import { toMetricEvent } from '../../wire/metric-to-wire.ts'
import { toTraceRow } from '../../wire/to-wire.ts'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import type { IdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { Metrics } from '../../operation/metrics.ts'
import type { MetricEventStore } from '../../ports/metrics/metric-event-store.ts'
import { CLUSTER_DELIVERY_RULES } from '../../webhooks/deliver/delivery-machine-rules.ts'
import { DeliveryMachine } from '../../webhooks/deliver/delivery-machine.ts'
import { Dispatcher } from '../../webhooks/dispatch/dispatcher.ts'
import { startLeasedDispatcher } from '../../webhooks/dispatch/start-leased-dispatcher.ts'
import { createEventRows } from '../../ports/webhooks/event-rows.ts'
import { pruneDeliveries } from '../../webhooks/deliver/prune-deliveries.ts'
import { signDelivery } from '../../webhooks/signing/sign-delivery.ts'
import type { WebhookUseCases } from '../../webhooks/subscriptions/use-cases.ts'
import { createWebhookService } from '../../webhooks/subscriptions/webhook-service.ts'
import type { Environment } from './environment.ts'
import type { PriceUseCases } from '../../pricing/use-cases.ts'
import { costOfUsage } from '../../pricing/trace-cost.ts'
import type { LeaseEpoch } from '../../ports/leases/lease-store.ts'
import type { ServiceStores, SingleWork } from './service-stores.ts'

interface WebhookParts extends Pick<ServiceStores, 'control' | 'deliveries' | 'store' | 'secretBox' | 'nodes'> {
  readonly metricEvents: MetricEventStore
  readonly pricerOf: PriceUseCases['pricer']
  readonly feed: JournalFeed
  readonly ids: IdGenerator
  readonly instruments: Metrics
}

export interface StartedWebhooks {
  readonly useCases: WebhookUseCases
  /** Positions of the journal that have not become deliveries yet. */
  behind(): Promise<number>
  /** Everything in the journal up to here has become deliveries, durably. */
  dispatchedThrough(): Promise<number>
  /** Follows events. To be started before the service answers. */
  readonly dispatch: SingleWork
  /** Call it once the service answers. */
  send(): void
  /** One round of housekeeping. */
  keepHouse(): Promise<void>
  /** Starts no more attempts; those in progress have this long to end. */
  stopSending(timeoutMs: number): Promise<void>
  /** After the dispatch has stopped. */
  close(): Promise<void>
}

/**
 * Subscriptions, the dispatcher and the delivery machine. Throws OperatorError when this runtime does not reliably
 * refuse private addresses.
 */
export async function startWebhooks(environment: Environment, parts: WebhookParts): Promise<StartedWebhooks> {
  const { config, clock, logger, version } = environment
  const { control, deliveries, nodes, store, metricEvents, feed, ids, instruments } = parts
  const { queue, intake, log } = deliveries
  const onError = (error: unknown, message: string) => logger.error({ error }, message)
  await assertGuarded()
  const policy = createAddressPolicy(config.webhookAllow)
  const directory = control.openWebhooks(parts.secretBox)
  const sender = new UndiciDeliverySender({
    policy,
    timers: systemTimers,
    onRefusedName: (host, addresses) =>
      logger.warn(
        { host, addresses },
        'a webhook names a host at refused addresses; SPOOR_WEBHOOK_ALLOW can allow them',
      ),
  })
  const machine = new DeliveryMachine({
    queue,
    directory,
    sender,
    sign: signDelivery,
    publicUrl: config.publicUrl,
    userAgent: `Spoor/${version}`,
    clock,
    timers: systemTimers,
    random: Math.random,
    rules: nodes === undefined ? {} : CLUSTER_DELIVERY_RULES,
    onError,
    onAttempt: ({ attempt: { durationMs }, after }) =>
      instruments.webhooks.observeAttempt({
        result: after.status === 'succeeded' ? 'succeeded' : 'failed',
        durationMs,
      }),
  })
  let dispatcher: Dispatcher | null = null
  const dispatching = {
    feed,
    directory,
    rows: createEventRows({
      findTraces: (projectId, traceIds) => store.findTraces(projectId, traceIds, Number.MAX_SAFE_INTEGER),
      countAttachments: (traceIds) => control.media.countByTrace(traceIds),
      costOf: async (projectId) => {
        const price = await parts.pricerOf(projectId)
        return ({ digest }) => costOfUsage(price, digest.usage)
      },
      printTrace: toTraceRow,
      findMetricEvents: (projectId, places) => metricEvents.findMany(projectId, places),
      findMetric: (projectId, id) => control.metrics.findById(projectId, id),
      printMetricEvent: toMetricEvent,
    }),
    clock,
    timers: systemTimers,
    random: Math.random,
    onDispatched: (webhookIds: ReadonlySet<WebhookId>) => machine.wake(webhookIds),
    onError,
    onGap: (position: number, prunedThrough: number) =>
      logger.error({ position, prunedThrough }, 'events left the journal before they became deliveries'),
  }
  const startDispatcher = async (lease: LeaseEpoch | null) => {
    if (nodes !== undefined && lease !== null) {
      const { current: follow, intakeUnder } = nodes
      return startLeasedDispatcher({ ...dispatching, intakeUnder, follow }, lease)
    }
    const started = new Dispatcher({ ...dispatching, intake })
    await started.start()
    return started
  }
  return {
    useCases: createWebhookService({
      store: directory,
      queue,
      log,
      intake,
      clock,
      newId: () => ids.newId('wh'),
      newEventId: () => ids.newId('evt'),
      newDeliveryId: () => ids.newId('dlv'),
      randomBytes: systemRandomBytes,
      headPosition: () => feed.publishedPosition(),
      refuseAddress: policy.literalProblem,
      limits: config.limits,
      pause: () => new Promise((resume) => setImmediate(resume)),
      onDue: (id) => machine.reconsider(id),
      onUrgent: (id, deliveryId) => machine.sendNow(id, deliveryId),
      heldUntil: (id) => machine.heldUntil(id),
      onError,
    }),
    behind: async () =>
      (await control.journal.headPosition()) - (dispatcher?.position ?? (await intake.position()) ?? 0),
    dispatchedThrough: async () => (await intake.position()) ?? 0,
    dispatch: {
      name: 'dispatch of events',
      async start(lease) {
        const started = await startDispatcher(lease)
        dispatcher = started
        return {
          async stop() {
            dispatcher = null
            await started.stop()
          },
        }
      },
    },
    send: () => machine.start(),
    async keepHouse() {
      await directory.dropExpiredSecrets(clock.now())
      const existing = (known: readonly WebhookId[]) => directory.existing(known)
      await pruneDeliveries({ log, existing, retentionMs: config.deliveryRetentionMs }, clock.now())
    },
    stopSending: (timeoutMs) => machine.stop(timeoutMs),
    async close() {
      await machine.stop(0)
      await sender.close()
    },
  }
}
