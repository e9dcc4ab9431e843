import { basename, dirname, join } from 'node:path'
import { text } from '../engine/literal.ts'
import { goodRows, type RowRange } from './bad-rows.ts'
import { dropSalvageLeftovers } from './drop-salvage-leftovers.ts'
import type { DamageRecord, SetAsidePart } from './damage-record.ts'
import { findBadRowsOf, nameRows } from './part-rows.ts'
import { isPartGone } from './read-damage.ts'
import { putBack } from './put-back.ts'
import { copyName, copyRows, dropCopy } from './salvage-copy.ts'
import { copySources } from './salvage-sources.ts'
import type { SalvageSession } from './salvage-session.ts'
import { activeParts, checkPart, type TablePart } from './table-part.ts'

/**
 * `salvaged`: the readable rows are in other parts now, and the part is in `detached`. `gone`: a merge or a mutation
 * has replaced it. `whole`: it is not damaged.
 */
export type SalvageOutcome = 'salvaged' | 'gone' | 'whole'

/**
 * Moves a damaged part out of its table and puts the readable rows back, with rebuilt indexes. If the engine still has
 * the parts that it was merged from, those replace it and no row is lost. The damaged part stays in `detached`, for the
 * operator.
 *
 * - Readers see each row once, before and after.
 * - After a crash the same holds once `dropSalvageLeftovers` has run. Until the part is detached, the table has the
 *   rows. Afterwards the copy has the readable ones, and is dropped only when the table has them too.
 * - Losses are recorded before the part is detached.
 * - Rejects, and changes nothing, when the copy cannot be made or recorded. If it cannot be put into the table, it
 *   stays until `dropSalvageLeftovers` can.
 *
 * `message`: what the engine said about the part.
 */
export async function salvagePart(
  session: SalvageSession,
  record: DamageRecord,
  part: TablePart,
  message: string,
): Promise<SalvageOutcome> {
  const bad = await findBadRowsOf(session, part)
  const check = await checkPart(session, part)
  if (check === null) return 'gone'
  if (bad.length === 0 && check.ok) return 'whole'
  try {
    const fromSources = bad.length === 0 ? null : await copySources(session, part)
    const lost = fromSources === null ? bad : []
    const named = await nameRows(session, part, lost)
    const rowsKept = fromSources ?? (await copyRows(session, part, goodRows(part.rows, bad)))
    return await session.alone(() =>
      swap(session, record, part, {
        table: part.table,
        part: part.name,
        why: check.ok ? message : check.message,
        rowsKept,
        // Rows that are missing from the copy for another reason are lost as well.
        rowsLost: fromSources === null ? Math.max(countOf(lost), part.rows - rowsKept) : 0,
        ...named,
        folder: join(dirname(part.path), 'detached', basename(part.path)),
      }),
    )
  } catch (error) {
    // If the part is detached already, its rows are put back another way, or wait in the copy.
    await session.alone(() => dropSalvageLeftovers(session))
    throw error
  }
}

async function swap(
  session: SalvageSession,
  record: DamageRecord,
  part: TablePart,
  aside: SetAsidePart,
): Promise<SalvageOutcome> {
  const { table, name, partitionId } = part
  if (!(await isActive(session, part))) {
    await dropCopy(session, part)
    return 'gone'
  }
  await record.setAside(aside)
  try {
    await session.command(`ALTER TABLE ${table} DETACH PART ${text(name)}`)
  } catch (error) {
    await record.withdraw(aside)
    if (!isPartGone(error)) throw error
    await dropCopy(session, part)
    return 'gone'
  }
  if (aside.rowsKept > 0) {
    await putBack(
      session,
      table,
      `ALTER TABLE ${table} ATTACH PARTITION ID ${text(partitionId)} FROM ${copyName(part)}`,
    )
  }
  await dropCopy(session, part)
  return 'salvaged'
}

export async function isActive(
  session: Pick<SalvageSession, 'select'>,
  { table, name }: Pick<TablePart, 'table' | 'name'>,
): Promise<boolean> {
  return (await activeParts(session, `table = ${text(table)} AND name = ${text(name)}`)).length > 0
}

function countOf(ranges: readonly RowRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0)
}
