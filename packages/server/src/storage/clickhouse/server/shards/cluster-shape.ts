import { OperatorError } from '../../../../lib/operator-error.ts'
import { text } from '../../engine/literal.ts'
import type { TelemetryEngine } from '../../engine/telemetry-engine.ts'

/** What `system.clusters` says of one cluster. */
export interface ClusterShape {
  /** Of each shard, in the order of their numbers: how many traces it gets beside the others. */
  readonly weights: readonly number[]
  /** Of the shard that has most. */
  readonly replicas: number
}

/** Throws OperatorError when there is no such cluster, or one that Spoor does not know how to use. */
export async function readClusterShape(
  engine: Pick<TelemetryEngine, 'select'>,
  cluster: string,
): Promise<ClusterShape> {
  const rows = await engine.select(
    `SELECT any(shard_weight), count() FROM system.clusters WHERE cluster = ${text(cluster)} GROUP BY shard_num ORDER BY shard_num`,
  )
  if (rows.length === 0)
    throw new OperatorError(`ClickHouse has no cluster ${cluster}: look in system.clusters for those that it has.`)
  const weights = rows.map(([weight]) => weight as number)
  const replicas = Math.max(...rows.map(([, count]) => count as number))
  if (weights.length > 1 && replicas > 1)
    throw new OperatorError(
      `The cluster ${cluster} has ${weights.length} shards with up to ${replicas} replicas each. Spoor can use several shards without replicas, or one shard with several replicas.`,
    )
  return { weights, replicas }
}
