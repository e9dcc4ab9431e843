import type { Timers } from '../../../lib/time/timers.ts'
import type { SettledRecord } from '../../embedded/logged-trace-store.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { OLD_PARTS_SECONDS } from './old-parts.ts'
import { activeParts, type TablePart } from '../damage/table-part.ts'
import { flushFolder } from '../../embedded/log/flush-folder.ts'
import { findPartDamage } from './part-damage.ts'
import { covers, parsePartName } from './part-name.ts'
import { type PartsRecord, type RecordedPart, writePartsRecord } from './parts-record.ts'

/** A merged or mutated part that is not as it should be. */
export interface BrokenPart {
  readonly table: string
  readonly name: string
  /** In words, for the operator. */
  readonly what: string
}

export interface PartsKeeperOptions {
  readonly engine: Pick<TelemetryEngine, 'select' | 'command'>
  /** Where the record is kept. */
  readonly path: string
  readonly storeId: string
  /** What the record says at the start: parts that need no look. Null without one. */
  readonly recorded: PartsRecord | null
  readonly timers: Timers
  /** Puts a part in order that is broken, if that is possible now. Rejects never. */
  readonly mend: (part: BrokenPart) => Promise<unknown>
  /**
   * Told when other parts are broken, or cannot be flushed, than before; the parts that they were made from are kept
   * meanwhile.
   */
  readonly onBroken: (parts: readonly BrokenPart[]) => void
  /** A round failed; the next one tries again. */
  readonly onError: (error: unknown) => void
}

/**
 * Merges are noticed this soon: a small part of the time for which the engine keeps the parts that it has merged
 * (`OLD_PARTS_SECONDS`).
 */
const ROUND_EVERY_MS = 3000
/** Tables that are there for a moment, while a damaged part is set aside. */
const NO_COPIES = "NOT startsWith(table, 'salvage_of_')"
/** Kept this long, the parts that a broken one was made from outlive every restart. */
const FOREVER_SECONDS = 10 * 365 * 24 * 3600

/**
 * Knows which parts the engine must have, durably and in a file of its own, so that a start notices when one is gone.
 *
 * It also closes a gap of the engine: merges flush neither the files of text indexes nor see when a full disk cut them
 * off, and the parts that were merged are removed a minute later. So each merged part is flushed and its sizes are
 * checked long before; when that fails, the parts that it was made from stay until it is mended.
 */
export class PartsKeeper implements SettledRecord {
  readonly #options: PartsKeeperOptions
  /** Flushed and whole, or read from the record. */
  #recorded: ReadonlyMap<string, RecordedPart>
  #settledThrough: number
  #broken: readonly BrokenPart[] = []
  /** Tables whose merged parts are no longer removed. */
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

  /**
   * Begins rounds. `settled`: the newest commit up to which the engine has all rows; `onRecorded` follows each round
   * that recorded it.
   */
  start(settled: () => number, onRecorded: () => Promise<void>): void {
    const { timers, onError } = this.#options
    let busy = false
    const round = async () => {
      if (busy) return
      busy = true
      try {
        await this.record(settled())
        await onRecorded()
      } catch (error) {
        onError(error)
      } finally {
        busy = false
      }
    }
    this.#cancel = timers.every(ROUND_EVERY_MS, () => void round())
  }

  /** Ends rounds. */
  async stop(): Promise<void> {
    this.#cancel()
    await this.#running
  }

  /**
   * Flushes what is new and writes the record. `settledThrough`: the rows of all commits up to it MUST be in the
   * engine. Returns the version that the record holds now, which is an older one while a part is damaged. Rejects when
   * it could not be written.
   */
  record(settledThrough: number): Promise<number> {
    const recorded = this.#running.then(() => this.#record(settledThrough))
    this.#running = recorded.catch(() => null)
    return recorded
  }

  async #record(settledThrough: number): Promise<number> {
    const { path, storeId } = this.#options
    const active = await activeParts(this.#options.engine, NO_COPIES)
    const whole = new Map<string, RecordedPart>()
    const broken: BrokenPart[] = []
    for (const part of active) {
      const isKnown = this.#recorded.has(keyOf(part)) || isInserted(part)
      const what = isKnown ? null : await this.#secure(part)
      if (what === null) whole.set(keyOf(part), part)
      else broken.push({ table: part.table, name: part.name, what })
    }
    for (const [key, part] of this.#recorded) if (broken.some((other) => isCovered(part, other))) whole.set(key, part)
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
    // Behind the record: mending may take long.
    for (const part of broken) await this.#options.mend(part)
    return through
  }

  /**
   * Flushes a part. What is wrong with it; null when nothing is, or when it was merged or mutated away meanwhile, with
   * its folder.
   */
  async #secure(part: TablePart): Promise<string | null> {
    const what = await flushed(part.path)
    if (what === null) return null
    const active = await activeParts(this.#options.engine, NO_COPIES)
    return active.some((other) => keyOf(other) === keyOf(part)) ? what : null
  }

  /** While a part of a table is broken, the engine removes none that was merged. */
  async #keepSources(broken: readonly BrokenPart[]): Promise<void> {
    const tables = new Set(broken.map(({ table }) => table))
    for (const table of tables.difference(this.#held)) await this.#setLifetime(table, FOREVER_SECONDS)
    for (const table of this.#held.difference(tables)) await this.#setLifetime(table, OLD_PARTS_SECONDS)
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

/** What is wrong, or null once it is flushed. */
async function flushed(folder: string): Promise<string | null> {
  try {
    await flushFolder(folder)
    return (await findPartDamage(folder))?.what ?? null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** By an insert, which the engine flushes itself. */
function isInserted({ name }: RecordedPart): boolean {
  const parsed = parsePartName(name)
  return parsed !== null && parsed.level === 0 && parsed.mutation === 0
}

function isCovered(part: RecordedPart, outer: Pick<RecordedPart, 'table' | 'name'>): boolean {
  const [inside, outside] = [parsePartName(part.name), parsePartName(outer.name)]
  return part.table === outer.table && inside !== null && outside !== null && covers(outside, inside)
}

function keyOf({ table, name }: RecordedPart): string {
  return `${table} ${name}`
}
