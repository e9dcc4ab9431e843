import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualTimers } from '../../../lib/time/manual-timers.test-support.ts'
import { type ChdbEngine, openChdbEngine } from '../engine/chdb-engine.ts'
import { text } from '../engine/literal.ts'
import { openTelemetrySchema } from '../migrations/open-telemetry-schema.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { DamageRecord } from './damage-record.ts'
import type { DamageOutcome } from './set-part-aside.ts'
import { activeParts, type TablePart } from './table-part.ts'

/** Each trace has one version of its row and one step. */
export const TRACES = 1000
const INSERTS = 4
const CREATED = '2026-11-22 12:00:00.000'

const CACHES = ['MARK CACHE', 'INDEX MARK CACHE', 'TEXT INDEX CACHES', 'QUERY CONDITION CACHE']

/** A real store with 1,000 traces and as many steps, each table in one part, whose files a test may damage. */
export class DamagedStore {
  readonly directory = mkdtempSync(join(tmpdir(), 'spoor-damage-'))
  readonly clock = new ManualTimers()
  readonly outcomes: DamageOutcome[] = []
  readonly errors: unknown[] = []
  record!: DamageRecord
  engine!: ChdbEngine
  readonly #copies: string[] = []

  static async create(): Promise<DamagedStore> {
    const store = new DamagedStore()
    await store.open()
    await fill(store.engine)
    return store
  }

  get recordPath(): string {
    return join(this.directory, 'damage.jsonl')
  }

  async open(): Promise<void> {
    const { clock } = this
    this.record = await DamageRecord.open({
      path: this.recordPath,
      clock,
      onUnreadable: (line) => this.errors.push(line),
    })
    this.engine = openChdbEngine({
      directory: join(this.directory, 'telemetry'),
      memoryBytes: 400 * 1024 * 1024,
      readers: 2,
      damage: {
        record: this.record,
        clock,
        onDamage: ({ outcome }) => this.outcomes.push(outcome),
        onError: (error) => this.errors.push(error),
      },
    })
    await openTelemetrySchema(this.engine)
    for (const table of ['traces', 'steps']) {
      await this.engine.command(
        `ALTER TABLE ${table} MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1`,
      )
    }
  }

  /** The largest part. The parts that it was merged from are damaged. */
  async part(table: 'traces' | 'steps'): Promise<TablePart> {
    const merged = await this.engine.select(
      `SELECT path FROM system.parts WHERE database = currentDatabase() AND table = ${text(table)} AND NOT active`,
    )
    for (const [path] of merged) {
      const file = readdirSync(path as string).find((name) => name.endsWith('.bin')) as string
      appendFileSync(join(path as string, file), 'x')
    }
    return this.newestPart(table)
  }

  /** The largest part. The parts that it was merged from are intact. */
  async newestPart(table: 'traces' | 'steps'): Promise<TablePart> {
    const parts = await activeParts(this.engine, `table = ${text(table)}`)
    return parts.reduce((one, other) => (one.rows < other.rows ? other : one))
  }

  /**
   * Changes a file of the part directly on the disk, and clears the engine's caches. Returns a function that restores
   * the file.
   */
  async damage(
    part: TablePart,
    file: string,
    change: (bytes: Buffer) => Buffer = flipMiddle,
  ): Promise<() => Promise<void>> {
    const path = join(part.path, file)
    const before = readFileSync(path)
    writeFileSync(path, change(Buffer.from(before)))
    await this.forget()
    return async () => {
      writeFileSync(path, before)
      await this.forget()
    }
  }

  files(part: TablePart): readonly string[] {
    return readdirSync(part.path)
  }

  async forget(): Promise<void> {
    for (const cache of CACHES) await this.engine.command(`SYSTEM DROP ${cache}`)
  }

  async count(table: 'traces' | 'steps', distinct: string): Promise<readonly [rows: number, distinct: number]> {
    const [row] = await this.engine.select(`SELECT count(), uniqExact(${distinct}) FROM ${table} WHERE NOT ignore(*)`)
    return row as [number, number]
  }

  async reopen(): Promise<void> {
    await this.engine.close()
    await this.open()
  }

  /** A copy of all its files. */
  async snapshot(): Promise<string> {
    await this.engine.close()
    const copy = mkdtempSync(join(tmpdir(), 'spoor-damage-copy-'))
    cpSync(this.directory, copy, { recursive: true })
    this.#copies.push(copy)
    await this.open()
    return copy
  }

  /** Opens the store as it was at the snapshot. */
  async restore(copy: string): Promise<void> {
    await this.engine.close()
    rmSync(this.directory, { recursive: true, force: true })
    cpSync(copy, this.directory, { recursive: true })
    await this.open()
  }

  lines(): readonly Record<string, unknown>[] {
    const lines = readFileSync(this.recordPath, 'utf8').split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  async close(): Promise<void> {
    await this.engine.close()
    for (const folder of [this.directory, ...this.#copies]) rmSync(folder, { recursive: true, force: true })
  }
}

export function traceId(number: number): string {
  return `tr_${String(number).padStart(26, '0')}`
}

export function flipAt(share: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const at = Math.floor(bytes.length * share)
    bytes[at] = (bytes[at] as number) ^ 4
    return bytes
  }
}

function flipMiddle(bytes: Buffer): Buffer {
  return flipAt(0.5)(bytes)
}

async function fill(engine: TelemetryEngine): Promise<void> {
  for (let insert = 0; insert < INSERTS; insert++) {
    const numbers = Array.from({ length: TRACES / INSERTS }, (_, at) => insert * (TRACES / INSERTS) + at)
    await engine.insert('steps', ndjson(numbers.map(stepRow)))
    await engine.insert('traces', ndjson(numbers.map(traceRow)))
  }
  for (const table of ['traces', 'steps']) await engine.command(`OPTIMIZE TABLE ${table} FINAL`)
}

function traceRow(number: number): object {
  const terms = ['s\0ok', `k\0n\0${number}`]
  const record = `{"filler":"${filler(number)}"}`
  return {
    project_id: 'proj_a',
    id: traceId(number),
    ver: number + 1,
    created_at: CREATED,
    step_count: 1,
    terms,
    record,
  }
}

function stepRow(number: number): object {
  const ids = { project_id: 'proj_a', trace_id: traceId(number), id: `st_${number}` }
  const body = `{"filler":"${filler(number + 1_000_000)}"}`
  return { ...ids, ver: number + 1, trace_created_at: CREATED, text: `hello ${filler(number)}`, body, body_bytes: 9 }
}

/** Words that do not compress well, the same in every run. */
function filler(seed: number): string {
  let state = seed + 1
  const words = Array.from({ length: 5 }, () => (state = (state * 48_271) % 2_147_483_647).toString(36))
  return words.join(' ')
}

function ndjson(rows: readonly object[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
