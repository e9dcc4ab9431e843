/**
 * Damages a data directory like a disk, a file system or an operator does. The service MUST NOT run. Each function
 * returns a sentence about the damage, and throws if there is nothing to damage.
 */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join, parse, relative } from 'node:path'
import { mediaFiles } from '../media/media.ts'

/** Tables of the column store by the names of their definitions. */
export type DamagedTable = 'traces' | 'steps' | 'metric_events' | 'metric_points'

/** Files that a part can lose. `marks` hold the offset of each granule. */
export type PartFile = 'checksums.txt' | 'columns.txt' | 'count.txt' | 'marks' | 'data'

export function removePartFile(dataDir: string, table: DamagedTable, file: PartFile): string {
  const part = largestPart(dataDir, table)
  const path = fileOfPart(part, file)
  rmSync(path)
  return `removed ${relative(dataDir, path)} of the table ${table}`
}

export function removePart(dataDir: string, table: DamagedTable): string {
  const part = largestPart(dataDir, table)
  rmSync(part, { recursive: true })
  return `removed the part ${relative(dataDir, part)} of the table ${table}`
}

/**
 * Flips a bit of the compressed values of a part: in the middle, in whatever column that is, perhaps one that no read
 * takes; in the largest block; or in the last column.
 */
export function flipBitOfPart(
  dataDir: string,
  table: DamagedTable,
  place: 'middle' | 'largest block' | 'last column' = 'middle',
): string {
  const path = fileOfPart(largestPart(dataDir, table), 'data')
  const { length } = readFileSync(path)
  const at = { middle: length / 2, 'largest block': middleOfLargestBlock(path), 'last column': length - 16 }[place]
  return flipBitAt(dataDir, path, at / length)
}

/** Blocks of ClickHouse: a checksum of 16 bytes, the method, the size from the method on, and the size unpacked. */
function middleOfLargestBlock(path: string): number {
  const bytes = readFileSync(path)
  let found = { from: 0, size: 0 }
  for (let from = 0; from < bytes.length;) {
    const size = 16 + bytes.readUInt32LE(from + 17)
    if (size > found.size) found = { from, size }
    from += size
  }
  return found.from + found.size / 2
}

/** Parts have these files after their first merge. */
const TEXT_INDEX_FILE = /^skp_idx_(text|terms)_index\./

/** Damages the files of the text index like a merge on a full disk or a power loss. */
export function truncateIndexesOfPart(dataDir: string, table: 'traces' | 'steps'): string {
  const part = largestPart(dataDir, table, TEXT_INDEX_FILE)
  const files = readdirSync(part).filter((name) => TEXT_INDEX_FILE.test(name))
  for (const name of files) truncateSync(join(part, name), 0)
  return `truncated ${files.join(', ')} of ${relative(dataDir, part)} of the table ${table} to 0 bytes`
}

/** SQLite databases and their extra files; a write-ahead log exists after a kill, but not after a stop. */
export type DatabaseFile = 'control.db' | 'control.db-wal' | 'deliveries.db' | 'deliveries.db-wal' | 'clusters.db'

/** Removes one file: `removeDatabaseFile(dir, 'control.db')` leaves `control.db-wal`. */
export function removeDatabaseFile(dataDir: string, name: DatabaseFile): string {
  const path = existing(join(dataDir, name))
  rmSync(path)
  return `removed ${name}`
}

/** Removes the database with its extra files, as if it had never existed. */
export function removeDatabase(dataDir: string, name: 'control.db' | 'deliveries.db' | 'clusters.db'): string {
  const files = readdirSync(dataDir).filter((file) => file === name || file.startsWith(`${name}-`))
  if (files.length === 0) throw new Error(`there is no ${name} in ${dataDir}`)
  for (const file of files) rmSync(join(dataDir, file))
  return `removed ${files.join(', ')}`
}

/** `position` from 0, the beginning, to 1, the end. */
export function flipBitOfDatabaseFile(dataDir: string, name: DatabaseFile, position = 0.5): string {
  return flipBitAt(dataDir, existing(join(dataDir, name)), position)
}

export function cutByteOfDatabaseFile(dataDir: string, name: DatabaseFile): string {
  return cutEnd(dataDir, existing(join(dataDir, name)), 1)
}

export function removeCommitLog(dataDir: string): string {
  rmSync(existing(join(dataDir, 'commit-log')), { recursive: true })
  return 'removed the folder commit-log'
}

export function removeNewestSegment(dataDir: string): string {
  const path = newestSegment(dataDir)
  rmSync(path)
  return `removed the newest segment ${relative(dataDir, path)}`
}

export function truncateNewestSegment(dataDir: string, byBytes: number): string {
  return cutEnd(dataDir, newestSegment(dataDir), byBytes)
}

/** `position` from 0, the beginning, to 1, the end. */
export function flipBitOfNewestSegment(dataDir: string, position = 0.5): string {
  return flipBitAt(dataDir, newestSegment(dataDir), position)
}

export function removeTelemetry(dataDir: string): string {
  rmSync(existing(join(dataDir, 'telemetry')), { recursive: true })
  return 'removed the folder telemetry'
}

export function removeMedia(dataDir: string): string {
  const path = largestMedia(dataDir)
  rmSync(path)
  return `removed the media object ${relative(dataDir, path)}`
}

/** Truncates the file to half its length. */
export function truncateMedia(dataDir: string): string {
  const path = largestMedia(dataDir)
  return cutEnd(dataDir, path, Math.ceil(statSync(path).size / 2))
}

/** Flips one bit in the middle; the length stays. */
export function flipBitOfMedia(dataDir: string): string {
  return flipBitAt(dataDir, largestMedia(dataDir), 0.5)
}

/** Writes that the service set a part aside, and lost so many rows with it. */
export function recordDamage(dataDir: string, rowsLost: number): string {
  const part = { table: 'steps', part: '202601_1_1_0', why: 'test', rowsLost, lost: [], unnamed: [], folder: 'none' }
  appendFileSync(join(dataDir, 'damage.jsonl'), `${JSON.stringify({ kind: 'set_aside', ...part })}\n`)
  return `a part set aside with ${rowsLost} rows`
}

/** The folder of the largest active part with such a file. */
function largestPart(dataDir: string, table: DamagedTable, having = /./): string {
  const folder = realpathSync(existing(join(dataDir, 'telemetry/data/spoor', table)))
  const parts = readdirSync(folder).flatMap(readPartName)
  const active = parts.filter((part) => !parts.some((other) => replaces(other, part)))
  const paths = active.map(({ name }) => join(folder, name))
  return largest(paths.filter((path) => readdirSync(path).some((name) => having.test(name))))
}

interface PartName {
  readonly name: string
  readonly partition: string
  readonly firstBlock: number
  readonly lastBlock: number
  readonly level: number
  readonly mutation: number
}

/** `PARTITION_FIRST_LAST_LEVEL`, and the mutation if there was one. */
function readPartName(name: string): PartName[] {
  const found = /^(\d{6}|all)_(\d+)_(\d+)_(\d+)(?:_(\d+))?$/.exec(name)
  if (found === null) return []
  const [, partition = '', first, last, level, mutation = '0'] = found
  return [
    {
      name,
      partition,
      firstBlock: Number(first),
      lastBlock: Number(last),
      level: Number(level),
      mutation: Number(mutation),
    },
  ]
}

function replaces(newer: PartName, older: PartName): boolean {
  if (newer === older || newer.partition !== older.partition) return false
  const covers = newer.firstBlock <= older.firstBlock && newer.lastBlock >= older.lastBlock
  return covers && newer.level >= older.level && newer.mutation >= older.mutation
}

function fileOfPart(part: string, file: PartFile): string {
  if (file !== 'marks' && file !== 'data') return existing(join(part, file))
  const names = readdirSync(part)
  const data = largest(names.filter((name) => name.endsWith('.bin')).map((name) => join(part, name)))
  if (file === 'data') return data
  const marks = names.find((name) => new RegExp(`^${parse(data).name}\\.c?mrk\\d$`).test(name))
  if (marks === undefined) throw new Error(`${part} has no marks of ${data}`)
  return join(part, marks)
}

function newestSegment(dataDir: string): string {
  const folder = existing(join(dataDir, 'commit-log'))
  const newest = readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .sort()
    .at(-1)
  if (newest === undefined) throw new Error(`there is no segment in ${folder}`)
  return join(folder, newest)
}

function largestMedia(dataDir: string): string {
  return largest(mediaFiles(dataDir).filter((path) => path.includes('/media/objects/')))
}

function largest(paths: readonly string[]): string {
  const sized = paths.map((path) => ({ path, bytes: bytesOf(path) }))
  const first = sized.sort((one, other) => other.bytes - one.bytes)[0]
  if (first === undefined) throw new Error('there is nothing to choose the largest of')
  return first.path
}

function bytesOf(path: string): number {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
}

function existing(path: string): string {
  if (!existsSync(path)) throw new Error(`there is no ${path} to damage`)
  return path
}

function flipBitAt(dataDir: string, path: string, position: number): string {
  const bytes = readFileSync(path)
  const at = Math.min(bytes.length - 1, Math.floor(bytes.length * position))
  const byte = bytes[at]
  if (byte === undefined) throw new Error(`${path} is empty`)
  bytes[at] = byte ^ 1
  writeFileSync(path, bytes)
  return `flipped the lowest bit of byte ${at} of ${bytes.length} in ${relative(dataDir, path)}`
}

function cutEnd(dataDir: string, path: string, byBytes: number): string {
  const before = statSync(path).size
  if (before < byBytes) throw new Error(`${path} has only ${before} bytes`)
  truncateSync(path, before - byBytes)
  return `cut ${byBytes} of ${before} bytes off the end of ${relative(dataDir, path)}`
}
