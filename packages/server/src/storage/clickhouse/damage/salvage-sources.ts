import { link, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from '../engine/literal.ts'
import { findPartDamage } from '../parts/part-damage.ts'
import { covers, parsePartName, type PartName } from '../parts/part-name.ts'
import { copyName, createCopy, secureCopy } from './salvage-copy.ts'
import type { SalvageSession } from './salvage-session.ts'
import type { TablePart } from './table-part.ts'

/** A part that was merged away or mutated, and whose files still exist. */
interface Source {
  readonly name: string
  readonly parsed: PartName
  readonly rows: number
  readonly path: string
}

/**
 * Builds the copy of a damaged part (salvage-copy.ts) from the parts that it was merged from, if the engine still has
 * all of them intact; then no row is lost. Returns the number of rows in the copy, otherwise null; an incomplete copy
 * may then exist.
 *
 * Sources of a mutation contain the rows that it removed. Whoever started it MUST look for them again once all parts
 * are whole (see LoggedTraceStore.purgeTraces).
 */
export async function copySources(session: SalvageSession, part: TablePart): Promise<number | null> {
  const sources = await sourcesOf(session, part)
  if (sources === null) return null
  await createCopy(session, part)
  const copy = copyName(part)
  const [row] = await session.select(
    `SELECT data_paths[1] FROM system.tables WHERE database = currentDatabase() AND name = ${text(copy)}`,
  )
  for (const { name, path, rows } of sources) {
    if (rows === 0) continue
    await linkFiles(path, join(row?.[0] as string, 'detached', name))
    await session.command(`ALTER TABLE ${copy} ATTACH PART ${text(name)}`)
  }
  return secureCopy(session, part)
}

/** Null when they do not contain all rows of the part. */
async function sourcesOf(session: SalvageSession, part: TablePart): Promise<readonly Source[] | null> {
  const merged = parsePartName(part.name)
  if (merged === null) return null
  const rows = await session.select(
    'SELECT name, rows, path FROM system.parts WHERE database = currentDatabase() AND NOT active ' +
      `AND table = ${text(part.table)} AND partition_id = ${text(part.partitionId)}`,
  )
  const candidates = rows.flatMap(([name, count, path]) => {
    const parsed = parsePartName(name as string)
    return parsed === null ? [] : [{ name: name as string, parsed, rows: count as number, path: path as string }]
  })
  return wholeSources({ ...part, parsed: merged }, candidates)
}

/**
 * The latest generation of parts that `made` was made from, including empty ones, which stand for dropped parts.
 * Instead of a damaged one of them, its own sources.
 */
async function wholeSources(made: Source, candidates: readonly Source[]): Promise<readonly Source[] | null> {
  const older = candidates.filter(({ name, parsed }) => name !== made.name && covers(made.parsed, parsed))
  const latest = older.filter((one) => !older.some((other) => other !== one && covers(other.parsed, one.parsed)))
  // Merges drop old versions and mutations deleted rows, so the sources have at least as many rows.
  const isAll =
    latest.some(({ parsed }) => parsed.firstBlock === made.parsed.firstBlock) &&
    latest.some(({ parsed }) => parsed.lastBlock === made.parsed.lastBlock) &&
    latest.reduce((sum, source) => sum + source.rows, 0) >= made.rows
  if (!isAll) return null
  const whole: Source[] = []
  for (const source of latest) {
    const isWhole = source.rows === 0 || (await findPartDamage(source.path)) === null
    const instead = isWhole ? [source] : await wholeSources(source, older)
    if (instead === null) return null
    whole.push(...instead)
  }
  return whole
}

/** Needs no space, and survives the removal of the source. */
async function linkFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const file of await readdir(from)) await link(join(from, file), join(to, file))
}
