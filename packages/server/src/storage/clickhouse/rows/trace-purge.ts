import type { StoredTrace } from '../../../ports/traces/trace-store.ts'
import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

type PurgedTable = 'traces' | 'steps' | 'metric_events' | 'metric_points'

/**
 * In memory: after a restart it is empty, and what was under way removes nothing more until its batch is named again.
 */
const NAMED = 'CREATE TABLE purging (batch UInt32, project_id String, trace_id String) ENGINE = Memory'
/** Rows of one insert: some milliseconds of printing. */
const NAMED_TOGETHER = 1000

/**
 * Removes the rows of a batch of deleted traces from the engine's files. A part that holds nothing else is dropped,
 * which needs no space; the others are rewritten without those rows by a mutation. A lightweight DELETE would only mask
 * rows: they stay in the files until the next merge, and an idle store has none.
 */
export class TracePurge {
  readonly #engine: TelemetryEngine
  #named: readonly StoredTrace[] | null = null
  #batch = 0

  constructor(engine: TelemetryEngine) {
    this.#engine = engine
  }

  /** At the start: on a full disk, where somebody deletes to get space, it could not be made. */
  async prepare(): Promise<void> {
    const tables = `system.tables WHERE database = currentDatabase() AND name = 'purging'`
    const [there] = await this.#engine.select(`SELECT 1 FROM ${tables}`)
    if (there === undefined) await this.#engine.command(NAMED)
  }

  /**
   * One step of the removal, to be called again with the same array until it returns it. Another array ends what was
   * begun for the one before. None of the traces may be written to any more.
   */
  async step(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    if (await this.#isRewriting()) {
      if (traces === this.#named) return []
      await this.#stopRewriting()
    }
    if (await this.#applyMasks()) return []
    if (traces.length === 0) return []
    if (traces !== this.#named) await this.#name(traces)
    const ofTrace = this.#isNamed('trace_id')
    const ofRow = this.#isNamed('id')
    const begun = [
      await this.#clearEvents(ofTrace),
      await this.#clear('steps', ofTrace),
      await this.#clear('traces', `${ofRow} AND deleted = 0`),
    ]
    if (begun.includes(true)) return []
    // Parts are cleared one after the other: a tombstone stays until none of the versions and metric events that it
    // hides could come back to life.
    if (await this.#clear('traces', ofRow)) return []
    this.#named = null
    await this.#engine.command('TRUNCATE TABLE purging')
    return traces
  }

  /** Points go first: `metric_events`, ordered by trace, answers at once whether there are any. */
  async #clearEvents(ofTrace: string): Promise<boolean> {
    const [any] = await this.#engine.select(`SELECT 1 FROM metric_events WHERE ${ofTrace} LIMIT 1`)
    if (any === undefined) return false
    return (await this.#clear('metric_points', ofTrace)) || (await this.#clear('metric_events', ofTrace))
  }

  /** Begins to remove the rows that match; false when there are none. */
  async #clear(table: PurgedTable, condition: string): Promise<boolean> {
    const found = await this.#engine.select(`SELECT _part, count() FROM ${table} WHERE ${condition} GROUP BY _part`)
    if (found.length === 0) return false
    const parts = await this.#engine.select(
      `SELECT name, rows FROM system.parts WHERE database = currentDatabase() AND table = ${text(table)} AND active`,
    )
    const rows = new Map(parts.map(([name, count]) => [name, count]))
    let dropped = 0
    for (const [part, count] of found) {
      if (rows.get(part) !== count) continue
      await this.#drop(table, part as string)
      dropped += 1
    }
    if (dropped < found.length) {
      await this.#engine.command(`ALTER TABLE ${table} DELETE WHERE ${condition} SETTINGS mutations_sync = 0`)
    }
    return true
  }

  /** A merge may have taken the part in meanwhile: its rows are found in another one by the next step. */
  async #drop(table: PurgedTable, part: string): Promise<void> {
    try {
      await this.#engine.command(`ALTER TABLE ${table} DROP PART ${text(part)}`)
    } catch (error) {
      if (!String(error).includes('NO_SUCH_DATA_PART')) throw error
    }
  }

  async #name(traces: readonly StoredTrace[]): Promise<void> {
    this.#named = null
    await this.prepare()
    await this.#engine.command('TRUNCATE TABLE purging')
    this.#batch += 1
    for (let from = 0; from < traces.length; from += NAMED_TOGETHER) {
      const part = traces.slice(from, from + NAMED_TOGETHER)
      const rows = part.map(({ projectId, traceId }) =>
        JSON.stringify({ batch: this.#batch, project_id: projectId, trace_id: traceId }),
      )
      await this.#engine.insert('purging', Buffer.from(rows.join('\n')))
    }
    this.#named = traces
  }

  #isNamed(id: 'id' | 'trace_id'): string {
    return `(project_id, ${id}) IN (SELECT project_id, trace_id FROM purging WHERE batch = ${this.#batch})`
  }

  async #isRewriting(): Promise<boolean> {
    const [any] = await this.#engine.select(
      'SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND NOT is_done LIMIT 1',
    )
    return any !== undefined
  }

  /** Of a batch whose rewriting met a full disk, or of the process before. */
  async #stopRewriting(): Promise<void> {
    await this.#engine.command('KILL MUTATION WHERE database = currentDatabase() SYNC')
  }

  /** Versions before 0050 masked rows. Their parts are rewritten once. */
  async #applyMasks(): Promise<boolean> {
    const masked = await this.#engine.select(
      'SELECT DISTINCT table FROM system.parts WHERE database = currentDatabase() AND active AND has_lightweight_delete',
    )
    for (const [table] of masked) {
      await this.#engine.command(`ALTER TABLE ${table as string} APPLY DELETED MASK SETTINGS mutations_sync = 0`)
    }
    return masked.length > 0
  }
}
