import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import {
  type DeletedTrace,
  type Journal,
  type JournalRow,
  type RemovalMark,
  rowsOfEvents,
  type SupersededKeys,
  type TraceName,
} from '../../../ports/journal/journal.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { readParts } from '../kit/list-statement.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { forgetProjectTexts } from './forget-trace.ts'
import { expireKeys, pruneRows, pruneSupersededKeys, PRUNE_ROWS } from './journal-pruning.ts'
import {
  type JournalState,
  toDeletedTrace,
  toRemovalMark,
  toTraceName,
  toJournalRow,
  toJournalRows,
  toState,
  toSuperseded,
} from './journal-rows.ts'
import { forgetRemovals, type JournalSql, journalSqlOn, purgeTraces } from './journal-work.ts'

/** Rows differ a thousandfold in size, so `readAll` reads some at a time. */
const PAGE_ROWS = 200

/** The journal for a database that several processes write: nothing of it is remembered between two calls. */
export class SqlJournal implements Journal {
  readonly #database: SqlDatabase<unknown>
  protected readonly sql: JournalSql

  constructor(database: SqlDatabase<unknown>) {
    this.#database = database
    this.sql = journalSqlOn(database)
  }

  async read(projectId: ProjectId, after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    const page = { projectId: idToBytes(projectId), after, limit: limitEvents }
    const rows = await this.#database.read(this.sql.readRows(page))
    return rowsOfEvents(
      toJournalRows(rows, () => projectId),
      after,
      limitEvents,
    )
  }

  async readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    const rows: JournalRow[] = []
    let [count, position] = [0, after]
    while (count < limitEvents) {
      const page = await this.#database.read(this.sql.readAllPage({ after: position, limit: PAGE_ROWS }))
      for (const row of page) {
        const found = toJournalRow(row, idFromBytes('proj', row.project_id))
        rows.push(found)
        position = found.lastPosition
        count += Math.min(found.events.length, position - after)
        if (count >= limitEvents) break
      }
      if (page.length < PAGE_ROWS) break
    }
    return rows
  }

  async headPosition(): Promise<number> {
    return (await this.#readState()).headPosition
  }

  async prunedThrough(): Promise<number> {
    return (await this.#readState()).prunedThrough
  }

  prune(before: number, limitRows = PRUNE_ROWS, throughPosition = Infinity, now = Infinity): Promise<number> {
    return this.#database.write(() => pruneRows(this.sql, before, limitRows, throughPosition, now))
  }

  async supersededAt(projectId: ProjectId, version: number): Promise<readonly SupersededKeys[]> {
    const rows = await this.#database.read(this.sql.supersededAt({ projectId: idToBytes(projectId), version }))
    return rows.map((row) => toSuperseded(row, projectId))
  }

  async quietSince(version: number, limit: number): Promise<readonly TraceName[]> {
    return (await this.#database.read(this.sql.quietSince({ version, limit }))).map(toTraceName)
  }

  pruneSuperseded(before: number, limitRows = PRUNE_ROWS): Promise<number> {
    return this.#database.write(() => pruneSupersededKeys(this.sql, before, limitRows))
  }

  expireKeys(now: number, keptMs: number, limitRows = PRUNE_ROWS): Promise<number> {
    return this.#database.write(() => expireKeys(this.sql, now, keptMs, limitRows))
  }

  async deletedAmong(traceIds: readonly TraceId[], onlyForGood = false): Promise<ReadonlySet<TraceId>> {
    const statement = onlyForGood ? this.sql.deletedForGoodAmong : this.sql.deletedAmong
    const rows = await readParts(this.#database, statement(traceIds.map(idToBytes), {}))
    const deleted = new Set(rows.map((row) => idFromBytes('tr', row.trace_id)))
    return new Set(traceIds.filter((id) => deleted.has(id)))
  }

  async pendingPurges(limit: number, after?: TraceId, withoutExpired = false): Promise<readonly DeletedTrace[]> {
    const page = { after: after === undefined ? new Uint8Array() : idToBytes(after), limit }
    const statement = withoutExpired ? this.sql.pendingWithMetrics : this.sql.pendingPurges
    return (await this.#database.read(statement(page))).map(toDeletedTrace)
  }

  async restorableUntil(traceId: TraceId): Promise<number | null> {
    const row = (await this.#database.read(this.sql.restorableUntil({ traceId: idToBytes(traceId) })))[0]
    return row === undefined ? null : Number(row.restorable_until)
  }

  async pendingPurgeCount(limit: number, through = Number.MAX_SAFE_INTEGER): Promise<number> {
    return Number((await this.#database.read(this.sql.pendingPurgeCount({ limit, through })))[0]?.count)
  }

  markPurged(traceIds: readonly TraceId[]): Promise<void> {
    return this.#database.write(() => purgeTraces(this.sql, traceIds))
  }

  forgetTexts(projectId: ProjectId): Promise<number> {
    return this.#database.write(() => forgetProjectTexts(this.sql, projectId))
  }

  async removedEvents(projectId: ProjectId): Promise<ReadonlySet<MetricEventId>> {
    const rows = await this.#database.read(this.sql.removedEvents({ projectId: idToBytes(projectId) }))
    return new Set(rows.map((row) => idFromBytes('mev', row.event_id)))
  }

  async removalMarks(limit: number): Promise<readonly RemovalMark[]> {
    return (await this.#database.read(this.sql.removalMarks({ limit }))).map(toRemovalMark)
  }

  forgetRemovals(ids: readonly MetricEventId[]): Promise<void> {
    return this.#database.write(() => forgetRemovals(this.sql, ids))
  }

  async #readState(): Promise<JournalState> {
    return toState((await this.#database.read(this.sql.readState({})))[0])
  }
}
