import { flushFolder } from '../../embedded/log/flush-folder.ts'
import { text } from '../engine/literal.ts'
import { findPartDamage } from '../parts/part-damage.ts'
import { parsePartName } from '../parts/part-name.ts'
import type { SalvageSession } from './salvage-session.ts'
import { activeParts, type TablePart } from './table-part.ts'

/** Without the rest where no insert is open and no part is torn, as at the start. */
export type WritingSession = Pick<SalvageSession, 'select' | 'command'> & Partial<Pick<SalvageSession, 'keep' | 'drop'>>

/**
 * Puts rows into a table by `statement`; durable when it resolves. On a full disk the engine makes parts active whose
 * files it could not write, and reports success: these are dropped, and it rejects. Rows of whole parts may then be in
 * the table. Nothing else may be inserted into the table meanwhile.
 */
export async function putBack(session: WritingSession, table: string, statement: string): Promise<void> {
  const before = lastBlocks(await partsOf(session, table))
  const failed = await session.command(statement).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  const fresh = (await partsOf(session, table)).filter(({ name, partitionId }) => {
    const parsed = parsePartName(name)
    return parsed !== null && parsed.firstBlock > (before.get(partitionId) ?? -1)
  })
  session.keep?.(fresh)
  const torn: TablePart[] = []
  let why: string | null = null
  for (const part of fresh) {
    const damage = (await findPartDamage(part.path))?.what ?? (await failureOf(() => flushFolder(part.path)))
    if (damage !== null) torn.push(part)
    why ??= damage
  }
  if (session.drop !== undefined) await session.drop(torn)
  else for (const { name } of torn) await session.command(`ALTER TABLE ${table} DROP PART ${text(name)}`)
  if (failed !== null) throw failed.error
  if (why !== null)
    throw new Error(`rows of a damaged part of ${table} could not be written again: ${why}; is the disk full?`)
}

async function failureOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    return String(error)
  }
}

function partsOf(session: WritingSession, table: string): Promise<readonly TablePart[]> {
  return activeParts(session, `table = ${text(table)}`)
}

function lastBlocks(parts: readonly TablePart[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  for (const { name, partitionId } of parts)
    last.set(partitionId, Math.max(last.get(partitionId) ?? -1, parsePartName(name)?.lastBlock ?? -1))
  return last
}
