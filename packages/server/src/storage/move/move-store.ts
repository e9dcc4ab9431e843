import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/operator-error.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { openChdbEngine } from '../clickhouse/engine/chdb-engine.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import { writeTimeline } from '../blobs/bucket-timeline.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { firstTimeline } from '../cluster/timeline.ts'
import { openTelemetrySchema } from '../clickhouse/migrations/open-telemetry-schema.ts'
import { checkParts } from '../clickhouse/parts/check-parts.ts'
import { readPartsRecord } from '../clickhouse/parts/parts-record.ts'
import { linkTelemetry } from '../check/link-telemetry.ts'
import { withCopyFolder } from '../copy-folder.ts'
import { DATA_FILES } from '../data-files.ts'
import { lockDataDirectory } from '../data-lock.ts'
import { openClusterStore } from '../sql/clusters/open-cluster-store.ts'
import { openDeliveryStore } from '../sql/deliveries/open-delivery-store.ts'
import type { SqlDatabase } from '../sql/kit/sql-database.ts'
import { openControlStore } from '../sql/open-control-store.ts'
import { type ControlFiles, moveControl, refuseOtherData } from './move-control.ts'
import { moveMedia } from './move-media.ts'
import { type MoveProgress, readProgress, writeProgress } from './move-progress.ts'
import { moveTable, sharedColumns, sumOf } from './move-telemetry.ts'
import { MOVED_TABLES } from './telemetry-tables.ts'

/** The stores of a cluster, with the latest schema. */
interface MoveTarget {
  readonly database: SqlDatabase<unknown>
  readonly engine: TelemetryEngine
  /** See PreparedServer. */
  readonly shards: readonly TelemetryEngine[]
  readonly blobs: BlobStore
}

export interface MoveOptions {
  readonly dataDir: string
  /** The media of the data folder. */
  readonly sourceBlobs: Pick<BlobStore, 'read'>
  readonly target: MoveTarget
  /** With the key that the cluster seals secrets with. */
  readonly box: SecretBox
  /** Memory limit of the engine that reads the store, bytes. */
  readonly memoryBytes: number
  readonly clock: Clock
  /** `total` is null where it is not known before the end. */
  readonly onProgress: (part: string, done: number, total: number | null) => void
}

/** The copied rows by table, and media. */
export interface Moved {
  readonly rows: Readonly<Record<string, number>>
  readonly controlRows: number
  readonly objects: number
  readonly mediaBytes: number
  /** An earlier move had done everything. */
  readonly wasFinished: boolean
}

/**
 * Copies the store of a stopped service into a cluster that holds nothing. Rows of traces and media come first, and may
 * be copied in several attempts; then everything in PostgreSQL in one transaction, so that a node that starts earlier
 * finds an empty cluster. Ends by comparing. Throws OperatorError when the store is in use or was not stopped in order,
 * when the target holds other data, and when something differs.
 */
export async function moveStore(options: MoveOptions): Promise<Moved> {
  const { dataDir } = options
  if (!existsSync(join(dataDir, DATA_FILES.control)))
    throw new OperatorError(`There is no Spoor data in ${dataDir}. Name its folder with --data-dir.`)
  const lock = lockDataDirectory(dataDir)
  try {
    migrate(options)
    const files = openFiles(dataDir)
    try {
      return await moveFiles(options, files)
    } finally {
      for (const file of Object.values(files)) file.close()
    }
  } finally {
    lock.close()
  }
}

/** To the latest schema of the three files. */
function migrate({ dataDir, clock, box }: MoveOptions): void {
  const pause = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms))
  for (const open of [openControlStore, openDeliveryStore, openClusterStore])
    open({ dataDir, clock, box, pause, create: false }).close()
}

function openFiles(dataDir: string): ControlFiles {
  const open = (name: string) => new DatabaseSync(join(dataDir, name), { readOnly: true })
  return {
    'control.db': open('control.db'),
    'clusters.db': open('clusters.db'),
    'deliveries.db': open('deliveries.db'),
  }
}

async function moveFiles(options: MoveOptions, files: ControlFiles): Promise<Moved> {
  const { dataDir, target, onProgress, clock } = options
  const control = files['control.db']
  const version = await checkStopped(dataDir, control)
  checkSecretKey(control, options.box.keyId)
  const targetId = await identityOf(target.database)
  let progress = await readProgress(dataDir)
  if (progress?.target === targetId && progress.finishedAt !== null)
    return { rows: {}, controlRows: 0, objects: 0, mediaBytes: 0, wasFinished: true }
  await target.database.withTables<never>().write(() => refuseOtherData(target.database.withTables()))
  if (progress === null || progress.target !== targetId) {
    await refuseOtherRows(target.engine)
    progress = { target: targetId, version, tables: {}, finishedAt: null }
  } else if (progress.version !== version) {
    throw new OperatorError(
      `The service has run on ${dataDir} since the move began. Empty the databases in PostgreSQL and ClickHouse, remove ${join(dataDir, 'move.json')}, and begin again.`,
    )
  }
  const record = (changed: Partial<MoveProgress>): Promise<void> => {
    progress = { ...(progress as MoveProgress), ...changed }
    return writeProgress(dataDir, progress)
  }
  await record({})
  const rows = await withCopyOfTelemetry(options, async (source) => {
    const moved: Record<string, number> = {}
    for (const table of MOVED_TABLES) {
      moved[table.name] = await moveTable({
        source,
        target: target.engine,
        table,
        batchPrefix: `move-${targetId}-${version}`,
        place: progress?.tables[table.name] ?? null,
        onPlace: (place) => {
          onProgress(table.name, place.rows, null)
          return record({ tables: { ...progress?.tables, [table.name]: place } })
        },
      })
    }
    for (const table of MOVED_TABLES) {
      onProgress(`comparing ${table.name}`, 0, null)
      const columns = await sharedColumns(source, target.engine, table.name)
      const [here, there] = await Promise.all([sumOf(source, table, columns), sumOf(target.engine, table, columns)])
      if (here.rows !== there.rows || here.hash !== there.hash)
        throw new OperatorError(
          `The table ${table.name} was not copied whole: ${here.rows} rows with the sum ${here.hash} here, ${there.rows} with ${there.hash} in ClickHouse.`,
        )
    }
    return moved
  })
  const media = await moveMedia({
    control,
    source: options.sourceBlobs,
    target: target.blobs,
    onObject: (objects, total) => onProgress('media', objects, total),
    lacking: (key) => new OperatorError(`The media object ${key} is neither in the data folder nor in the bucket.`),
  })
  await writeTimeline(target.blobs, firstTimeline(targetId))
  // A node that starts waits until it can read this mark.
  const settled = new ClickHouseTraceStore(target.engine, { shards: target.shards })
  await settled.markSettled(firstTimeline(targetId), version, `move-${targetId}-${version}-mark`)
  const controlRows = await moveControl(files, target.database, (done, table) =>
    onProgress(`control data, ${table}`, done, null),
  )
  await record({ finishedAt: new Date(clock.now()).toISOString() })
  return { rows, controlRows, objects: media.objects, mediaBytes: media.bytes, wasFinished: false }
}

/** Returns the last commit. Throws OperatorError when commits wait in the log: a start settles them. */
async function checkStopped(dataDir: string, control: DatabaseSync): Promise<number> {
  const version = Number(control.prepare('SELECT version FROM journal_state').get()?.['version'])
  const record = await readPartsRecord(join(dataDir, DATA_FILES.partsRecord))
  if ((record?.settledThrough ?? 0) < version)
    throw new OperatorError(
      `The service on ${dataDir} was not stopped in order: its last commits are in the log only. Start it once more without the settings of the cluster, stop it with SIGTERM, and repeat the move.`,
    )
  return version
}

function checkSecretKey(control: DatabaseSync, keyId: string): void {
  const other = control.prepare('SELECT 1 FROM webhooks WHERE secret_key_id <> ?').get(keyId)
  if (other !== undefined)
    throw new OperatorError(
      'SPOOR_SECRET_KEY is not the key that the secrets of the webhooks were sealed with. Without that setting, the key is the content of secrets.key in the data folder: xxd -p -c 64 secrets.key prints it.',
    )
}

async function identityOf(database: SqlDatabase<unknown>): Promise<string> {
  const identities = database.withTables<{ store_identity: { store_id: string } }>()
  const [row] = await identities.read(
    identities.bound((queries) => queries.selectFrom('store_identity').select('store_id')),
  )
  if (row === undefined) throw new Error('the database has no identity')
  return row.store_id
}

async function refuseOtherRows(engine: TelemetryEngine): Promise<void> {
  for (const { name } of MOVED_TABLES) {
    const [row] = await engine.select(`SELECT count() FROM ${name}`)
    if (row?.[0] !== 0)
      throw new OperatorError(
        'The database in ClickHouse holds other data. Name an empty one with SPOOR_CLICKHOUSE_DATABASE.',
      )
  }
}

/** Reads hard links to the parts, so that the engine changes nothing of the store. */
async function withCopyOfTelemetry<T>(
  { dataDir, memoryBytes }: MoveOptions,
  use: (source: TelemetryEngine) => Promise<T>,
): Promise<T> {
  return withCopyFolder(dataDir, 'move', async (folder) => {
    await linkTelemetry(join(dataDir, DATA_FILES.telemetry), folder)
    const engine = openChdbEngine({ directory: folder, memoryBytes, readers: 2 })
    try {
      await engine.command('SYSTEM STOP MERGES')
      await openTelemetrySchema(engine)
      const { missing } = await checkParts(engine, await readPartsRecord(join(dataDir, DATA_FILES.partsRecord)))
      if (missing.length > 0)
        throw new OperatorError(`${missing.length} parts of the store cannot be read. spoor check says which.`)
      return await use(engine)
    } finally {
      await engine.close()
    }
  })
}
