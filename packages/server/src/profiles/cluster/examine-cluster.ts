import type { Config } from '../../config.ts'
import type { ClusterConfig } from '../../config/cluster-config.ts'
import type { S3Account } from '../../lib/net/s3-account.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { createLogger } from '../../operation/logging.ts'
import type { CheckResult } from '../../operation/check-result.ts'
import { readAuthorities } from '../../storage/authorities.ts'
import { examineServer } from '../../storage/clickhouse/server/examine-server.ts'
import { examineShards } from '../../storage/clickhouse/server/shards/examine-shards.ts'
import { examinePostgresql } from '../../storage/sql/postgresql/examine-postgresql.ts'
import { type BucketOptions, openBucket } from './open-bucket.ts'

/** Asks each server of a cluster what `spoor doctor` prints. In the bucket it writes one object and removes it. */
export async function* examineCluster(config: Config): AsyncGenerator<CheckResult> {
  const { postgresUrl, clickhouse } = config.cluster as ClusterConfig
  const ca = readAuthorities(config.tlsCaFile)
  const { cluster, urls, ...account } = clickhouse
  const { results, marks } =
    urls.length === 1
      ? await examineServer({ ...account, url: urls[0] as string, ca, readers: 1 })
      : await examineShards({ ...account, urls, cluster: cluster as string, ca, readers: 1 })
  const state = yield* examinePostgresql(postgresUrl, ca, marks)
  yield* results
  yield await examineBucket({ settings: config.s3 as S3Account, ca, state, isNode: false })
}

async function examineBucket(bucket: BucketOptions): Promise<CheckResult> {
  const { settings } = bucket
  const detail = `${settings.bucket} at ${settings.endpoint ?? `Amazon S3, region ${settings.region}`}`
  try {
    const { blobs, close } = await openBucket({ clock: systemClock, logger: createLogger('silent') }, bucket)
    const media = bucket.state?.media ?? []
    const sizes = await Promise.all(media.map((key) => blobs.size(key))).finally(close)
    const lacking = sizes.filter((size) => size === null).length
    const problem = `It is older than PostgreSQL: of the newest ${media.length} media, it lacks ${lacking}.`
    return { part: 's3', detail, problems: lacking === 0 ? [] : [problem] }
  } catch (error) {
    if (!(error instanceof OperatorError || error instanceof DomainError)) throw error
    return { part: 's3', detail, problems: [error.message] }
  }
}
