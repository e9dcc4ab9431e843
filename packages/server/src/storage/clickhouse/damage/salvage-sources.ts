import { link, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from '../engine/literal.ts'
import { flushFolder } from '../../embedded/log/flush-folder.ts'
import { findPartDamage } from '../parts/part-damage.ts'
import { covers, parsePartName, type PartName } from '../parts/part-name.ts'
import { copyName, createCopy } from './salvage-copy.ts'
import type { SalvageSession } from './salvage-session.ts'
import { activeParts, checkPart, type TablePart } from './table-part.ts'

/** A part that was merged away and whose files still exist. */
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
 * Sources of a mutation are not used: they contain deleted rows.
 */
export async function copySources(session: SalvageSession, part: TablePart): Promise<number | null> {
  const sources = await sourcesOf(session, part)
  if (sources === null) return null
  await createCopy(session, part)
  const copy = copyName(part)
  const [row] = await session.select(
    `SELECT data_paths[1] FROM system.tables WHERE database = currentDatabase() AND name = ${text(copy)}`,
  )
  for (const { name, path } of sources) {
    await linkFiles(path, join(row?.[0] as string, 'detached', name))
    await session.command(`ALTER TABLE ${copy} ATTACH PART ${text(name)}`)
  }
  const parts = await activeParts(session, `table = ${text(copy)}`)
  for (const attached of parts) {
    if ((await checkPart(session, attached))?.ok !== true) return null
    await flushFolder(attached.path)
  }
  return parts.reduce((sum, { rows }) => sum + rows, 0)
}

/** Null when they do not contain all rows of the part. */
async function sourcesOf(session: SalvageSession, part: TablePart): Promise<readonly Source[] | null> {
  const merged = parsePartName(part.name)
  if (merged === null) return null
  const rows = await session.select(
    'SELECT name, rows, path FROM system.parts WHERE database = currentDatabase() AND NOT active ' +
      `AND table = ${text(part.table)} AND partition_id = ${text(part.partitionId)} AND rows > 0`,
  )
  const candidates = rows.flatMap(([name, count, path]) => {
    const parsed = parsePartName(name as string)
    if (parsed === null || name === part.name || !covers(merged, parsed) || parsed.mutation !== merged.mutation)
      return []
    return [{ name: name as string, parsed, rows: count as number, path: path as string }]
  })
  // Of several generations of merges, only the latest.
  const sources = candidates.filter(
    (one) => !candidates.some((other) => other !== one && covers(other.parsed, one.parsed)),
  )
  // Merges drop old versions, so the sources have at least as many rows.
  const isAll =
    sources.some(({ parsed }) => parsed.firstBlock === merged.firstBlock) &&
    sources.some(({ parsed }) => parsed.lastBlock === merged.lastBlock) &&
    sources.reduce((sum, source) => sum + source.rows, 0) >= part.rows
  if (!isAll) return null
  for (const { path } of sources) if ((await findPartDamage(path)) !== null) return null
  return sources
}

/** Needs no space, and survives the removal of the source. */
async function linkFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const file of await readdir(from)) await link(join(from, file), join(to, file))
}
