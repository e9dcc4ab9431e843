import { writeSync } from 'node:fs'
import type { ProjectId } from '@spoor/contract/ids'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { systemTimers, type Timers } from '../../../lib/time/timers.ts'
import { LeasedRunner } from '../../../operation/leased-runner.ts'
import { hookOf, idOf, PROJECT } from '../../../ports/webhooks/delivery-builders.test-support.ts'
import type { Webhook } from '../../../ports/webhooks/webhook.ts'
import { startLeasedDispatcher } from '../../../webhooks/dispatch/start-leased-dispatcher.ts'
import { openPostgresql } from './open-postgresql.ts'
import { postgresqlStoresOn } from './postgresql-stores.ts'
import { openPostgresqlDeliveries } from '../deliveries/open-postgresql-deliveries.ts'

/*
 * A node that dispatches a journal of which it knows the events: one each millisecond of real time since `begunAt`, up
 * to `last`. Its time passes ten times as fast. Reports `<name> dispatches` whenever it begins to.
 */
const [url = '', name = '', begunAt = '', last = ''] = process.argv.slice(2)
const FASTER = 10

const timers: Timers = {
  now: () => systemTimers.now() * FASTER,
  after: (delayMs, run) => systemTimers.after(delayMs / FASTER, run),
  every: (intervalMs, run) => systemTimers.every(intervalMs / FASTER, run),
}
const clock = { now: () => Number(begunAt) + (Date.now() - Number(begunAt)) * FASTER }
const onError = (error: unknown, message: string) => writeSync(2, `${name}: ${message}: ${String(error)}\n`)
const head = () => Math.max(0, Math.min(Number(last), Date.now() - Number(begunAt)))

const { database } = await openPostgresql({
  url,
  clock,
  random: Math.random,
  pause: (ms) => new Promise((wake) => setTimeout(wake, ms)),
})
const deliveries = await openPostgresqlDeliveries({ database, box: TEST_BOX, node: name, clock, timers, onError })

const webhook: Webhook = {
  id: hookOf(1),
  projectId: PROJECT,
  url: 'https://receiver.example/',
  events: ['cluster.created'],
  description: '',
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  sincePosition: 0,
  format: 'json',
  previousSecretUntil: null,
  createdAt: 0,
  updatedAt: 0,
}

new LeasedRunner({
  name: 'dispatch',
  holder: name,
  leases: postgresqlStoresOn(database, clock).leases,
  timers,
  onError,
  async start(lease) {
    const dispatcher = await startLeasedDispatcher(
      {
        feed: {
          publishedPosition: head,
          prunedThrough: async () => 0,
          deletedAmong: async () => new Set(),
          subscribe: (listener) => timers.every(FASTER * 5, () => listener(new Set([PROJECT]))),
          readAll: async (after, limit) =>
            Array.from({ length: Math.max(0, Math.min(limit, head() - after)) }, (_, index) => ({
              projectId: PROJECT,
              lastPosition: after + index + 1,
              committedAt: Number(begunAt) + after + index + 1,
              events: [{ type: 'cluster.created' as const, clusterId: idOf('clu', after + index + 1), data: '{}' }],
            })),
        },
        directory: {
          enabledOf: async (projectIds: readonly ProjectId[]) => new Map(projectIds.map((id) => [id, [webhook]])),
          anyEnabled: async () => true,
        },
        rows: { traceRows: async () => new Map(), metricEvents: async () => new Map() },
        clock,
        timers,
        random: Math.random,
        onDispatched: () => undefined,
        onError,
        onGap: () => undefined,
        intakeUnder: deliveries.intakeUnder,
        follow: async () => undefined,
      },
      lease,
    )
    writeSync(1, `${name} dispatches\n`)
    return dispatcher
  },
}).start()
