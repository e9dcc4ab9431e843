import { activeParts, type TablePart } from '../damage/table-part.ts'
import { isPartGone } from '../damage/read-damage.ts'
import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { findPartDamage } from './part-damage.ts'
import { isInserted } from './part-name.ts'

type Engine = Pick<TelemetryEngine, 'select' | 'command'>

/** Checks inserts whose caller keeps the rows until they are whole. */
export interface InsertCheck {
  /** Before rows are inserted, or looked for after a failure. Removes what earlier failed inserts have left. */
  begin(): Promise<void>
  /** Rejects, and removes the torn parts, unless everything inserted since `begin` is whole. */
  end(): Promise<void>
  /** After a failed insert: removes its torn parts, so that no read meets them. */
  clear(): Promise<void>
}

const nothing = async () => undefined
export const UNCHECKED_INSERTS: InsertCheck = { begin: nothing, end: nothing, clear: nothing }

/**
 * Drops the parts that inserts left torn. On a full disk chDB 3.4.0 makes a part active whose small files (marks,
 * columns, checksums) it could not write, and reports success: each read of it fails, and the next start rejects it.
 *
 * An insert is open from `begin` until an `end` that found its parts whole. The caller MUST insert all rows of open
 * inserts again after a failure, so a torn part of one is dropped: nothing is lost with it.
 */
export class TornInserts {
  #isOpen = false
  /** The blocks of inserted parts that were whole, or there when the first insert began. */
  #known: ReadonlySet<string> | null = null
  /** A torn part was dropped since `begin`, perhaps by a read that met it. */
  #found = false

  async begin(engine: Engine): Promise<void> {
    await this.clear(engine)
    this.#known ??= new Set((await insertedParts(engine)).map(blockOf))
    this.#isOpen = true
    this.#found = false
  }

  async end(engine: Engine): Promise<void> {
    await this.clear(engine)
    if (this.#found) throw new Error('the engine has not written all files of inserted parts; is the disk full?')
    this.#isOpen = false
  }

  /** Drops the torn parts of open inserts. */
  async clear(engine: Engine): Promise<void> {
    if (!this.#isOpen) return
    const whole = new Set<string>()
    for (const part of await insertedParts(engine)) {
      const isTorn = this.#known?.has(blockOf(part)) !== true && (await findPartDamage(part.path)) !== null
      if (isTorn && this.#isOpen) {
        // Before it is dropped: an insert that ends meanwhile must notice.
        this.#found = true
        await dropPart(engine, part)
      } else whole.add(blockOf(part))
    }
    this.#known = whole
  }
}

async function insertedParts(engine: Engine): Promise<readonly TablePart[]> {
  const parts = await activeParts(engine, 'level <= 1 AND min_block_number = max_block_number')
  return parts.filter(({ name }) => isInserted(name))
}

/** Partition and first block: they stay when the part alone is merged. */
function blockOf({ table, name }: Pick<TablePart, 'table' | 'name'>): string {
  return `${table} ${name.split('_', 2).join('_')}`
}

async function dropPart(engine: Engine, { table, name }: Pick<TablePart, 'table' | 'name'>): Promise<void> {
  try {
    await engine.command(`ALTER TABLE ${table} DROP PART ${text(name)}`)
  } catch (error) {
    if (!isPartGone(error)) throw error
  }
}
