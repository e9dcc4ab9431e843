import type { CheckResult } from '../../../../operation/check-result.ts'
import type { Marks } from '../../../cluster/timeline.ts'
import { type ClickHouseServerOptions, openClickHouseServer } from '../clickhouse-server-engine.ts'
import { examineServer, type ServerExamination } from '../examine-server.ts'
import { readClusterShape } from './cluster-shape.ts'
import { localDatabaseOf } from './spread-tables.ts'

export interface ExamineShardsOptions extends Omit<ClickHouseServerOptions, 'url'> {
  readonly cluster: string
  /** Of the shards in their order. */
  readonly urls: readonly string[]
}

/** The report of each shard on itself, and whether it reaches the others. Changes nothing. */
export async function examineShards({ cluster, urls, ...options }: ExamineShardsOptions): Promise<ServerExamination> {
  const results: CheckResult[] = []
  const marks: Marks[number][] = []
  for (const [index, url] of urls.entries()) {
    const database = localDatabaseOf(options.database)
    const shard = await examineServer({ ...options, url, database }, `clickhouse shard ${index + 1}`)
    marks.push(...shard.marks)
    const [own, ...notes] = shard.results
    if (own === undefined) continue
    const problems = own.problems.length > 0 ? own.problems : await findWayProblems({ ...options, url }, cluster, urls)
    results.push({ ...own, problems }, ...notes)
  }
  return { results, marks }
}

/** Of a server that answers. */
async function findWayProblems(
  options: ClickHouseServerOptions,
  cluster: string,
  urls: readonly string[],
): Promise<readonly string[]> {
  const engine = openClickHouseServer({ ...options, database: 'default' })
  try {
    const { weights } = await readClusterShape(engine, cluster)
    if (weights.length !== urls.length)
      return [
        `It knows ${weights.length} shards of the cluster ${cluster}, but SPOOR_CLICKHOUSE_URL has ${urls.length} addresses.`,
      ]
    await engine.select(`SELECT shardNum() FROM cluster(${cluster}, system.one)`)
    return []
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return [`It cannot read all shards: ${cause instanceof Error ? cause.message : String(cause)}`]
  } finally {
    await engine.close()
  }
}
