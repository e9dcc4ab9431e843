import type { Clock } from '../../../lib/time/clock.ts'
import type { Timers } from '../../../lib/time/timers.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'

const MEASURE_MS = 10_000
/** A measurement is wrong by at most half of its round trip. One that took longer is not used. */
const LONGEST_ROUND_TRIP_MS = 1000

export interface DatabaseClock extends Clock {
  /** Ends the measurements. */
  close(): Promise<void>
}

export interface DatabaseClockOptions {
  readonly database: Pick<PostgresqlDatabase<unknown>, 'statement' | 'read'>
  readonly timers: Timers
  /** Called for the first of consecutive failures. Meanwhile the clock continues by the timers. */
  readonly onError: (error: unknown, message: string) => void
}

/**
 * The time of PostgreSQL at each node, so that leases and due times do not depend on the clocks of nodes. Between
 * measurements it goes by the timers, which do not jump. After a suspension of the machine it is behind until the next
 * measurement: then a node believes that leases last longer than they do, and what it writes under one of its own is
 * refused if another has taken it.
 */
export async function openDatabaseClock({ database, timers, onError }: DatabaseClockOptions): Promise<DatabaseClock> {
  const readTime = sqlTextOn(database).query<object, { now: number }>(
    'SELECT round(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  )
  const measure = async () => {
    const sentAt = timers.now()
    const [row] = await database.read(readTime({}))
    const answeredAt = timers.now()
    if (row === undefined) throw new Error('PostgreSQL returned no time')
    return { aheadMs: row.now - (sentAt + answeredAt) / 2, roundTripMs: answeredAt - sentAt }
  }
  let { aheadMs } = await measure()
  let measuring: Promise<void> | null = null
  let hasFailed = false
  const cancel = timers.every(MEASURE_MS, () => {
    measuring ??= measure()
      .then((measured) => {
        hasFailed = false
        if (measured.roundTripMs <= LONGEST_ROUND_TRIP_MS) aheadMs = measured.aheadMs
      })
      .catch((error: unknown) => {
        if (!hasFailed) onError(error, 'the time of PostgreSQL could not be read')
        hasFailed = true
      })
      .finally(() => (measuring = null))
  })
  return {
    now: () => Math.round(timers.now() + aheadMs),
    async close() {
      cancel()
      await measuring
    },
  }
}
