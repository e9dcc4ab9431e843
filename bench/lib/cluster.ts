import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { type ClickHouseServer, startClickHouse } from '../../e2e/lib/clickhouse/clickhouse-server.ts'
import { bucketEnvironment, startS3Server } from '../../e2e/lib/media/s3-server.ts'
import { startPostgresql } from '../../scripts/testing/postgresql-server.mjs'
import { type ServiceUnderTest, startService } from './service.ts'

/** The stores of a cluster on this machine, all with durable writes, and its nodes. */
export interface BenchCluster {
  readonly postgresql: pg.Pool
  readonly clickhouse: ClickHouseServer
  /** Starts one more node. `clickhouseUrl`: a proxy in front of the server. */
  addNode(options?: { readonly clickhouseUrl?: string }): Promise<ServiceUnderTest>
  stop(): Promise<void>
}

const BUCKET = 'bench'
const DATABASE = 'spoor'

/** The reason when a component is not installed. */
export async function startCluster(folder: string): Promise<BenchCluster | string> {
  const postgresql = await startPostgresql(undefined, { isDurable: true })
  if (typeof postgresql === 'string') return postgresql
  const servers = await startClickHouse()
  if (typeof servers === 'string') return servers
  const s3 = await startS3Server()
  if (typeof s3 === 'string') return s3
  await s3.createBucket(BUCKET)
  const [clickhouse] = servers as readonly [ClickHouseServer]
  const admin = new pg.Client(postgresql.url)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${DATABASE}`)
  await admin.end()
  const url = postgresql.url.replace(/\/postgres$/, `/${DATABASE}`)
  const pool = new pg.Pool({ connectionString: url })
  const nodes: ServiceUnderTest[] = []
  return {
    postgresql: pool,
    clickhouse,
    async addNode({ clickhouseUrl = clickhouse.url } = {}) {
      const node = await startService({
        dataDir: join(folder, `node-${nodes.length}`),
        ...(nodes[0] === undefined ? {} : { key: nodes[0].key }),
        environment: {
          ...bucketEnvironment(s3, BUCKET),
          SPOOR_POSTGRES_URL: url,
          SPOOR_CLICKHOUSE_URL: clickhouseUrl,
          SPOOR_CLICKHOUSE_USER: clickhouse.user,
          SPOOR_CLICKHOUSE_PASSWORD: clickhouse.password,
          SPOOR_SECRET_KEY: 'a1'.repeat(32),
          SPOOR_SIGNING_KEY: 'b2'.repeat(32),
        },
      })
      nodes.push(node)
      return node
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
      await pool.end()
      await Promise.all([postgresql.stop(), clickhouse[Symbol.asyncDispose](), s3[Symbol.asyncDispose]()])
    },
  }
}

/** A request to ClickHouse as a node sent it. */
export interface RecordedQuery {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A proxy that keeps what passes, to send it again. */
export async function recordQueries(target: string) {
  const queries: RecordedQuery[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const query = { path: incoming.url ?? '/', headers: incoming.headers, body: Buffer.concat(chunks) }
      if (query.body.subarray(0, 1000).includes('SELECT')) queries.push(query)
      const forwarded = request(new URL(query.path, target), { method: 'POST', headers: query.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      forwarded.end(query.body)
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What has passed since the last call. */
    take: () => queries.splice(0),
    close: () => server.close(),
  }
}
