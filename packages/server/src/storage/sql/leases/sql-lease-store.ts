import type { Clock } from '../../../lib/time/clock.ts'
import type { Lease, LeaseEpoch, LeaseStore } from '../../../ports/leases/lease-store.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import type { LeaseRow, LeaseTables } from './lease-tables.ts'

/** One row per lease that was ever taken. It stays after a release, because epochs must not restart. */
export class SqlLeaseStore extends storeOn(statementsOn) implements LeaseStore {
  readonly #clock: Clock

  constructor(database: SqlDatabase<LeaseTables>, clock: Clock) {
    super(database)
    this.#clock = clock
  }

  async take(name: string, holder: string, durationMs: number): Promise<Lease | null> {
    const now = this.#clock.now()
    const times = { now, until: now + durationMs, latestUntil: now + 2 * durationMs }
    return toLease(await this.database.writeAtOnce(this.sql.take({ name, holder, ...times })))
  }

  async renew({ name, epoch }: LeaseEpoch, durationMs: number): Promise<Lease | null> {
    const until = this.#clock.now() + durationMs
    return toLease(await this.database.writeAtOnce(this.sql.renew({ name, epoch, until })))
  }

  async release({ name, epoch }: LeaseEpoch): Promise<void> {
    await this.run(this.sql.release({ name, epoch }))
  }
}

function toLease([row]: readonly LeaseRow[]): Lease | null {
  return row === undefined ? null : { name: row.name, holder: row.holder, epoch: row.epoch, until: row.until }
}

interface Taking {
  readonly name: string
  readonly holder: string
  readonly now: number
  readonly until: number
  readonly latestUntil: number
}

function statementsOn(database: SqlDatabase<LeaseTables>) {
  const { query } = sqlTextOn(database)
  return {
    take: query<Taking, LeaseRow>(`INSERT INTO leases (name, holder, epoch, until) VALUES (:name, :holder, 1, :until)
      ON CONFLICT (name) DO UPDATE SET holder = :holder, epoch = leases.epoch + 1, until = :until
      WHERE leases.holder = :holder OR leases.until <= :now OR leases.until > :latestUntil
      RETURNING name, holder, epoch, until`),
    renew: query<LeaseEpoch & { until: number }, LeaseRow>(`UPDATE leases SET until = :until
      WHERE name = :name AND epoch = :epoch RETURNING name, holder, epoch, until`),
    release: query<LeaseEpoch>('UPDATE leases SET epoch = epoch + 1, until = 0 WHERE name = :name AND epoch = :epoch'),
  }
}
