import { readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushFolder } from '../../files.ts'
import { text } from '../engine/literal.ts'
import { dropSkipIndexes, findPartDamage } from '../parts/part-damage.ts'
import { covers, parsePartName, type PartName } from '../parts/part-name.ts'
import type { DamageRecord, SetAsidePart } from './damage-record.ts'
import type { ExclusiveSession } from './exclusive-session.ts'
import { canReadRows, nameRows } from './lost-rows.ts'
import { activeParts, checkPart, type TablePart } from './table-part.ts'

/**
 * `repaired`: no row is lost. `set_aside`: the rows of the part are lost. `gone`: a merge or a mutation has replaced
 * it. `whole`: it is not damaged.
 */
export type DamageOutcome = 'repaired' | 'set_aside' | 'gone' | 'whole'

/** Unloads the table of the part, runs `edit` and loads the table again. */
export type Reload = (edit: () => Promise<boolean>) => Promise<boolean>

/**
 * Takes a damaged part out of its table, as files while the table is not loaded. The engine then uses the parts that it
 * was merged from, if they are still there, and no row is lost. If only search indexes are damaged, the part stays
 * without them. Otherwise its rows are lost. The files of the part stay in `detached`, for the operator.
 *
 * - Readers see each row once, before and after, and also after a crash.
 * - The damage is recorded before the part is taken out. Rejects, and changes nothing, when that is impossible.
 * - Sources of a mutation contain the rows that it removed. Whoever started it MUST look for them again once all parts
 *   are whole (see LoggedTraceStore.purgeTraces).
 *
 * `message`: what the engine said about the part.
 */
export async function setPartAside(
  session: ExclusiveSession,
  record: Pick<DamageRecord, 'setAside'>,
  part: TablePart,
  { message, reload }: { readonly message: string; readonly reload: Reload },
): Promise<DamageOutcome> {
  const check = await checkPart(session, part)
  if (check === null) return 'gone'
  const isReadable = await canReadRows(session, part)
  if (check.ok && isReadable) return 'whole'
  const staysInPlace = isReadable && ((await findPartDamage(part.path))?.indexOnly ?? true)
  const detached = join(dirname(part.path), 'detached')
  const kept: SetAsidePart = {
    table: part.table,
    part: part.name,
    why: check.ok ? message : check.message,
    rowsLost: 0,
    lost: [],
    unnamed: [],
    folder: staysInPlace ? part.path : join(detached, await freeName(detached, part.name)),
  }
  const lost: SetAsidePart = { ...kept, rowsLost: part.rows, ...(await nameRows(session, part)) }
  return session.alone(async () => {
    const isExpectedLost = !staysInPlace && !(await haveItsRows(session, part, 'NOT active'))
    const isGone = await reload(async () => {
      if (await isReplaced(part)) return true
      await record.setAside(isExpectedLost ? lost : kept)
      await (staysInPlace ? dropSkipIndexes(part.path) : rename(part.path, kept.folder))
      await flushFolder(dirname(part.path))
      return false
    })
    if (isGone) return 'gone'
    if ((await isActive(session, part)) || (await haveItsRows(session, part, '(active OR rows = 0)'))) return 'repaired'
    // The engine has moved a part that it still cannot load.
    const folder = staysInPlace ? join(detached, `broken-on-start_${part.name}`) : lost.folder
    if (!isExpectedLost) await record.setAside({ ...lost, folder })
    return 'set_aside'
  })
}

export async function isActive(
  session: Pick<ExclusiveSession, 'select'>,
  { table, name }: Pick<TablePart, 'table' | 'name'>,
): Promise<boolean> {
  return (await activeParts(session, `table = ${text(table)} AND name = ${text(name)}`)).length > 0
}

/** A part of this name may have been set aside before: a merge makes it again. The engine names folders like this. */
async function freeName(folder: string, name: string): Promise<string> {
  const taken = await readdir(folder)
  for (let attempt = 0; ; attempt++) {
    const free = attempt === 0 ? name : `${name}_try${attempt}`
    if (!taken.includes(free)) return free
  }
}

/** Whether a merge or a mutation has made another part of it. MUST be called while the table is not loaded. */
async function isReplaced({ name, path }: TablePart): Promise<boolean> {
  const names = await readdir(dirname(path))
  return names.some((folder) => folder !== name && covers(folder, name))
}

/**
 * Whether those whole parts that it was made from have all its rows. Empty ones stand for dropped parts; merges drop
 * only old versions, and mutations deleted rows.
 */
async function haveItsRows(session: ExclusiveSession, part: TablePart, which: string): Promise<boolean> {
  const made = parsePartName(part.name)
  if (made === null) return false
  const rows = await session.select(
    `SELECT name, rows, path FROM system.parts WHERE database = currentDatabase() AND ${which} ` +
      `AND table = ${text(part.table)} AND partition_id = ${text(part.partitionId)}`,
  )
  const sources: { readonly name: string; readonly parsed: PartName; readonly rows: number }[] = []
  for (const [name, count, path] of rows as readonly [string, number, string][]) {
    const parsed = parsePartName(name)
    if (parsed === null || name === part.name || !covers(part.name, name)) continue
    if (count === 0 || (await findPartDamage(path)) === null) sources.push({ name, parsed, rows: count })
  }
  const latest = sources.filter((one) => !sources.some((other) => other !== one && covers(other.name, one.name)))
  return (
    latest.some(({ parsed }) => parsed.firstBlock === made.firstBlock) &&
    latest.some(({ parsed }) => parsed.lastBlock === made.lastBlock) &&
    latest.reduce((sum, source) => sum + source.rows, 0) >= part.rows
  )
}
