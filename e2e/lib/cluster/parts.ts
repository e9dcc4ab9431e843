import { randomBytes } from 'node:crypto'
import { startPostgresql } from '../../../scripts/testing/postgresql-server.mjs'
import { type ClickHouseServer, SHARDS, startClickHouse } from '../clickhouse/clickhouse-server.ts'
import { FaultProxy } from '../faults/fault-proxy.ts'
import { bucketEnvironment, type S3Server, startS3Server } from '../media/s3-server.ts'

type PostgresqlServer = Exclude<Awaited<ReturnType<typeof startPostgresql>>, string>

const BUCKET = 'spoor'

/** What the nodes of a cluster share, each but further shards behind a proxy that can make it fail. */
export interface ClusterParts extends AsyncDisposable {
  readonly postgresql: PostgresqlServer
  readonly clickhouse: ClickHouseServer
  /** All servers of ClickHouse, each a shard; the first is `clickhouse`. */
  readonly shards: readonly ClickHouseServer[]
  readonly s3: S3Server
  readonly proxies: { readonly postgresql: FaultProxy; readonly clickhouse: FaultProxy; readonly s3: FaultProxy }
  /** The settings of each node. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Takes some seconds, 600 MB, and 250 MB for each further shard. If a part is not installed, the reason and how to get
 * it; in CI an error.
 */
export async function startClusterParts(shards = 1): Promise<ClusterParts | string> {
  const stack = new AsyncDisposableStack()
  try {
    const [postgresql, clickhouse, s3] = await Promise.all([
      startPostgresql(),
      startClickHouse(shards),
      startS3Server(),
    ])
    if (typeof postgresql !== 'string') stack.defer(() => postgresql.stop())
    if (typeof clickhouse !== 'string') for (const server of clickhouse) stack.use(server)
    if (typeof s3 !== 'string') stack.use(s3)
    for (const part of [postgresql, clickhouse, s3]) {
      if (typeof part !== 'string') continue
      await stack.disposeAsync()
      return part
    }
    return await joined(
      postgresql as PostgresqlServer,
      clickhouse as readonly ClickHouseServer[],
      s3 as S3Server,
      stack,
    )
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function joined(
  postgresql: PostgresqlServer,
  shards: readonly ClickHouseServer[],
  s3: S3Server,
  stack: AsyncDisposableStack,
): Promise<ClusterParts> {
  await s3.createBucket(BUCKET)
  const before = async (url: string) => stack.use(await FaultProxy.before(url))
  const [clickhouse, ...others] = shards as readonly [ClickHouseServer, ...ClickHouseServer[]]
  const proxies = {
    postgresql: await before(postgresql.url),
    clickhouse: await before(clickhouse.url),
    s3: await before(s3.endpoint),
  }
  const origin = (url: string) => new URL(url).origin
  const key = () => randomBytes(32).toString('hex')
  const owned = stack.move()
  return {
    postgresql,
    clickhouse,
    shards,
    s3,
    proxies,
    environment: {
      SPOOR_POSTGRES_URL: proxies.postgresql.through(postgresql.url),
      SPOOR_CLICKHOUSE_URL: [
        origin(proxies.clickhouse.through(clickhouse.url)),
        ...others.map(({ url }) => url),
      ].join(),
      ...(others.length === 0 ? {} : { SPOOR_CLICKHOUSE_CLUSTER: SHARDS }),
      SPOOR_CLICKHOUSE_USER: clickhouse.user,
      SPOOR_CLICKHOUSE_PASSWORD: clickhouse.password,
      ...bucketEnvironment(s3, BUCKET),
      SPOOR_S3_ENDPOINT: origin(proxies.s3.through(s3.endpoint)),
      SPOOR_SECRET_KEY: key(),
      SPOOR_SIGNING_KEY: key(),
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
