import { integer, text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { type RebuiltRow, COLUMN_REBUILDERS } from './rebuilt-columns.ts'
import { rulesColumn, SEARCHED_TABLES, type SearchedTable, type StaleRows } from './stale-rows.ts'

/** Bounds of what is read, computed and held in memory at once. */
export interface RewriteBounds {
  /**
   * Rows and bytes of one piece. For each piece the engine rewrites the column of a whole part and holds the new values
   * in memory.
   */
  readonly pieceRows: number
  readonly pieceBytes: number
  /** Rows and bytes rebuilt without a break, because parsing them blocks the thread. A single row may be larger. */
  readonly pageRows: number
  readonly pageBytes: number
}

const BOUNDS: RewriteBounds = {
  pieceRows: 20_000,
  pieceBytes: 32 * 1024 * 1024,
  pageRows: 250,
  pageBytes: 1024 * 1024,
}

/** In memory: it is empty after a restart, so a mutation of the previous process changes nothing more. */
const REWRITTEN =
  'CREATE TABLE IF NOT EXISTS rewritten (row String, terms Array(String), text String) ' +
  'ENGINE = Join(ANY, LEFT, row) SETTINGS persistent = 0'

/**
 * Rewrites rows that were made by earlier search rules, one piece of one part at a time: the new values go into a table
 * in memory, from which a mutation takes them. A mutation replaces a part as a whole, so readers see each row once, old
 * or new. The rules version of a row says whether it must still be rewritten, so a crash loses at most one piece, which
 * the next start repeats.
 */
export class RowRewriter {
  readonly #engine: TelemetryEngine
  readonly #stale: StaleRows
  readonly #bounds: RewriteBounds
  #isFirst = true

  constructor(engine: TelemetryEngine, stale: StaleRows, bounds: RewriteBounds = BOUNDS) {
    this.#engine = engine
    this.#stale = stale
    this.#bounds = bounds
  }

  /**
   * One step; call it sequentially. Begins a piece, unless a mutation is still running. Resolves with whether rows are
   * left. Removing deleted traces may abort a piece (rows/trace-purge.ts); it is then repeated.
   */
  async step(): Promise<boolean> {
    if (this.#stale.rows() === 0) return false
    if (this.#isFirst) await this.#begin()
    if (await this.#isMutating()) return true
    await this.#stale.count(this.#engine)
    const table = SEARCHED_TABLES.find((each) => this.#stale.rows(each) > 0)
    if (table === undefined) {
      await this.#engine.command('DROP TABLE IF EXISTS rewritten SYNC')
      return false
    }
    await this.#rewritePiece(table)
    return true
  }

  async #begin(): Promise<void> {
    await this.#engine.command(`KILL MUTATION WHERE database = currentDatabase() AND command LIKE '%rewritten%' SYNC`)
    await this.#engine.command(REWRITTEN)
    this.#isFirst = false
  }

  /**
   * Includes mutations that remove deleted traces: one mutation runs at a time. Throws when one of its own fails; the
   * next step kills it.
   */
  async #isMutating(): Promise<boolean> {
    const mutations = await this.#engine.select(
      `SELECT command LIKE '%rewritten%' AS own, latest_fail_reason FROM system.mutations ` +
        `WHERE database = currentDatabase() AND NOT is_done`,
    )
    const failed = mutations.find(([own, reason]) => own === 1 && reason !== '')
    if (failed === undefined) return mutations.length > 0
    this.#isFirst = true
    throw new Error(`stored rows could not be rewritten by the current search rules: ${failed[1] as string}`)
  }

  async #rewritePiece(table: SearchedTable): Promise<void> {
    const { rowKey, bytes, column } = COLUMN_REBUILDERS[table]
    const stale = `${rulesColumn(table)} < ${integer(this.#stale.version(table))}`
    const [part] = await this.#engine.select(
      `SELECT _part, any(_partition_id) FROM ${table} WHERE ${stale} GROUP BY _part ORDER BY _part LIMIT 1`,
    )
    if (part === undefined) return
    const [name, partition] = part as [string, string]
    const rows = await this.#engine.select(
      `SELECT ${rowKey}, ${bytes} FROM ${table} WHERE _part = ${text(name)} AND ${stale} LIMIT ${integer(this.#bounds.pieceRows)}`,
    )
    await this.#engine.command('TRUNCATE TABLE rewritten')
    const { pieceBytes } = this.#bounds
    let piece = 0
    for (const page of this.#pages(rows as readonly [string, number][])) {
      piece += page.bytes
      await this.#insert(await COLUMN_REBUILDERS[table].rebuild(this.#engine, name, page.rows))
      if (piece >= pieceBytes) break
    }
    const [database] = (await this.#engine.select('SELECT currentDatabase()'))[0] as [string]
    await this.#engine.command(
      `ALTER TABLE ${table} UPDATE ${column} = joinGet(${text(`${database}.rewritten`)}, ${text(column)}, ${rowKey}), ` +
        `${rulesColumn(table)} = ${integer(this.#stale.version(table))} IN PARTITION ID ${text(partition)} ` +
        `WHERE ${stale} AND ${rowKey} IN (SELECT row FROM rewritten) SETTINGS mutations_sync = 0`,
    )
  }

  async #insert(rebuilt: readonly RebuiltRow[]): Promise<void> {
    if (rebuilt.length === 0) return
    await this.#engine.insert('rewritten', Buffer.from(rebuilt.map((row) => `${JSON.stringify(row)}\n`).join('')))
  }

  *#pages(
    rows: readonly (readonly [string, number])[],
  ): Generator<{ readonly rows: string[]; readonly bytes: number }> {
    const { pageRows, pageBytes } = this.#bounds
    let page: string[] = []
    let size = 0
    for (const [row, bytes] of rows) {
      if (page.length > 0 && (page.length === pageRows || size + bytes > pageBytes)) {
        yield { rows: page, bytes: size }
        page = []
        size = 0
      }
      page.push(row)
      size += bytes
    }
    if (page.length > 0) yield { rows: page, bytes: size }
  }
}
