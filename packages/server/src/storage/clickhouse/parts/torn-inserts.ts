import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { activeParts, type TablePart } from '../damage/table-part.ts'
import { isPartGone } from '../damage/read-damage.ts'
import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { findPartDamage } from './part-damage.ts'
import { parsePartName } from './part-name.ts'

/**
 * Detaches the parts that failed inserts left torn. On a full disk the engine can make a part active whose last files
 * it could not write: each read of it fails, and its rows would be reported as lost. The caller MUST insert all rows
 * again that it has inserted since `since`, milliseconds since the epoch by the clock of the file system; older parts
 * stay.
 */
export async function detachTornInserts(
  engine: Pick<TelemetryEngine, 'select' | 'command'>,
  since: number,
): Promise<void> {
  for (const part of await activeParts(engine)) {
    if (!isInserted(part) || !(await isNewerThan(part.path, since))) continue
    if ((await findPartDamage(part.path)) === null) continue
    try {
      await engine.command(`ALTER TABLE ${part.table} DETACH PART ${text(part.name)}`)
    } catch (error) {
      if (!isPartGone(error)) throw error
    }
  }
}

/** One block and no mutation. The engine gives level 1 to an insert whose rows it has merged among themselves. */
function isInserted({ name }: TablePart): boolean {
  const parsed = parsePartName(name)
  return parsed !== null && parsed.firstBlock === parsed.lastBlock && parsed.level <= 1 && parsed.mutation === 0
}

/**
 * By the list of checksums, which the engine writes last; it sets the time of the folder itself, in whole seconds.
 * False without that list: the part was merged away meanwhile, or is on another machine.
 */
async function isNewerThan(folder: string, since: number): Promise<boolean> {
  try {
    return (await stat(join(folder, 'checksums.txt'))).mtimeMs >= since
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
