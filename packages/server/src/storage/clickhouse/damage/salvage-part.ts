import { basename, dirname, join } from 'node:path'
import { text } from '../engine/literal.ts'
import { goodRows, type RowRange } from './bad-rows.ts'
import { dropSalvageLeftovers } from './drop-salvage-leftovers.ts'
import type { DamageRecord, SetAsidePart } from './damage-record.ts'
import { findBadRowsOf, nameRows } from './part-rows.ts'
import { isPartGone } from './read-damage.ts'
import { copyName, copyRows, dropCopy } from './salvage-copy.ts'
import { copySources } from './salvage-sources.ts'
import type { SalvageSession } from './salvage-session.ts'
import { activeParts, checkPart, type TablePart } from './table-part.ts'

/**
 * `salvaged`: its readable rows are in other parts now, and itself lies in `detached`. `gone`: a merge or a mutation
 * took its place meanwhile. `whole`: nothing is wrong with it.
 */
export type SalvageOutcome = 'salvaged' | 'gone' | 'whole'

/**
 * Takes a damaged part out of its table and puts what can be read of it back, with its indexes built anew. While the
 * engine still has the parts that it was merged from, these take its place and nothing is lost. The part itself stays
 * in `detached`, for the operator.
 *
 * Readers see each row once: before, or after. So does whoever starts after a crash, once `dropSalvageLeftovers` has
 * run: until the part is detached the table has its rows, and from then on the copy has those that can be read, which
 * is dropped only when the table has them too. What is lost is on record before. Rejects when the copy cannot be made
 * or be recorded; then nothing has changed. `message`: what the engine said of the part.
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
        rowsLost: countOf(lost),
        ...named,
        folder: join(dirname(part.path), 'detached', basename(part.path)),
      }),
    )
  } catch (error) {
    await dropSalvageLeftovers(session)
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
    await session.command(`ALTER TABLE ${table} ATTACH PARTITION ID ${text(partitionId)} FROM ${copyName(part)}`)
  }
  await dropCopy(session, part)
  return 'salvaged'
}

async function isActive(session: SalvageSession, { table, name }: TablePart): Promise<boolean> {
  return (await activeParts(session, `table = ${text(table)} AND name = ${text(name)}`)).length > 0
}

function countOf(ranges: readonly RowRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0)
}
