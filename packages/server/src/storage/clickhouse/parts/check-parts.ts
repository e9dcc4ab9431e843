import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { flushFolder } from '../../embedded/log/flush-folder.ts'
import { findPartDamage, textIndexFiles } from './part-damage.ts'
import { covers, parsePartName, type PartName } from './part-name.ts'
import type { PartsRecord, RecordedPart } from './parts-record.ts'

/** A part that the engine set aside when it loaded its tables. */
interface DetachedPart {
  readonly table: string
  /** With the reason in front, as the engine renamed it. */
  readonly name: string
  readonly folder: string
  readonly part: string
}

export interface CheckedParts {
  /** Recorded parts that the engine has no longer, neither themselves nor in what was made from them. */
  readonly missing: readonly RecordedPart[]
  /** Parts that lacked their text index and are back without it, until the next merge. */
  readonly repaired: readonly string[]
  /** Parts that the engine set aside, and all of whose rows it has in others. */
  readonly spare: readonly { readonly table: string; readonly name: string }[]
}

const SET_ASIDE = 'broken-on-start_'

/**
 * Compares what the engine has loaded with what it must have, and brings back what can be: a part of which only text
 * indexes are damaged is whole without them. `record` is null for a store from before there was one. Nothing is
 * removed.
 */
export async function checkParts(
  engine: Pick<TelemetryEngine, 'select' | 'command'>,
  record: PartsRecord | null,
): Promise<CheckedParts> {
  const repaired: string[] = []
  for (const detached of await brokenParts(engine)) {
    const active = await activeParts(engine)
    if (isHeld(detached, active)) continue
    if (await reattach(engine, detached)) repaired.push(`${detached.table} ${detached.part}`)
  }
  const active = await activeParts(engine)
  const covering = await activeParts(engine, 'OR rows = 0')
  const missing = (record?.parts ?? []).filter(
    (part) => part.rows > 0 && !isCoveredBy(part, covering) && !wasRepaired(part, repaired),
  )
  const left = await brokenParts(engine)
  const spare = left.filter((detached) => missing.length === 0 && isHeld(detached, active))
  return { missing, repaired, spare: spare.map(({ table, name }) => ({ table, name })) }
}

/** To be called once the check has been judged: removes parts that the engine set aside and has in others. */
export async function dropSpareParts(
  engine: Pick<TelemetryEngine, 'command'>,
  spare: CheckedParts['spare'],
): Promise<void> {
  for (const { table, name } of spare)
    await engine.command(`ALTER TABLE ${table} DROP DETACHED PART ${text(name)} SETTINGS allow_drop_detached = 1`)
}

/** Back under a new name. False when anything but a text index is damaged: then it stays as the engine set it aside. */
async function reattach(engine: Pick<TelemetryEngine, 'command'>, detached: DetachedPart): Promise<boolean> {
  const { table, folder, part } = detached
  const damage = await findPartDamage(folder)
  if (damage?.indexOnly !== true) return false
  const renamed = join(dirname(folder), part)
  await rename(folder, renamed)
  for (const file of [...(await textIndexFiles(renamed)), 'checksums.txt'])
    await rm(join(renamed, file), { force: true })
  await flushFolder(renamed)
  try {
    await engine.command(`ALTER TABLE ${table} ATTACH PART ${text(part)}`)
    return true
  } catch {
    // The engine knows of more damage, and the caller of a part that is missing.
    await rename(renamed, folder)
    return false
  }
}

async function brokenParts(engine: Pick<TelemetryEngine, 'select'>): Promise<readonly DetachedPart[]> {
  const rows = await engine.select(
    `SELECT table, name, path FROM system.detached_parts WHERE database = currentDatabase() AND reason = 'broken-on-start'`,
  )
  return rows.map(([table, name, path]) => ({
    table: table as string,
    name: name as string,
    folder: path as string,
    part: partIn(name as string),
  }))
}

/** Without the reason, and without the number that the engine adds when it has set aside such a part before. */
function partIn(name: string): string {
  return name.slice(SET_ASIDE.length).replace(/_try\d+$/, '')
}

interface ActivePart {
  readonly table: string
  readonly name: PartName
}

/**
 * `orElse`: others too. An empty part took the place of rows that were all deleted, and the engine lets go of it as
 * soon as it has loaded it.
 */
async function activeParts(
  engine: Pick<TelemetryEngine, 'select'>,
  orElse: '' | 'OR rows = 0' = '',
): Promise<readonly ActivePart[]> {
  const rows = await engine.select(
    `SELECT table, name FROM system.parts WHERE database = currentDatabase() AND (active ${orElse})`,
  )
  return rows.flatMap(([table, name]) => {
    const parsed = parsePartName(name as string)
    return parsed === null ? [] : [{ table: table as string, name: parsed }]
  })
}

function isCoveredBy(part: RecordedPart, active: readonly ActivePart[]): boolean {
  const name = parsePartName(part.name)
  return name !== null && active.some((other) => other.table === part.table && covers(other.name, name))
}

/** The engine went back to the parts that this one was made from, or has what was made from it. */
function isHeld(detached: DetachedPart, active: readonly ActivePart[]): boolean {
  const name = parsePartName(detached.part)
  if (name === null) return true
  return active.some(
    (other) =>
      other.table === detached.table &&
      other.name.partition === name.partition &&
      (covers(other.name, name) ||
        (other.name.firstBlock >= name.firstBlock && other.name.lastBlock <= name.lastBlock)),
  )
}

/** It has another name now; a part that it had replaced is in it too. */
function wasRepaired(part: RecordedPart, repaired: readonly string[]): boolean {
  const name = parsePartName(part.name)
  return repaired.some((key) => {
    const [table, repairedName = ''] = key.split(' ')
    const outer = parsePartName(repairedName)
    return table === part.table && outer !== null && name !== null && covers(outer, name)
  })
}
