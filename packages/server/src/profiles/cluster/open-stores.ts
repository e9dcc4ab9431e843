import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { readAuthorities } from '../../storage/authorities.ts'
import { openS3BlobStore, type S3BlobStore } from '../../storage/blobs/s3/s3-blob-store.ts'
import { openServerSchema } from '../../storage/clickhouse/server/open-server-schema.ts'
import { type PreparedServer, prepareServer } from '../../storage/clickhouse/server/prepare-server.ts'
import type { PostgresqlDatabase } from '../../storage/sql/kit/postgresql-database.ts'
import { openPostgresql } from '../../storage/sql/postgresql/open-postgresql.ts'

const READERS = 2

export interface OpenStores extends Pick<PreparedServer, 'engine' | 'shards'> {
  readonly database: PostgresqlDatabase<unknown>
  readonly blobs: S3BlobStore
  readonly secretKey: Uint8Array
}

/** Runs a command, which may take hours, on the three stores of a cluster. Throws OperatorError if one is missing. */
export async function withStores<T>(config: Config, use: (stores: OpenStores) => Promise<T>): Promise<T> {
  const { cluster, s3, secretKey } = config
  if (cluster === null || s3 === null || secretKey === null) {
    throw new OperatorError(
      'There is no cluster. Set SPOOR_POSTGRES_URL, SPOOR_CLICKHOUSE_URL and SPOOR_S3_BUCKET, with what belongs to them, as for a node.',
    )
  }
  const ca = readAuthorities(config.tlsCaFile)
  const pause = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms))
  await using opened = new AsyncDisposableStack()
  const spoolFolder = await mkdtemp(join(tmpdir(), 'spoor-command-'))
  opened.defer(() => rm(spoolFolder, { recursive: true, force: true }))
  const blobs = await openS3BlobStore({
    settings: { ...s3, ca },
    spoolFolder,
    clock: systemClock,
    timers: systemTimers,
    onLeftover: () => undefined,
  })
  opened.defer(() => blobs.close())
  const postgresql = await openPostgresql({
    url: cluster.postgresUrl,
    ca,
    clock: systemClock,
    random: Math.random,
    pause,
    isLong: true,
  })
  opened.defer(() => postgresql.close())
  const { cluster: name, urls, ...account } = cluster.clickhouse
  const options = { ...account, url: urls[0] as string, ca, readers: READERS }
  const prepared = await prepareServer(options, { cluster: name, urls })
  opened.defer(() => prepared.engine.close())
  await openServerSchema(prepared)
  const { database } = postgresql
  return await use({ ...prepared, database, blobs, secretKey })
}
