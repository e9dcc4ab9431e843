import { OperatorError } from '../../lib/operator-error.ts'
import type { LeaseEpoch } from '../../ports/leases/lease-store.ts'
import { first, run, type SqlDatabase, type Work } from '../sql/kit/sql-database.ts'
import { currentLeaseOn } from '../sql/leases/current-lease.ts'
import { sqlTextOn } from '../sql/kit/sql-text.ts'
import { storeOn } from '../sql/kit/store-on.ts'
import { clusterLogStatementsOn, type ClusterLogTables, NOW } from './cluster-log-statements.ts'
import { findMismatch, type LogState, type Marks, type Mismatch, type Timeline } from './timeline.ts'

/** The commits that go into ClickHouse together. */
export interface FixedBatch {
  readonly id: string
  /** It begins with the commit after this one: all through it have settled. */
  readonly after: number
  readonly through: number
  readonly timeline: Timeline
}

/**
 * What PostgreSQL records of settling. Each write but `want` carries the epoch of the lease of settling: when it is
 * stale, nothing is written and the result is null. `fix` and `finish` reject with MismatchError when PostgreSQL and
 * ClickHouse do not belong to one moment.
 *
 * A batch is fixed before its first row is inserted, and stays fixed until it has settled. So whoever holds the lease
 * next inserts the same commits under the same id.
 */
export class SettlingRecord extends storeOn(statementsOn) {
  constructor(database: SqlDatabase<unknown>) {
    super(database.withTables<ClusterLogTables>())
  }

  /**
   * The batch that is on its way; if there is none, `next`, which may be empty: then nothing is written. `marks` are
   * read under the lease, so that nobody else settles after that.
   */
  fix(lease: LeaseEpoch, next: Pick<FixedBatch, 'id' | 'through'>, marks: Marks): Promise<FixedBatch | null> {
    return this.transact(function* (sql): Work<FixedBatch | null> {
      if ((yield* first(sql.currentLease(lease))) === undefined) return null
      const row = yield* first(sql.read({}))
      if (row === undefined) throw new Error('the record of settling has lost its row')
      const { settled_through: after, batch_id: id, batch_through: through, timeline } = row
      refuse(findMismatch(toLogState(row), marks))
      if (id !== null && through !== null) return { id, after, through, timeline }
      if (next.through > after) yield* run(sql.fix(next))
      return { ...next, after, timeline }
    })
  }

  /** The batch is in ClickHouse, its mark included. */
  finish(lease: LeaseEpoch, batch: FixedBatch): Promise<true | null> {
    return this.transact(function* (sql): Work<true | null> {
      if ((yield* first(sql.currentLease(lease))) === undefined) return null
      if ((yield* run(sql.finish(batch))) === 1) yield* run(sql.mark(batch))
      else {
        // A lost answer may have been of this very change.
        const row = yield* first(sql.read({}))
        if (row !== undefined) refuse(findMismatch(toLogState(row), [new Map([[batch.timeline, batch.through]])]))
      }
      return true
    })
  }

  /** Some read waits until all commits through `version` have settled: the next batch should not wait to fill. */
  async want(version: number): Promise<void> {
    await this.transact(function* (sql): Work<void> {
      yield* run(sql.want({ version }))
      yield* run(sql.notify({}))
    })
  }

  /** Deletes commits that settled at least `ageMs` ago, unless a backup is being made. */
  prune(lease: LeaseEpoch, ageMs: number): Promise<true | null> {
    return this.transact(function* (sql): Work<true | null> {
      if ((yield* first(sql.currentLease(lease))) === undefined) return null
      if ((yield* first(sql.isHeld({}))) !== undefined) return true
      const through = (yield* first(sql.settledBefore({ ageMs })))?.through ?? null
      if (through === null) return true
      yield* run(sql.deleteCommits({ through }))
      yield* run(sql.deleteMarks({ through }))
      yield* run(sql.setPruned({ through }))
      return true
    })
  }
}

/** PostgreSQL and ClickHouse are of different moments or clusters. A replica of ClickHouse may only lag. */
export class MismatchError extends OperatorError {
  readonly mayPass: boolean

  constructor({ older, message }: Mismatch) {
    super(message)
    this.mayPass = older === 'ClickHouse'
  }
}

export function refuse(mismatch: Mismatch | null): void {
  if (mismatch !== null) throw new MismatchError(mismatch)
}

function toLogState(
  row: Pick<ClusterLogTables['settling'], 'settled_through' | 'batch_through' | 'timeline'>,
): LogState {
  const { settled_through: settledThrough, batch_through: through, timeline } = row
  return { timeline, settledThrough, sentThrough: through ?? settledThrough }
}

interface Through {
  readonly through: number
}

function statementsOn(database: SqlDatabase<ClusterLogTables>) {
  const { query } = sqlTextOn(database)
  const { isHeld, notify } = clusterLogStatementsOn(database)
  return {
    currentLease: currentLeaseOn(database),
    isHeld,
    notify,
    read: query<object, Omit<ClusterLogTables['settling'], 'only_row' | 'wanted_through' | 'pruned_through'>>(
      'SELECT settled_through, batch_id, batch_through, timeline FROM settling',
    ),
    fix: query<Pick<FixedBatch, 'id' | 'through'>>('UPDATE settling SET batch_id = :id, batch_through = :through'),
    finish: query<FixedBatch>(`UPDATE settling SET settled_through = :through, batch_id = NULL, batch_through = NULL
      WHERE batch_id = :id`),
    mark: query<Through>(`INSERT INTO settled_marks (through, settled_at) VALUES (:through, ${NOW})`),
    want: query<{ version: number }>('UPDATE settling SET wanted_through = greatest(wanted_through, :version)'),
    settledBefore: query<{ ageMs: number }, { through: number | null }>(
      `SELECT max(through) AS through FROM settled_marks WHERE settled_at <= ${NOW} - :ageMs`,
    ),
    deleteCommits: query<Through>('DELETE FROM commits WHERE version <= :through'),
    deleteMarks: query<Through>('DELETE FROM settled_marks WHERE through <= :through'),
    setPruned: query<Through>('UPDATE settling SET pruned_through = :through'),
  }
}
