import { splitList } from './parse-setting.ts'

/** Where the nodes of a cluster store what they share. Media is in a bucket, see s3-config.ts. */
export interface ClusterConfig {
  /** With the password; never to be printed. */
  readonly postgresUrl: string
  readonly clickhouse: ClickHouseConfig
  /** Where other nodes reach this one: scheme, host and port; null: by the address that it listens on. */
  readonly nodeAddress: string | null
}

export interface ClickHouseConfig {
  /** One server, or one of each shard in their order. Without user, password and parameters. */
  readonly urls: readonly string[]
  readonly user: string
  readonly password: string
  readonly database: string
  /** A cluster of `remote_servers`; null: one server, or a service that acts as one. */
  readonly cluster: string | null
}

type Values = ReadonlyMap<string, string | number | null>
type Given = ReadonlyMap<string, { readonly source: string }>

const SERVERS = ['SPOOR_POSTGRES_URL', 'SPOOR_CLICKHOUSE_URL'] as const
const STORES = [...SERVERS, 'SPOOR_S3_BUCKET'] as const
/** They are files in the data folder otherwise, and a node has none. */
const KEYS = ['SPOOR_SECRET_KEY', 'SPOOR_SIGNING_KEY'] as const
const OF_CLICKHOUSE = 'SPOOR_CLICKHOUSE_'

/** Null unless all three stores are named. */
export function toClusterConfig(values: Values): ClusterConfig | null {
  const text = (name: string) => String(values.get(name) ?? '')
  if (STORES.some((name) => text(name) === '')) return null
  return {
    postgresUrl: text('SPOOR_POSTGRES_URL'),
    nodeAddress: text('SPOOR_NODE_ADDRESS') || null,
    clickhouse: {
      urls: splitList(text('SPOOR_CLICKHOUSE_URL')),
      user: text('SPOOR_CLICKHOUSE_USER'),
      password: text('SPOOR_CLICKHOUSE_PASSWORD'),
      database: text('SPOOR_CLICKHOUSE_DATABASE'),
      cluster: text('SPOOR_CLICKHOUSE_CLUSTER') || null,
    },
  }
}

/** Missing settings of a cluster if one or two stores are named, and settings that have no effect. */
export function findClusterProblems(values: Values, given: Given): string[] {
  const problems: string[] = []
  const named = SERVERS.filter((name) => given.has(name))
  const missing = named.length === 0 ? [] : STORES.filter((name) => !given.has(name))
  if (missing.length > 0) {
    problems.push(
      `${list(named)} ${named.length === 1 ? 'selects' : 'select'} the cluster profile, which also needs ${list(missing)}; without all three Spoor keeps its data in a folder`,
    )
  }
  if (toClusterConfig(values) !== null) {
    for (const name of KEYS) {
      if (!given.has(name)) problems.push(`${name} must be set for the cluster profile, the same on every node`)
    }
    const urls = splitList(String(values.get('SPOOR_CLICKHOUSE_URL')))
    if (urls.some((url) => new URL(url).search !== '')) {
      problems.push(
        'SPOOR_CLICKHOUSE_URL must have no parameters; user, password and database have settings of their own',
      )
    }
    if (urls.length > 1 && !given.has('SPOOR_CLICKHOUSE_CLUSTER')) {
      problems.push(
        'SPOOR_CLICKHOUSE_URL names several servers, so SPOOR_CLICKHOUSE_CLUSTER must name the cluster whose shards they are',
      )
    }
  }
  if (!given.has('SPOOR_CLICKHOUSE_URL')) {
    for (const [name, { source }] of given) {
      if (name.startsWith(OF_CLICKHOUSE)) problems.push(`${source} has no effect without SPOOR_CLICKHOUSE_URL`)
    }
  }
  const address = given.get('SPOOR_NODE_ADDRESS')
  if (address !== undefined && named.length === 0) problems.push(`${address.source} has no effect without a cluster`)
  const ca = given.get('SPOOR_TLS_CA_FILE')
  if (ca !== undefined && STORES.every((name) => !given.has(name))) {
    problems.push(`${ca.source} has no effect without SPOOR_S3_BUCKET or the stores of a cluster`)
  }
  return problems
}

function list(names: readonly string[]): string {
  return names.join(' and ')
}
