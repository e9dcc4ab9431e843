import { integer, text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { type MadeAnew, MAKERS } from './made-anew.ts'
import { rulesColumn, SEARCHED_TABLES, type SearchedTable, type StaleRows } from './stale-rows.ts'

/** Bounds of what is read, computed and held at once. */
export interface RewriteBounds {
  /**
   * Rows and bytes of one piece. The engine rewrites the column of a whole part for it, and holds what is new in
   * memory.
   */
  readonly pieceRows: number
  readonly pieceBytes: number
  /**
   * Rows and bytes made anew without a break: what parsing them may hold the thread up for. A single row may be larger.
   */
  readonly pageRows: number
  readonly pageBytes: number
}

const BOUNDS: RewriteBounds = {
  pieceRows: 20_000,
  pieceBytes: 32 * 1024 * 1024,
  pageRows: 250,
  pageBytes: 1024 * 1024,
}

/** In memory: after a restart it is empty, so that a mutation of the process before changes nothing more. */
const REWRITTEN =
  'CREATE TABLE IF NOT EXISTS rewritten (row String, terms Array(String), text String) ' +
  'ENGINE = Join(ANY, LEFT, row) SETTINGS persistent = 0'

/**
 * Brings rows that were made by earlier rules up to date, a piece of one part at a time: the new values go into a table
 * in memory, and a mutation takes them from there. A mutation replaces a part as a whole, so that readers see each row
 * once, as it was or as it is; a row's own number of rules says whether it is still to be rewritten. So a kill loses
 * one piece at most, which the next start makes again.
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
   * One step, one at a time: begins a piece, or finds the one before still under way. Resolves with whether rows are
   * left. Removing deleted traces may end a piece (rows/trace-purge.ts); it is made again.
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

  /** Also those that remove deleted traces: one after the other. Throws, and ends it, when one of its own fails. */
  async #isMutating(): Promise<boolean> {
    const mutations = await this.#engine.select(
      `SELECT command LIKE '%rewritten%' AS own, latest_fail_reason FROM system.mutations ` +
        `WHERE database = currentDatabase() AND NOT is_done`,
    )
    const failed = mutations.find(([own, reason]) => own === 1 && reason !== '')
    if (failed === undefined) return mutations.length > 0
    this.#isFirst = true
    throw new Error(`stored rows could not be brought up to the rules of search: ${failed[1] as string}`)
  }

  async #rewritePiece(table: SearchedTable): Promise<void> {
    const { rowKey, bytes, column } = MAKERS[table]
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
      await this.#insert(await MAKERS[table].make(this.#engine, name, page.rows))
      if (piece >= pieceBytes) break
    }
    const [database] = (await this.#engine.select('SELECT currentDatabase()'))[0] as [string]
    await this.#engine.command(
      `ALTER TABLE ${table} UPDATE ${column} = joinGet(${text(`${database}.rewritten`)}, ${text(column)}, ${rowKey}), ` +
        `${rulesColumn(table)} = ${integer(this.#stale.version(table))} IN PARTITION ID ${text(partition)} ` +
        `WHERE ${stale} AND ${rowKey} IN (SELECT row FROM rewritten) SETTINGS mutations_sync = 0`,
    )
  }

  async #insert(made: readonly MadeAnew[]): Promise<void> {
    if (made.length === 0) return
    await this.#engine.insert('rewritten', Buffer.from(made.map((row) => `${JSON.stringify(row)}\n`).join('')))
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
