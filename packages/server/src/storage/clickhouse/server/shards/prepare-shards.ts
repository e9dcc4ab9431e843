import { randomInt } from 'node:crypto'
import { DomainError } from '../../../../lib/domain-error.ts'
import { OperatorError } from '../../../../lib/operator-error.ts'
import { text } from '../../engine/literal.ts'
import type { TelemetryEngine } from '../../engine/telemetry-engine.ts'
import { type ClickHouseServerOptions, openClickHouseServer } from '../clickhouse-server-engine.ts'
import { createDatabase } from '../create-database.ts'
import { firstAnswer } from '../first-answer.ts'
import { type ClusterShape, readClusterShape } from './cluster-shape.ts'
import { localDatabaseOf, refuseUnspread } from './spread-tables.ts'

export interface ShardsOptions extends Omit<ClickHouseServerOptions, 'url'> {
  readonly cluster: string
  readonly urls: readonly string[]
  readonly patienceMs: number
}

export interface PreparedShards {
  /** Reads and inserts the rows of all shards. */
  readonly engine: TelemetryEngine
  /** Each with its own rows alone, in the order of their numbers. Closing `engine` closes them. */
  readonly shards: readonly TelemetryEngine[]
}

/**
 * Connects to each server of a cluster of shards and makes the databases. Statements that change tables go to each by
 * itself: `ON CLUSTER` would need a Keeper, which a cluster without replicas need not have.
 *
 * Reads and inserts of all rows go through any of the servers, so that the nodes share the work among them.
 */
export async function prepareShards(
  { cluster, urls, patienceMs, ...options }: ShardsOptions,
  { weights }: ClusterShape,
): Promise<PreparedShards> {
  if (urls.length !== weights.length)
    throw new OperatorError(
      `The cluster ${cluster} has ${weights.length} shards, so SPOOR_CLICKHOUSE_URL must have ${weights.length} addresses, one of each shard in their order, with commas between. It has ${urls.length}.`,
    )
  const { database } = options
  const local = localDatabaseOf(database)
  const shards = urls.map((url) => openClickHouseServer({ ...options, url, database: local }))
  const entry = openClickHouseServer({ ...options, url: urls[randomInt(urls.length)] as string })
  const close = async () => {
    await Promise.all([entry, ...shards].map((engine) => engine.close()))
  }
  try {
    await Promise.all(urls.map((url) => makeDatabases({ ...options, url }, cluster, weights, patienceMs)))
    await checkOrder(shards, urls, cluster, local)
    return { engine: { ...entry, close }, shards }
  } catch (error) {
    await close()
    throw error
  }
}

async function makeDatabases(
  options: ClickHouseServerOptions,
  cluster: string,
  weights: readonly number[],
  patienceMs: number,
): Promise<void> {
  const { onReadError: _retried, ...quietly } = options
  const server = openClickHouseServer({ ...quietly, database: 'default' })
  try {
    await firstAnswer(server, patienceMs)
    const shape = await readClusterShape(server, cluster)
    if (shape.weights.join() !== weights.join())
      throw new OperatorError(
        `The servers of ClickHouse do not agree on the shards of the cluster ${cluster}: see remote_servers in the configuration of each.`,
      )
    for (const name of [options.database, localDatabaseOf(options.database)]) await createDatabase(server, name)
    await refuseUnspread(server, options.database)
  } finally {
    await server.close()
  }
}

/** Each database has an id, so the servers can be told apart whatever names and addresses lead to them. */
async function checkOrder(
  shards: readonly TelemetryEngine[],
  urls: readonly string[],
  cluster: string,
  local: string,
): Promise<void> {
  for (const [index, shard] of shards.entries()) {
    const url = urls[index] as string
    const numbers = await shardNumbers(shard, cluster, local).catch((error: unknown) => {
      throw new OperatorError(
        `ClickHouse at ${url} cannot read all shards of the cluster ${cluster}: ${reasonOf(error)}`,
      )
    })
    const [row] = await shard.select(`SELECT toString(uuid) FROM system.databases WHERE name = ${text(local)}`)
    const number = numbers.get(row?.[0])
    if (number === index + 1) continue
    throw new OperatorError(
      `SPOOR_CLICKHOUSE_URL must name the shards of the cluster ${cluster} in their order: at place ${index + 1} is ${url}, ` +
        (number === undefined ? 'which is none of them.' : `which is shard ${number}.`),
    )
  }
}

/** By the id of their database. */
async function shardNumbers(
  shard: Pick<TelemetryEngine, 'select'>,
  cluster: string,
  local: string,
): Promise<ReadonlyMap<unknown, number>> {
  const rows = await shard.select(
    `SELECT shardNum(), toString(uuid) FROM cluster(${cluster}, system.databases) WHERE name = ${text(local)}`,
  )
  return new Map(rows.map(([number, id]) => [id, number as number]))
}

function reasonOf(error: unknown): string {
  const cause = error instanceof DomainError ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
