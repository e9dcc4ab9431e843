import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Timers } from '../../../lib/time/timers.ts'
import type { LeaseEpoch } from '../../../ports/leases/lease-store.ts'
import type { DeliveryIntake } from '../../../ports/webhooks/delivery-intake.ts'
import type { DeliveryLog } from '../../../ports/webhooks/delivery-log.ts'
import type { DeliveryQueue } from '../../../ports/webhooks/delivery-queue.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { run } from '../kit/sql-database.ts'
import { PostgresqlDeliveryIntake } from './postgresql-delivery-intake.ts'
import { PostgresqlDeliveryLog } from './postgresql-delivery-log.ts'
import { PostgresqlDeliveryQueue } from './postgresql-delivery-queue.ts'
import type { PostgresqlDeliveryTables } from './postgresql-delivery-tables.ts'
import { queueStatementsOn } from './queue-statements.ts'

/** A node that has not renewed its lease for this long has died: others lease what it had leased. */
const NODE_LEASE_MS = 15_000
const RENEW_MS = 5000
/** Rows of nodes that died are removed after this. */
const FORGET_NODE_MS = 3_600_000
const MOST_LEASED = 16

export interface PostgresqlDeliveriesOptions {
  readonly database: PostgresqlDatabase<unknown>
  /** As that of OpenDeliveryStoreOptions. */
  readonly box: SecretBox
  /** Different for each process that ever uses the store. */
  readonly node: string
  /** The same at all nodes: see DatabaseClock. */
  readonly clock: Clock
  readonly timers: Timers
  /** Most deliveries of one subscription under way at all nodes together; 16 if not given. */
  readonly mostLeased?: number
  readonly nodeLeaseMs?: number
  /** Called for the first of consecutive failures to renew the lease of this node. */
  readonly onError: (error: unknown, message: string) => void
}

export interface PostgresqlDeliveries {
  readonly queue: DeliveryQueue
  /** For what any node may add at any time: a ping. */
  readonly intake: DeliveryIntake
  /** For the dispatcher: each write rejects with StaleLeaseError once another has taken the lease. */
  intakeUnder(lease: LeaseEpoch): DeliveryIntake
  readonly log: DeliveryLog
  /** Ends the leases of this node. MUST be the last call. */
  close(): Promise<void>
}

/**
 * Deliveries of several nodes. Each node holds a lease of 15 s, which it renews every 5 s; its leases on deliveries end
 * with it. So a node that dies loses them after 15 s, and a lease on a delivery need not be renewed.
 */
export async function openPostgresqlDeliveries(options: PostgresqlDeliveriesOptions): Promise<PostgresqlDeliveries> {
  const { box, node, clock, timers, onError, nodeLeaseMs = NODE_LEASE_MS, mostLeased = MOST_LEASED } = options
  const database = options.database.readCommitted().withTables<PostgresqlDeliveryTables>()
  const { renewNode, endNode } = queueStatementsOn(database)
  const renew = async () => {
    const now = clock.now()
    const lease = { node, now, until: now + nodeLeaseMs, oldest: now - FORGET_NODE_MS }
    await database.write(() => run(renewNode(lease)))
  }
  await renew()
  let hasFailed = false
  let renewing: Promise<void> | null = null
  const cancel = timers.every(RENEW_MS, () => {
    renewing ??= renew()
      .then(() => void (hasFailed = false))
      .catch((error: unknown) => {
        if (!hasFailed) onError(error, 'the lease of this node on its deliveries could not be renewed')
        hasFailed = true
      })
      .finally(() => (renewing = null))
  })
  return {
    queue: new PostgresqlDeliveryQueue(database, { box, node, clock, mostLeased }),
    intake: new PostgresqlDeliveryIntake(database, null),
    intakeUnder: (lease) => new PostgresqlDeliveryIntake(database, lease),
    log: new PostgresqlDeliveryLog(database, box),
    async close() {
      cancel()
      await renewing
      try {
        await database.write(() => run(endNode({ node })))
      } catch (error) {
        onError(error, 'the lease of this node on its deliveries could not be ended; it ends by itself')
      }
    },
  }
}
