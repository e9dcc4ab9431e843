import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { openDatabaseClock } from '../../storage/sql/postgresql/database-clock.ts'
import { openPostgresql } from '../../storage/sql/postgresql/open-postgresql.ts'
import { postgresqlStoresOn } from '../../storage/sql/postgresql/postgresql-stores.ts'
import { type DiscoveryEndpoints, serveDiscoveries } from '../start/serve-discoveries.ts'

/** The thread that computes discoveries, on the stores of a cluster: a composition root of its own. */

/** Start data from the main thread. */
export interface DiscoveryThreadData extends DiscoveryEndpoints {
  readonly postgresUrl: string
  readonly ca: readonly string[] | null
}

/** One request at a time. */
const CONNECTIONS = 1

if (parentPort === null) throw new Error('this module runs in a thread')
const data = workerData as DiscoveryThreadData
const { database } = await openPostgresql({
  url: data.postgresUrl,
  ca: data.ca,
  clock: systemClock,
  random: Math.random,
  pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
  mostConnections: CONNECTIONS,
})
// The clock of the main thread logs what this one meets.
const clock = await openDatabaseClock({ database, timers: systemTimers, onError: () => undefined })
serveDiscoveries(parentPort, { memory: postgresqlStoresOn(database, clock).memory, clock }, data)
