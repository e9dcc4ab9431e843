import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { SecretBox } from '../lib/secret-box.ts'
import { systemClock } from '../lib/time/clock.ts'
import { systemTimers } from '../lib/time/timers.ts'
import { readAuthorities } from '../storage/authorities.ts'
import { openFolderBlobStore } from '../storage/blobs/folder/folder-blob-store.ts'
import { openS3BlobStore } from '../storage/blobs/s3/s3-blob-store.ts'
import { openServerSchema } from '../storage/clickhouse/server/open-server-schema.ts'
import { prepareServer } from '../storage/clickhouse/server/prepare-server.ts'
import { type Moved, type MoveOptions, moveStore } from '../storage/move/move-store.ts'
import { openPostgresql } from '../storage/sql/postgresql/open-postgresql.ts'

const READERS = 2

/** Copies a data directory into the cluster of the configuration. Throws OperatorError when that is not possible. */
export async function moveDataDirectory(
  config: Config,
  dataDir: string,
  onProgress: MoveOptions['onProgress'],
): Promise<Moved> {
  const { cluster, s3, secretKey, memoryBytes } = config
  if (cluster === null || s3 === null || secretKey === null) {
    throw new OperatorError(
      'There is no cluster to move to. Set SPOOR_POSTGRES_URL, SPOOR_CLICKHOUSE_URL and SPOOR_S3_BUCKET, with what belongs to them, as for a node.',
    )
  }
  const ca = readAuthorities(config.tlsCaFile)
  const pause = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms))
  await using opened = new AsyncDisposableStack()
  const spoolFolder = await mkdtemp(join(tmpdir(), 'spoor-move-'))
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
  const { engine, shards } = prepared
  return await moveStore({
    dataDir,
    sourceBlobs: await openFolderBlobStore(join(dataDir, 'media')),
    target: { database: postgresql.database, engine, shards, blobs },
    box: new SecretBox(secretKey, systemRandomBytes),
    memoryBytes,
    clock: systemClock,
    onProgress,
  })
}
