import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'

const VIEWS: ReadonlySet<unknown> = new Set(['withTables', 'uncounted', 'readCommitted'])
/** From the end of a call to the next one of the same work, which may wait for other promises in between. */
const TURNS = 5

/** Databases whose calls are known until they have ended, so that a test can wait for what its timers began. */
export class WatchedCalls {
  readonly #underWay = new Set<Promise<unknown>>()

  /** The same database; its views are watched too. */
  watch<Schema>(database: PostgresqlDatabase<Schema>): PostgresqlDatabase<Schema> {
    return new Proxy(database, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...given: readonly unknown[]): unknown => {
          const result: unknown = Reflect.apply(member, target, given)
          if (result instanceof Promise) this.#add(result)
          return VIEWS.has(name) ? this.watch(result as PostgresqlDatabase<Schema>) : result
        }
      },
    })
  }

  /** Resolves when no call is under way and none follows. */
  async settled(): Promise<void> {
    for (let turns = 0; turns < TURNS; turns++) {
      await nextTurn()
      if (this.#underWay.size === 0) continue
      await Promise.allSettled(this.#underWay)
      turns = -1
    }
  }

  #add(call: Promise<unknown>): void {
    this.#underWay.add(call)
    const remove = () => this.#underWay.delete(call)
    call.then(remove, remove)
  }
}
