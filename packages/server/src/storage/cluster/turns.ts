import type { Timers } from '../../lib/time/timers.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'

/** "Spos" in ASCII: the advisory lock of whose turn it is to commit. */
export const TURN_LOCK = 0x53706f73

/**
 * A node waits this long at most; then it commits without its turn. So a node that stopped in its turn delays others.
 */
const MOST_WAIT_MS = 1000
/** A turn that lasts longer ends; PostgreSQL ends that of a node that has stopped. */
const LONGEST_TURN_MS = 3000
/** How long after a conflict a node waits for its turn before it plans. */
const CONTENDED_MS = 1000

/**
 * Planning is optimistic: a node plans, and its commit conflicts when another one came between. When several nodes
 * commit all the time, a node that plans longer than the others would conflict for ever. So after a conflict a node
 * waits for a lock before it looks up and plans, and holds it through its commit. PostgreSQL grants the lock in the
 * order of arrival. While a node holds it, commits of others conflict, and so these nodes wait for their turn too.
 */
export class Turns {
  readonly #database: Pick<PostgresqlDatabase<unknown>, 'holdLock'>
  readonly #timers: Pick<Timers, 'now' | 'after'>
  #contendedUntil = -Infinity
  #end: (() => void) | null = null
  /** It was not this node's turn in time. */
  #isLate = false

  constructor(database: Pick<PostgresqlDatabase<unknown>, 'holdLock'>, timers: Pick<Timers, 'now' | 'after'>) {
    this.#database = database
    this.#timers = timers
  }

  /** Call it before a plan. Whether it waited for this node's turn: then others may have committed. */
  async begin(): Promise<boolean> {
    if (this.#end !== null || this.#timers.now() >= this.#contendedUntil) return false
    this.#isLate = false
    try {
      const lock = await this.#database.holdLock(TURN_LOCK, { mostWaitMs: MOST_WAIT_MS, longestMs: LONGEST_TURN_MS })
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

  /** After a conflict: the next plans wait for this node's turn. */
  want(): void {
    this.#contendedUntil = this.#timers.now() + CONTENDED_MS
  }

  /** Call it when the plan is committed or given up. */
  end(): void {
    this.#end?.()
    this.#end = null
    this.#isLate = false
  }

  /** `isFree`: no node held the lock when the commit's transaction locked the state. */
  mayCommit(isFree: boolean): boolean {
    return isFree || this.#end !== null || this.#isLate
  }
}
