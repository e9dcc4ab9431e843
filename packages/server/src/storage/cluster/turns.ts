import { sql } from 'kysely'
import type { Timers } from '../../lib/time/timers.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'

/** "Spos" in ASCII: with the number of a partition, the advisory lock of whose turn it is to commit there. */
const TURN_LOCK = 0x53706f73

/**
 * A node waits this long at most; then it commits without its turn. So a node that stopped in its turn delays others.
 */
const MOST_WAIT_MS = 1000
/** A turn that lasts longer ends; PostgreSQL ends that of a node that has stopped. */
const LONGEST_TURN_MS = 3000
/** How long after a conflict a node waits for its turn before it plans. */
const CONTENDED_MS = 1000

/** Whether no node has its turn in one of the partitions; then it is none before this transaction ends. */
export function isFree(partitions: unknown) {
  return sql<boolean>`coalesce(
    (SELECT bool_and(pg_try_advisory_xact_lock_shared(${sql.lit(TURN_LOCK)}, number)) FROM unnest(${partitions}::int[]) AS number),
    true
  )`
}

/**
 * Planning is optimistic: a node plans, and its commit conflicts when another one of its partitions came between. When
 * several nodes commit to one partition all the time, a node that plans longer than the others would conflict for ever.
 * So after a conflict a node waits for a lock on the partition before it looks up and plans, and holds it through its
 * commit. PostgreSQL grants the lock in the order of arrival. While a node holds it, commits of others to this
 * partition conflict, and so these nodes wait for their turn too.
 */
export class Turns {
  readonly #database: Pick<PostgresqlDatabase<unknown>, 'holdLocks'>
  readonly #timers: Pick<Timers, 'now' | 'after'>
  /** Until when, by partition. */
  readonly #contended = new Map<number, number>()
  #held: readonly number[] = []
  #end: (() => void) | null = null
  /** It was not this node's turn in time. */
  #isLate = false

  constructor(database: Pick<PostgresqlDatabase<unknown>, 'holdLocks'>, timers: Pick<Timers, 'now' | 'after'>) {
    this.#database = database
    this.#timers = timers
  }

  /** Call it before a plan. Whether it waited for this node's turn: then others may have committed. */
  async begin(): Promise<boolean> {
    if (this.#end !== null) return false
    const partitions = this.#contendedNow()
    if (partitions.length === 0) return false
    this.#isLate = false
    try {
      const limits = { mostWaitMs: MOST_WAIT_MS, longestMs: LONGEST_TURN_MS }
      const lock = await this.#database.holdLocks(TURN_LOCK, partitions, limits)
      this.#held = partitions
      const cancel = this.#timers.after(LONGEST_TURN_MS, () => this.end())
      this.#end = () => {
        cancel()
        void lock.release()
      }
    } catch {
      // Whatever the reason is, the statements that follow meet it too, or do not need the turn.
      this.#isLate = true
    }
    return true
  }

  /** After a conflict in these partitions: the next plans wait for this node's turn there. */
  want(partitions: readonly number[]): void {
    const until = this.#timers.now() + CONTENDED_MS
    for (const partition of partitions) this.#contended.set(partition, until)
  }

  /** Call it when the plan is committed or given up. */
  end(): void {
    this.#end?.()
    this.#end = null
    this.#held = []
    this.#isLate = false
  }

  /** Those of a commit that must be free: it is a conflict if another node has its turn there. */
  toBeFree(partitions: readonly number[]): readonly number[] {
    return this.#isLate ? [] : partitions.filter((partition) => !this.#held.includes(partition))
  }

  /** In the order in which all nodes lock them. */
  #contendedNow(): readonly number[] {
    const now = this.#timers.now()
    for (const [partition, until] of this.#contended) if (now >= until) this.#contended.delete(partition)
    return [...this.#contended.keys()].sort((a, b) => a - b)
  }
}
