import { randomInt } from 'node:crypto'
import type { StoredTrace } from '../../../ports/traces/trace-store.ts'
import { isPartGone } from '../damage/read-damage.ts'
import type { RemovalMark } from '../../../ports/journal/journal.ts'
import { text, texts } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

type PurgedTable = 'traces' | 'steps' | 'metric_events' | 'metric_points'

/**
 * In memory: it is empty after a restart of the engine, so a running mutation removes nothing more until its batch is
 * named again. Several processes may use one server: numbers of batches are random, and naming a batch ends all others.
 */
const NAMED =
  'CREATE TABLE IF NOT EXISTS purging (batch UInt32, project_id String, trace_id String, expired UInt8) ENGINE = Memory'
/** Rows of one insert: some milliseconds of printing. */
const NAMED_TOGETHER = 1000
const MOST_BATCHES = 2 ** 32

/**
 * Removes the rows of a batch of deleted traces from the engine's files. A part with no other rows is dropped, which
 * needs no space; other parts are rewritten without those rows by a mutation. A lightweight DELETE would only mask
 * rows: they remain in the files until the next merge, and an idle store has none.
 *
 * Of expired traces the rows of `metric_points` stay, without the trace's id and the client's texts.
 */
export class TracePurge {
  readonly #engine: TelemetryEngine
  #named: readonly StoredTrace[] | null = null
  #batch = 0

  constructor(engine: TelemetryEngine) {
    this.#engine = engine
  }

  /**
   * Call it at the start: on a full disk, where space is freed by deletions, the table could not be created. Nodes that
   * start at once may all create it.
   */
  async prepare(): Promise<void> {
    const tables = `system.tables WHERE database = currentDatabase() AND name = 'purging'`
    const [there] = await this.#engine.select(`SELECT 1 FROM ${tables}`)
    if (there === undefined) await this.#engine.command(NAMED)
  }

  /**
   * One step of the removal. Call it with the same array until it returns that array. Another array ends the work on
   * the previous one. The traces MUST NOT be written to any more.
   */
  async step(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    if (await this.#isRewriting()) {
      if (traces === this.#named) return []
      await this.#stopRewriting()
    }
    if (traces.length === 0) return []
    if (traces !== this.#named) await this.#name(traces)
    const ofTrace = this.#isNamed('trace_id')
    const ofRow = this.#isNamed('id')
    const begun = [
      await this.#clearEvents(ofTrace, {
        removed: this.#isNamed('trace_id', 'expired = 0'),
        kept: this.#isNamed('trace_id', 'expired = 1'),
      }),
      await this.#clear('steps', ofTrace),
      await this.#clear('traces', `${ofRow} AND deleted = 0`),
    ]
    if (begun.includes(true)) return []
    // Parts are cleared one after the other, so a tombstone remains until none of the versions and metric events that
    // it hides could reappear.
    if (await this.#clear('traces', ofRow)) return []
    this.#named = null
    // Without the names of its traces, all of them seem to be gone.
    if (!(await this.#isComplete(traces.length))) return []
    await this.#engine.command('TRUNCATE TABLE purging')
    return traces
  }

  /**
   * One step of the removal of single metric events. Call it again until it resolves with true: then nothing is left of
   * them.
   */
  async stepOfEvents(events: readonly RemovalMark[]): Promise<boolean> {
    if (await this.#isRewriting()) return false
    const named = events.map(({ projectId, traceId, id }) => `(${texts([projectId, traceId, id])})`)
    return !(await this.#clearEvents(`(project_id, trace_id, id) IN (${named.join(', ')})`))
  }

  /** Points are removed first, so that `metric_events`, ordered by trace, still shows at once whether any are left. */
  async #clearEvents(named: string, ofPoints = { removed: named, kept: '' }): Promise<boolean> {
    const [any] = await this.#engine.select(`SELECT 1 FROM metric_events WHERE ${named} LIMIT 1`)
    if (any === undefined) return false
    const begun = [
      await this.#clear('metric_points', ofPoints.removed),
      ofPoints.kept !== '' && (await this.#anonymize(ofPoints.kept)),
    ]
    return begun.includes(true) || this.#clear('metric_events', named)
  }

  /** Starts clearing the texts of the matching points; false when there are none. */
  async #anonymize(condition: string): Promise<boolean> {
    const [any] = await this.#engine.select(`SELECT 1 FROM metric_points WHERE ${condition} LIMIT 1`)
    if (any === undefined) return false
    const cleared = `trace_id = '', step_id = '', source = '', meta = map()`
    await this.#engine.command(
      `ALTER TABLE metric_points UPDATE ${cleared} WHERE ${condition} SETTINGS mutations_sync = 0`,
    )
    return true
  }

  /** Starts removing the matching rows; false when there are none. */
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

  /** A merge may have included the part meanwhile. The next step finds its rows in another part. */
  async #drop(table: PurgedTable, part: string): Promise<void> {
    try {
      await this.#engine.command(`ALTER TABLE ${table} DROP PART ${text(part)}`)
    } catch (error) {
      if (!isPartGone(error)) throw error
    }
  }

  async #name(traces: readonly StoredTrace[]): Promise<void> {
    this.#named = null
    await this.prepare()
    await this.#engine.command('TRUNCATE TABLE purging')
    this.#batch = randomInt(MOST_BATCHES)
    for (let from = 0; from < traces.length; from += NAMED_TOGETHER) {
      const part = traces.slice(from, from + NAMED_TOGETHER)
      const rows = part.map(({ projectId, traceId, isExpired = false }) =>
        JSON.stringify({ batch: this.#batch, project_id: projectId, trace_id: traceId, expired: isExpired ? 1 : 0 }),
      )
      await this.#engine.insert('purging', Buffer.from(rows.join('\n')))
    }
    this.#named = traces
  }

  #isNamed(id: 'id' | 'trace_id', which = 'true'): string {
    const named = `SELECT project_id, trace_id FROM purging WHERE batch = ${this.#batch} AND ${which}`
    return `(project_id, ${id}) IN (${named})`
  }

  /** Names of a batch are inserted only before its first step, so rows that exist now existed all the time. */
  async #isComplete(count: number): Promise<boolean> {
    const [row] = await this.#engine.select(`SELECT count() FROM purging WHERE batch = ${this.#batch}`)
    return row?.[0] === count
  }

  async #isRewriting(): Promise<boolean> {
    const [any] = await this.#engine.select(
      'SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND NOT is_done LIMIT 1',
    )
    return any !== undefined
  }

  /** Mutations of a batch that met a full disk, or of the previous process. */
  async #stopRewriting(): Promise<void> {
    await this.#engine.command('KILL MUTATION WHERE database = currentDatabase() SYNC')
  }
}
