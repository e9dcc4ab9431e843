import type { Clock } from '../../../lib/time/clock.ts'
import type { Lease, LeaseEpoch, LeaseStore } from '../../../ports/leases/lease-store.ts'
import { first, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import type { LeaseRow, LeaseTables } from './lease-tables.ts'

/** One row per lease that was ever taken. It stays after a release, because epochs must not restart. */
export class SqlLeaseStore extends storeOn(statementsOn) implements LeaseStore {
  readonly #clock: Clock

  constructor(database: SqlDatabase<LeaseTables>, clock: Clock) {
    super(database)
    this.#clock = clock
  }

  take(name: string, holder: string, durationMs: number): Promise<Lease | null> {
    const now = this.#clock.now()
    const latestUntil = now + 2 * durationMs
    return this.transact(function* (sql): Work<Lease | null> {
      return toLease(yield* first(sql.take({ name, holder, now, until: now + durationMs, latestUntil })))
    })
  }

  renew({ name, epoch }: LeaseEpoch, durationMs: number): Promise<Lease | null> {
    const until = this.#clock.now() + durationMs
    return this.transact(function* (sql): Work<Lease | null> {
      return toLease(yield* first(sql.renew({ name, epoch, until })))
    })
  }

  async release({ name, epoch }: LeaseEpoch): Promise<void> {
    await this.run(this.sql.release({ name, epoch }))
  }
}

function toLease(row: LeaseRow | undefined): Lease | null {
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
  return {
    take: database.statement((queries, { name, holder, now, until, latestUntil }: Taking) =>
      queries
        .insertInto('leases')
        .values({ name, holder, epoch: 1, until })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(({ eb }) => ({ holder, epoch: eb('leases.epoch', '+', 1), until }))
            .where(({ eb, or }) =>
              or([
                eb('leases.holder', '=', holder),
                eb('leases.until', '<=', now),
                eb('leases.until', '>', latestUntil),
              ]),
            ),
        )
        .returning(['name', 'holder', 'epoch', 'until']),
    ),
    renew: database.statement((queries, { name, epoch, until }: LeaseEpoch & { readonly until: number }) =>
      queries
        .updateTable('leases')
        .set({ until })
        .where('name', '=', name)
        .where('epoch', '=', epoch)
        .returning(['name', 'holder', 'epoch', 'until']),
    ),
    release: database.statement((queries, { name, epoch }: LeaseEpoch) =>
      queries
        .updateTable('leases')
        .set(({ eb }) => ({ epoch: eb('epoch', '+', 1), until: 0 }))
        .where('name', '=', name)
        .where('epoch', '=', epoch),
    ),
  }
}
