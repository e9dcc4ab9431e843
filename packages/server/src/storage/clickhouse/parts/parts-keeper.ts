import type { Timers } from '../../../lib/time/timers.ts'
import type { SettledRecord } from '../../embedded/logged-trace-store.ts'
import type { ChdbEngine } from '../engine/chdb-engine.ts'
import { OLD_PARTS_SECONDS } from './old-parts.ts'
import { activeParts, type TablePart } from '../damage/table-part.ts'
import { flushFolder } from '../../files.ts'
import { findPartDamage } from './part-damage.ts'
import { covers, parsePartName } from './part-name.ts'
import { type PartsRecord, type RecordedPart, writePartsRecord } from './parts-record.ts'

/** A part that is damaged or cannot be flushed. */
export interface BrokenPart {
  readonly table: string
  readonly name: string
  /** For the operator. */
  readonly what: string
}

export interface PartsKeeperOptions {
  readonly engine: Pick<ChdbEngine, 'select' | 'command' | 'repairPart' | 'finishRepairs' | 'isLoaded'>
  /** Path of the record. */
  readonly path: string
  readonly storeId: string
  /** The record at the start: its parts need no check. Null if there is none. */
  readonly recorded: PartsRecord | null
  readonly timers: Timers
  /** Called each round with all parts that reads use. */
  readonly onActive: (parts: readonly TablePart[]) => void
  /** Called when the set of broken parts changes. The engine keeps the sources of broken parts meanwhile. */
  readonly onBroken: (parts: readonly BrokenPart[]) => void
  /** A round failed; the next one retries. */
  readonly onError: (error: unknown) => void
}

/**
 * Time until a merge is noticed: a small part of the time for which the engine keeps merged parts
 * (`OLD_PARTS_SECONDS`).
 */
const ROUND_EVERY_MS = 3000
/**
 * After so many rounds without a change, only each fourth reads the parts: the query is most of the work of an idle
 * service. A late merge is still noticed in a fifth of that time.
 */
const QUIET_ROUNDS = 20
/** So long that the sources of a broken part survive every restart. */
const FOREVER_SECONDS = 10 * 365 * 24 * 3600

/**
 * Records durably which parts the engine must have, so that a start notices a missing one.
 *
 * It also closes a gap of the engine: merges and mutations do not flush the files of text indexes, do not notice when a
 * full disk truncates files, and the source parts are removed a minute later. So each such part is flushed and its file
 * sizes are checked long before. When that fails, the source parts are kept until it is repaired.
 */
export class PartsKeeper implements SettledRecord {
  readonly #options: PartsKeeperOptions
  /** Flushed and complete, or read from the record. */
  #recorded: ReadonlyMap<string, RecordedPart>
  #settledThrough: number
  #broken: readonly BrokenPart[] = []
  /** Tables in which the engine removes no old parts by itself. */
  readonly #stopped = new Set<string>()
  /** Tables whose source parts the engine must keep. */
  readonly #held = new Set<string>()
  #written = ''
  #running: Promise<unknown> = Promise.resolve()
  #cancel: () => void = () => undefined

  constructor(options: PartsKeeperOptions) {
    this.#options = options
    this.#recorded = new Map(options.recorded?.parts.map((part) => [keyOf(part), part]))
    this.#settledThrough = options.recorded?.settledThrough ?? 0
  }

  get recordedThrough(): number {
    return this.#settledThrough
  }

  get isWhole(): boolean {
    return this.#broken.length === 0 && this.#options.engine.isLoaded()
  }

  /**
   * Starts the rounds. `settled`: the latest commit up to which the engine has all rows. `onRecorded` runs after each
   * round that wrote the record.
   */
  start(settled: () => number, onRecorded: () => Promise<void>): void {
    const { timers, onError } = this.#options
    let busy = false
    let unchanged = 0
    const round = async () => {
      if (busy) return
      unchanged = this.isWhole && settled() === this.#settledThrough ? unchanged + 1 : 0
      if (unchanged > QUIET_ROUNDS && unchanged % 4 !== 0) return
      busy = true
      const before = this.#written
      try {
        await this.record(settled())
        if (this.#written !== before) unchanged = 0
        await onRecorded()
      } catch (error) {
        onError(error)
      } finally {
        busy = false
      }
    }
    this.#cancel = timers.every(ROUND_EVERY_MS, () => void round())
  }

  async stop(): Promise<void> {
    this.#cancel()
    await this.#running
  }

  /**
   * Flushes new parts and writes the record. The rows of all commits up to `settledThrough` MUST be in the engine.
   * Returns the version in the record, which stays at an older one while a part is damaged or a table not loaded.
   * Rejects when it cannot be written.
   */
  record(settledThrough: number): Promise<number> {
    const recorded = this.#running.then(() => this.#record(settledThrough))
    this.#running = recorded.catch(() => null)
    return recorded
  }

  async #record(settledThrough: number): Promise<number> {
    const { path, storeId, engine } = this.#options
    await engine.finishRepairs()
    const active = await activeParts(engine)
    const whole = new Map<string, RecordedPart>()
    const broken: BrokenPart[] = []
    for (const part of active) {
      const what = this.#recorded.has(keyOf(part)) ? null : await this.#secure(part)
      if (what === null) whole.set(keyOf(part), part)
      else broken.push({ table: part.table, name: part.name, what })
    }
    for (const [key, part] of this.#recorded)
      if (broken.some(({ table, name }) => part.table === table && covers(name, part.name))) whole.set(key, part)
    await this.#stopCleanup(new Set(broken.map(({ table }) => table)))
    this.#report(broken)
    // Otherwise the record would forget the parts of a table.
    if (!engine.isLoaded()) return this.#settledThrough
    this.#options.onActive(active)
    await this.#keepSources(broken)
    const through = broken.length === 0 ? Math.max(this.#settledThrough, settledThrough) : this.#settledThrough
    const record: PartsRecord = {
      storeId,
      settledThrough: through,
      parts: [...whole.values()].map(({ table, name, rows }) => ({ table, name, rows })),
    }
    const text = JSON.stringify(record)
    if (text !== this.#written) await writePartsRecord(path, record)
    this.#written = text
    this.#recorded = whole
    this.#settledThrough = through
    // After the record, because a repair may take long.
    for (const part of broken) await engine.repairPart(part)
    return through
  }

  /**
   * Flushes a part, unless the engine did, and checks it. Returns what is wrong with it; null when nothing is, or when
   * a merge or a mutation has replaced it meanwhile.
   */
  async #secure(part: TablePart): Promise<string | null> {
    const what = await problemOf(part)
    if (what === null) return null
    const active = await activeParts(this.#options.engine)
    return active.some((other) => keyOf(other) === keyOf(part)) ? what : null
  }

  /**
   * Works on a full disk; but dropping or detaching a part removes old parts in spite of this. A table that was loaded
   * again for a repair, successful or not, forgets it, and the engine soon removes parts that are old.
   */
  async #stopCleanup(tables: ReadonlySet<string>): Promise<void> {
    for (const table of tables) {
      await this.#options.engine.command(`SYSTEM STOP CLEANUP ${table}`)
      this.#stopped.add(table)
    }
  }

  /** While a table has a broken part, the engine removes none of its source parts. */
  async #keepSources(broken: readonly BrokenPart[]): Promise<void> {
    const tables = new Set(broken.map(({ table }) => table))
    for (const table of tables.difference(this.#held))
      await this.#setLifetime(table, FOREVER_SECONDS).catch(this.#options.onError)
    for (const table of this.#held.difference(tables)) await this.#setLifetime(table, OLD_PARTS_SECONDS)
    for (const table of this.#stopped.difference(tables)) {
      await this.#options.engine.command(`SYSTEM START CLEANUP ${table}`)
      this.#stopped.delete(table)
    }
  }

  #report(broken: readonly BrokenPart[]): void {
    const isSame =
      broken.length === this.#broken.length && broken.every(({ name }, at) => this.#broken[at]?.name === name)
    this.#broken = broken
    if (!isSame) this.#options.onBroken(broken)
  }

  async #setLifetime(table: string, seconds: number): Promise<void> {
    await this.#options.engine.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = ${seconds}`)
    if (seconds === FOREVER_SECONDS) this.#held.add(table)
    else this.#held.delete(table)
  }
}

/** The defect of a part; null if it is whole and durable. */
async function problemOf(part: TablePart): Promise<string | null> {
  try {
    if (!isFlushed(part)) await flushFolder(part.path)
    return (await findPartDamage(part.path))?.what ?? null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Written by an insert, which the engine flushes itself. */
function isFlushed({ name }: RecordedPart): boolean {
  const parsed = parsePartName(name)
  return parsed !== null && parsed.level === 0 && parsed.mutation === 0
}

function keyOf({ table, name }: RecordedPart): string {
  return `${table} ${name}`
}
