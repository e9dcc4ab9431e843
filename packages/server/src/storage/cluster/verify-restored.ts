import { inParallel } from '../../lib/flow/in-parallel.ts'
import type { BlobKey, BlobStore } from '../../ports/media/blob-store.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'
import { sqlTextOn } from '../sql/kit/sql-text.ts'
import { type BackupRecord, compareSums, type Sums } from './backup-record.ts'
import { findRecovery, readState, type StoresToRecover } from './recover-stores.ts'

const MEDIA_PER_PAGE = 1000
const READS_AT_ONCE = 16

/**
 * Compares restored stores, before `recover` has changed them, with the record of their backup. Changes nothing.
 * Returns what is missing or different. Rejects with OperatorError for stores of different clusters.
 */
export async function verifyRestored(
  stores: StoresToRecover,
  sumRows: (through: number) => Promise<Sums>,
  record: BackupRecord,
): Promise<readonly string[]> {
  const { settledThrough, version, timeline } = record
  const { database, later, blobs } = stores
  const problems: string[] = []
  const state = await readState(database)
  if (state.timeline !== timeline)
    return [
      `PostgreSQL is of the timeline ${state.timeline}, and the backup of ${timeline}: it was another store, or was recovered since.`,
    ]
  if (state.version < settledThrough || state.version > version)
    problems.push(
      `PostgreSQL has commits through ${state.version}, and had those through ${settledThrough} to ${version}.`,
    )
  const recovery = await findRecovery(stores)
  if (recovery?.isLossless === false) problems.push(recovery.problem)
  const { through } = await later.count(state.version, '')
  if (through > state.version)
    problems.push(
      `ClickHouse has rows of commit ${through}, which PostgreSQL does not know: it was copied after PostgreSQL.`,
    )
  problems.push(...compareSums(record, await sumRows(settledThrough)))
  const { missing, count, example } = await countMissingMedia(database, blobs)
  if (missing > 0) problems.push(`The bucket lacks ${missing} of ${count} media, or they have other sizes: ${example}.`)
  return problems
}

interface Place {
  readonly project: Uint8Array
  readonly sha256: Uint8Array
}

interface Medium extends Place {
  readonly key: BlobKey
  readonly bytes: number
}

async function countMissingMedia(database: PostgresqlDatabase<unknown>, blobs: Pick<BlobStore, 'size'>) {
  const readPage = sqlTextOn(database).query<Place, Medium>(`SELECT project_id AS project, sha256, blob_key AS key,
      size_bytes AS bytes
    FROM media WHERE (project_id, sha256) > (:project, :sha256)
    ORDER BY project_id, sha256 LIMIT ${MEDIA_PER_PAGE}`)
  let [missing, count, example] = [0, 0, '']
  const none = new Uint8Array()
  for (let after: Place = { project: none, sha256: none }; ;) {
    const page = await database.read(readPage(after))
    const last = page.at(-1)
    if (last === undefined) return { missing, count, example }
    await inParallel(page, READS_AT_ONCE, async ({ key, bytes }) => {
      count++
      if ((await blobs.size(key)) === Number(bytes)) return
      missing++
      example = key
    })
    after = last
  }
}
