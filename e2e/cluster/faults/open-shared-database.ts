import { systemClock } from '../../../packages/server/src/lib/time/clock.ts'
import { openPostgresql } from '../../../packages/server/src/storage/sql/postgresql/open-postgresql.ts'

/** The PostgreSQL of the nodes, past the proxy. */
export function openSharedDatabase(url: string) {
  const pause = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms))
  return openPostgresql({ url, clock: systemClock, random: Math.random, pause, mostConnections: 1 })
}
