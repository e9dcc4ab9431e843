import { readFile, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { OperatorError } from '../../lib/operator-error.ts'
import { integer } from '../clickhouse/engine/literal.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import type { Timeline } from './timeline.ts'

/** Rows of a table and a month, and the sum of the hashes of their keys and versions. */
type Sums = Readonly<Record<string, { readonly rows: number; readonly hash: string }>>

/** What the copies of `spoor backup -- COMMAND` must have. */
export interface BackupRecord {
  readonly timeline: Timeline
  /** ClickHouse had all commits through this one when the command began. */
  readonly settledThrough: number
  /** The last commit when it had ended. */
  readonly version: number
  /** Of the rows of commits through `settledThrough`, before and after the command. */
  readonly before: Sums
  readonly after: Sums
}

/** What names a row. */
const KEYS = {
  traces: 'id',
  steps: 'trace_id, position',
  metric_events: 'trace_id, id',
  metric_points: 'metric_id, id',
} as const

/** Of the rows of commits through this one that no later commit has replaced. Reads these columns of all rows. */
export async function sumRows(shards: readonly TelemetryEngine[], through: number): Promise<Sums> {
  const sums: Record<string, { rows: number; hash: bigint }> = {}
  for (const [table, keys] of Object.entries(KEYS)) {
    const sql =
      `SELECT _partition_id, count(), toString(sum(cityHash64(${keys}, ver))) FROM ${table} FINAL ` +
      `WHERE ver <= ${integer(through)} GROUP BY _partition_id`
    const found = await Promise.all(shards.map((shard) => shard.select(sql)))
    for (const row of found.flat()) {
      const [month, rows, hash] = row as readonly [string, number, string]
      const sum = (sums[`${table} of ${month}`] ??= { rows: 0, hash: 0n })
      sum.rows += rows
      sum.hash += BigInt(hash)
    }
  }
  return Object.fromEntries(
    Object.entries(sums).map(([name, { rows, hash }]) => [name, { rows, hash: String(BigInt.asUintN(64, hash)) }]),
  )
}

/**
 * What of `found`, the sums of restored stores, cannot be of a copy that was made between `before` and `after`: later
 * commits only replace rows, and a table that none has changed has the same rows at all three moments.
 */
export function compareSums({ before, after }: BackupRecord, found: Sums): readonly string[] {
  return [...new Set([before, after, found].flatMap((sums) => Object.keys(sums)))].sort().flatMap((name) => {
    const [first, last, here] = [before, after, found].map((sums) => sums[name] ?? { rows: 0, hash: '0' })
    if (here!.rows < last!.rows || here!.rows > first!.rows)
      return [`${name}: there are ${here!.rows} rows, and there were ${last!.rows} to ${first!.rows}.`]
    const isOther = first!.hash === last!.hash && here!.hash !== first!.hash
    return isOther ? [`${name}: the ${here!.rows} rows are others than those that there were.`] : []
  })
}

const FORMAT = 'spoor-cluster-backup-1'

export async function writeRecord(path: string, record: BackupRecord): Promise<void> {
  const body = JSON.stringify(record)
  await writeFile(path, `${headerOf(body)}\n${body}\n`)
}

/** Throws OperatorError. */
export async function readRecord(path: string): Promise<BackupRecord> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  })
  const [header, body = ''] = text.split('\n')
  if (header !== headerOf(body)) throw new OperatorError(`${path} is no record of a backup, or is damaged.`)
  return JSON.parse(body) as BackupRecord
}

function headerOf(body: string): string {
  return `${FORMAT} ${createHash('sha256').update(body).digest('hex')}`
}
