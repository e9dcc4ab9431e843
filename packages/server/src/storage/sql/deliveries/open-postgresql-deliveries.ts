import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Timers } from '../../../lib/time/timers.ts'
import type { LeaseEpoch } from '../../../ports/leases/lease-store.ts'
import type { DeliveryIntake } from '../../../ports/webhooks/delivery-intake.ts'
import type { DeliveryLog } from '../../../ports/webhooks/delivery-log.ts'
import type { DeliveryQueue } from '../../../ports/webhooks/delivery-queue.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { run } from '../kit/sql-database.ts'
import type { DeliveryTables } from './delivery-tables.ts'
import { queueStatementsOn } from './queue-statements.ts'
import { SqlDeliveryIntake } from './sql-delivery-intake.ts'
import { SqlDeliveryLog } from './sql-delivery-log.ts'
import { SqlDeliveryQueue } from './sql-delivery-queue.ts'

/** A node that has not renewed its lease for this long has died: others lease what it had leased. */
const NODE_LEASE_MS = 8000
const RENEW_MS = 3000
/** The start of a node removes rows of those that died this long ago. */
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
 * Deliveries of several nodes. A node renews its own lease of 8 s every 3 s while it has leased deliveries, and its
 * leases on deliveries end with it. So a node that dies loses them after 8 s, and a lease on a delivery need not be
 * renewed.
 */
export async function openPostgresqlDeliveries(options: PostgresqlDeliveriesOptions): Promise<PostgresqlDeliveries> {
  const { box, node, clock, timers, onError, nodeLeaseMs = NODE_LEASE_MS, mostLeased = MOST_LEASED } = options
  const database = options.database.readCommitted().withTables<DeliveryTables>()
  const { forgetNodes, renewNode, endNode } = queueStatementsOn(database)
  await database.write(() => run(forgetNodes({ before: clock.now() - FORGET_NODE_MS })))
  let heldUntil = 0
  let leasedUntil = 0
  let hasFailed = false
  let renewing: Promise<void> | null = null
  async function renewOnce(): Promise<void> {
    const until = clock.now() + nodeLeaseMs
    await database.writeAtOnce(renewNode({ node, until }))
    heldUntil = until
    hasFailed = false
  }
  /** One at a time: a slow one must not come after a later one. */
  const renew = () => (renewing ??= renewOnce().finally(() => (renewing = null)))
  async function holdNode(until: number): Promise<void> {
    leasedUntil = Math.max(leasedUntil, until)
    if (heldUntil < clock.now() + nodeLeaseMs - RENEW_MS) await renew()
  }
  const cancel = timers.every(RENEW_MS, () => {
    if (leasedUntil <= clock.now()) return
    renew().catch((error: unknown) => {
      if (!hasFailed) onError(error, 'the lease of this node on its deliveries could not be renewed')
      hasFailed = true
    })
  })
  const durable = null
  const intakeUnder = (lease: LeaseEpoch | null) =>
    new SqlDeliveryIntake(database, { lease, durable, checksDeletions: true })
  return {
    queue: new SqlDeliveryQueue(database, { box, node, mostLeased, holdNode, durable }),
    intake: intakeUnder(null),
    intakeUnder,
    log: new SqlDeliveryLog(database, { box, durable, afterPrune: () => undefined }),
    async close() {
      cancel()
      await renewing?.catch(() => undefined)
      try {
        await database.write(() => run(endNode({ node })))
      } catch (error) {
        onError(error, 'the lease of this node on its deliveries could not be ended; it ends by itself')
      }
    },
  }
}
