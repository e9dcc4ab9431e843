import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { dropSkipIndexes, findPartDamage } from './part-damage.ts'
import { covers, isWithin, parsePartName } from './part-name.ts'
import type { PartsRecord, RecordedPart } from './parts-record.ts'

type Part = Pick<RecordedPart, 'table' | 'name'>

/** A part that the engine set aside when it loaded its tables. */
interface DetachedPart {
  readonly table: string
  /** The folder name, to which the engine has prefixed the reason. */
  readonly name: string
  readonly folder: string
  readonly part: string
}

export interface CheckedParts {
  /** Recorded parts that are neither active nor contained in a part made from them. */
  readonly missing: readonly RecordedPart[]
  /** Parts that had a damaged skip index. They are attached again without it; the next merge rebuilds it. */
  readonly repaired: readonly string[]
  /** Parts that the engine set aside although all their rows are in others. */
  readonly spare: readonly { readonly table: string; readonly name: string }[]
}

const SET_ASIDE = 'broken-on-start_'

/**
 * Compares the parts that the engine has loaded with the record, and repairs where possible: a part whose only damage
 * is in skip indexes is complete without them. `record` is null for a store from before the record existed. Removes
 * nothing.
 */
export async function checkParts(
  engine: Pick<TelemetryEngine, 'select' | 'command'>,
  record: PartsRecord | null,
): Promise<CheckedParts> {
  const repaired: Part[] = []
  for (const detached of await brokenParts(engine)) {
    const active = await activeParts(engine)
    if (isHeld(detached, active)) continue
    if (await reattach(engine, detached)) repaired.push({ table: detached.table, name: detached.part })
  }
  const active = await activeParts(engine)
  const covering = await activeParts(engine, 'OR rows = 0')
  // A repaired part was attached under another name. A part that it had replaced is contained in it.
  const isThere = (part: RecordedPart) =>
    [...covering, ...repaired].some((other) => other.table === part.table && covers(other.name, part.name)) ||
    hasAllSources(part, active)
  const missing = (record?.parts ?? []).filter((part) => part.rows > 0 && !isThere(part))
  const left = await brokenParts(engine)
  const spare = left.filter((detached) => missing.length === 0 && isHeld(detached, active))
  const names = repaired.map(({ table, name }) => `${table} ${name}`)
  return { missing, repaired: names, spare: spare.map(({ table, name }) => ({ table, name })) }
}

/** Call it after the check has passed: removes set-aside parts whose rows are in others. */
export async function dropSpareParts(
  engine: Pick<TelemetryEngine, 'command'>,
  spare: CheckedParts['spare'],
): Promise<void> {
  for (const { table, name } of spare)
    await engine.command(`ALTER TABLE ${table} DROP DETACHED PART ${text(name)} SETTINGS allow_drop_detached = 1`)
}

/**
 * Attaches the part under a new name. False when anything but a skip index is damaged; then the part is left as it was.
 */
async function reattach(engine: Pick<TelemetryEngine, 'command'>, detached: DetachedPart): Promise<boolean> {
  const { table, folder, part } = detached
  const damage = await findPartDamage(folder)
  if (damage?.indexOnly !== true) return false
  const renamed = join(dirname(folder), part)
  await rename(folder, renamed)
  await dropSkipIndexes(renamed)
  try {
    await engine.command(`ALTER TABLE ${table} ATTACH PART ${text(part)}`)
    return true
  } catch {
    // The engine detects more damage. The caller will report the part as missing.
    await rename(renamed, folder)
    return false
  }
}

async function brokenParts(engine: Pick<TelemetryEngine, 'select'>): Promise<readonly DetachedPart[]> {
  const rows = await engine.select(
    `SELECT table, name, path FROM system.detached_parts WHERE database = currentDatabase() AND reason = 'broken-on-start'`,
  )
  const named = rows as readonly (readonly [table: string, name: string, folder: string])[]
  return named.map(([table, name, folder]) => ({ table, name, folder, part: partIn(name) }))
}

/** Strips the reason, and the number that the engine adds when a part of that name was set aside before. */
function partIn(name: string): string {
  return name.slice(SET_ASIDE.length).replace(/_try\d+$/, '')
}

/**
 * `orElse`: includes empty parts. They replaced rows that were all deleted, and the engine deactivates them as soon as
 * it has loaded them.
 */
async function activeParts(
  engine: Pick<TelemetryEngine, 'select'>,
  orElse: '' | 'OR rows = 0' = '',
): Promise<readonly Part[]> {
  const rows = await engine.select(
    `SELECT table, name FROM system.parts WHERE database = currentDatabase() AND (active ${orElse})`,
  )
  return rows.map(([table, name]) => ({ table: table as string, name: name as string }))
}

/**
 * Whether the engine went back to the parts that this one was made from: it keeps them for a minute. They have all its
 * rows if no block between them is missing, and none that were purged if they went through the same mutation.
 */
function hasAllSources({ table, name }: Part, active: readonly Part[]): boolean {
  const own = parsePartName(name)
  if (own === null) return false
  const sources = active
    .filter((other) => other.table === table)
    .flatMap((other) => parsePartName(other.name) ?? [])
    .filter((other) => isWithin(other, own) && other.mutation >= own.mutation)
    .sort((a, b) => a.firstBlock - b.firstBlock)
  const next = sources.reduce(
    (block, source) => (source.firstBlock === block ? source.lastBlock + 1 : NaN),
    own.firstBlock,
  )
  return next === own.lastBlock + 1
}

/** Whether the engine has the parts that this one was made from, or a part made from this one. */
function isHeld({ table, part }: DetachedPart, active: readonly Part[]): boolean {
  const isPartOf = (name: string) => covers(name, part) || isWithin(parsePartName(name), parsePartName(part))
  return active.some((other) => other.table === table && isPartOf(other.name))
}
