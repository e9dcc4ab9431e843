import { after, type TestContext } from 'node:test'
import { Client } from 'pg'
import { type PgBouncerServer, startPgBouncer } from '../../../../../../scripts/testing/pgbouncer-server.mjs'
import { SERVER_VARIABLE, startPostgresql } from '../../../../../../scripts/testing/postgresql-server.mjs'
import { systemClock } from '../../../lib/time/clock.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { openPostgresql, type OpenPostgresqlOptions } from './open-postgresql.ts'

/** Databases for the tests of one file, on the server of `npm test` or one of their own. */
export interface TestPostgresql {
  /** The URL of a new database without tables, dropped when the test ends. */
  emptyUrl(context: Pick<TestContext, 'after'>): Promise<string>
  /** The URL of a new database with the latest schema. */
  migratedUrl(context: Pick<TestContext, 'after'>): Promise<string>
  /** The URL of a copy of the database at `url`, as a backup of now restores it. Ends all connections to that. */
  copyOf(context: Pick<TestContext, 'after'>, url: string): Promise<string>
  /** A database with the latest schema, or another pool on the one at `url`; closed when the test ends. */
  open(
    context: Pick<TestContext, 'after'>,
    options?: Partial<OpenPostgresqlOptions>,
  ): Promise<PostgresqlDatabase<unknown>>
  /** Called outside of tests. A PgBouncer with so many connections for each database, or why there is none. */
  startPooler(poolSize: number, waitSeconds?: number): Promise<PgBouncerServer | string>
  /** Runs one statement as an operator would. */
  query(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** Of this process, on a server that others use too. */
let databases = 0

/** Called outside of tests. Resolves with the reason if there is no PostgreSQL. */
export async function testPostgresql(): Promise<TestPostgresql | string> {
  const shared = process.env[SERVER_VARIABLE]
  const server = shared === undefined ? await startPostgresql() : { url: shared, stop: async () => undefined }
  if (typeof server === 'string') return server
  const template = `template_${process.pid}_${databases++}`
  const urlOf = (name: string) => server.url.replace(/[^/]+$/, name)
  const operator = new Client({ connectionString: server.url })
  await operator.connect()
  const create = async (context: Pick<TestContext, 'after'>, from: string) => {
    const name = `test_${process.pid}_${databases++}`
    await operator.query(`CREATE DATABASE ${name} TEMPLATE ${from}`)
    context.after(() => operator.query(`DROP DATABASE ${name} WITH (FORCE)`))
    return urlOf(name)
  }
  await operator.query(`CREATE DATABASE ${template}`)
  await (await openPostgresql({ ...DEFAULTS, url: urlOf(template) })).close()
  after(async () => {
    await operator.query(`DROP DATABASE ${template}`)
    await operator.end()
    await server.stop()
  })
  const migratedUrl = (context: Pick<TestContext, 'after'>) => create(context, template)
  return {
    emptyUrl: (context) => create(context, 'template0'),
    migratedUrl,
    async copyOf(context, url) {
      const name = new URL(url).pathname.slice(1)
      await operator.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
      return create(context, name)
    },
    async open(context, options = {}) {
      const url = options.url ?? (await migratedUrl(context))
      const { database, close } = await openPostgresql({ ...DEFAULTS, ...options, url })
      context.after(close)
      return database
    },
    async startPooler(poolSize, waitSeconds) {
      const pooler = await startPgBouncer(server.url, { poolSize, ...(waitSeconds !== undefined && { waitSeconds }) })
      if (typeof pooler !== 'string') after(() => pooler.stop())
      return pooler
    },
    query,
  }
}

const DEFAULTS = {
  clock: systemClock,
  random: Math.random,
  pause: (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms)),
}

export async function query(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url })
  // The caller learns of a lost connection from the query.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
