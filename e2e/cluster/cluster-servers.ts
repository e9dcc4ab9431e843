import { randomBytes } from 'node:crypto'
import { startPostgresql } from '../../scripts/testing/postgresql-server.mjs'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import { type ClickHouseServer, startClickHouse } from '../lib/clickhouse/clickhouse-server.ts'
import { bucketEnvironment, type S3Server, startS3Server } from '../lib/media/s3-server.ts'
import { Service } from '../lib/service.ts'

const BUCKET = 'spoor'

/** PostgreSQL, ClickHouse and an S3 service on loopback, each empty, and nodes on them. */
export class ClusterServers implements AsyncDisposable {
  readonly postgresql: { readonly url: string; stop(): Promise<void> }
  readonly clickhouse: ClickHouseServer
  readonly s3: S3Server
  /** The key of the first project, with every scope. */
  readonly key = newSecret(randomBytes)
  readonly #secretKey = randomBytes(32).toString('hex')
  readonly #signingKey = randomBytes(32).toString('hex')

  private constructor(postgresql: ClusterServers['postgresql'], clickhouse: ClickHouseServer, s3: S3Server) {
    this.postgresql = postgresql
    this.clickhouse = clickhouse
    this.s3 = s3
  }

  /** Resolves with the reason, and how to get it, when one of them is not installed; in CI that is an error. */
  static async start(): Promise<ClusterServers | string> {
    const s3 = await startS3Server()
    if (typeof s3 === 'string') return s3
    const [postgresql, clickhouse] = await Promise.all([startPostgresql(), startClickHouse(1)])
    const missing = [postgresql, clickhouse].find((one) => typeof one === 'string')
    if (typeof postgresql === 'string' || typeof clickhouse === 'string' || clickhouse[0] === undefined) {
      await s3[Symbol.asyncDispose]()
      if (typeof postgresql !== 'string') await postgresql.stop()
      if (typeof clickhouse !== 'string') await Promise.all(clickhouse.map((server) => server[Symbol.asyncDispose]()))
      return String(missing)
    }
    await s3.createBucket(BUCKET)
    return new ClusterServers(postgresql, clickhouse[0], s3)
  }

  /** The settings of every node. */
  environment(): Readonly<Record<string, string>> {
    return {
      ...bucketEnvironment(this.s3, BUCKET),
      SPOOR_POSTGRES_URL: this.postgresql.url,
      SPOOR_CLICKHOUSE_URL: this.clickhouse.url,
      SPOOR_CLICKHOUSE_USER: this.clickhouse.user,
      SPOOR_CLICKHOUSE_PASSWORD: this.clickhouse.password,
      SPOOR_SECRET_KEY: this.#secretKey,
      SPOOR_SIGNING_KEY: this.#signingKey,
      SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8',
    }
  }

  /** A node that answers. It has no data folder: a path that cannot be made is named as one. */
  startNode(environment: Readonly<Record<string, string>> = {}): Promise<Service> {
    return Service.start({
      dataDir: '/dev/null/no-folder',
      environment: { ...this.environment(), SPOOR_BOOTSTRAP_KEY: this.key, ...environment },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.postgresql.stop(), this.clickhouse[Symbol.asyncDispose](), this.s3[Symbol.asyncDispose]()])
  }
}
