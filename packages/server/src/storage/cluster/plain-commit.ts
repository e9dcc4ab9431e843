import { idLeadOf } from '../../ports/journal/creation-time.ts'
import type { JournalRow } from '../../ports/journal/journal.ts'
import type { CommitPlan } from '../../ports/log/log.ts'
import { idToBytes } from '../../lib/ids/typeid.ts'
import { encodeEvents } from '../sql/journal/event-encoding.ts'
import type { EventsRow } from '../sql/journal/journal-tables.ts'
import { STEP_KEYS, SUPERSEDED, TRACE_KEYS } from '../sql/journal/key-statements.ts'
import { stepKeyRows, supersededRows, traceKeyRows } from '../sql/journal/key-rows.ts'
import { QUIET_WAITS, waitingRows } from '../sql/journal/quiet-wait-statements.ts'
import { type ArrayTable, insertFrom, MOST_ROWS, rowsOfArrays, toArrays } from '../sql/kit/column-arrays.ts'
import type { BoundStatement, SqlDatabase } from '../sql/kit/sql-database.ts'
import { sqlTextOn } from '../sql/kit/sql-text.ts'
import { movedHeads, WAKE_NODES } from './cluster-log-statements.ts'

/**
 * A plain commit is written by one statement, which is its transaction: one round trip. Others read in their
 * transaction what the plan does not know, such as the state of a monitor.
 */
export function isPlain(plan: CommitPlan): boolean {
  const { attachments, deleted, removedEvents, monitorTransitions, onceEvents, projects, traceKeys, superseded } = plan
  const rare = [attachments, deleted, removedEvents, monitorTransitions, onceEvents]
  const stepKeyCount = plan.stepKeys.length + plan.metricEventKeys.length
  const rowCount = Math.max(projects.length, traceKeys.length, stepKeyCount, superseded.length)
  const isShort = rowCount <= MOST_ROWS && plan.quietWaits.length <= MOST_ROWS
  return isShort && rare.every(({ length }) => length === 0) && plan.quietWaits.every(({ waits }) => waits)
}

/** The rows of the journal, one for each element of `projects`, as if it were empty: see `placeRows`. */
export function plainJournalRows({ projects, committedAt }: CommitPlan): readonly JournalRow[] {
  let lastPosition = 0
  return projects.map(({ projectId, events }) => {
    lastPosition += events.length
    return { projectId, lastPosition, committedAt, events }
  })
}

interface PlainCommit {
  readonly plan: CommitPlan
  readonly partitions: readonly number[]
  /** Of `plainJournalRows`. */
  readonly rows: readonly JournalRow[]
  readonly id: Uint8Array
  readonly payload: Uint8Array
  /** What the rows take in the memory of a node. */
  readonly bytes: number
  readonly journalRows: Uint8Array
  /** Whether idle nodes are to read it at once. */
  readonly wakes: boolean
}

/** The place that a commit has got. */
interface Placed {
  readonly version: number
  /** The last position of the journal before it. */
  readonly journal_head: number
}

/**
 * Returns no row, and has changed nothing, if another commit of its partitions came between. All values that other
 * commits may have moved are those of the locked state row: a statement that has waited for its lock sees nothing else
 * of what was committed meanwhile.
 */
export type PlainCommitSql = (commit: PlainCommit) => BoundStatement<Placed>

export function plainCommitOn(database: SqlDatabase<unknown>): PlainCommitSql {
  const statement = sqlTextOn(database).query<Values, Placed>(`WITH moved AS (
      UPDATE journal_state
      SET version = version + 1,
        last_trace_id = greatest(:lastTraceId, last_trace_id),
        head_position = head_position + :events,
        id_lead_ms = greatest(id_lead_ms, :idLeadMs),
        heads = ${movedHeads('version + 1', ':partitions')}
      WHERE :after::bigint >= (SELECT max(heads[number]) FROM unnest(:partitions::int[]) AS number)
      RETURNING version, key_generation, head_position - :events AS journal_head
    ),
    ${TABLES.map(insertOf).join(', ')}
    INSERT INTO commits (version, id, payload, journal_rows, journal_head, bytes, partitions)
    SELECT version, :id::bytea, :payload::bytea, :journalRows::bytea, journal_head, :bytes::bigint, :partitions::bigint[]
    FROM moved
    RETURNING version, journal_head, CASE WHEN :wakes::bigint = 1 THEN ${WAKE_NODES} END`)
  return (commit) => statement(valuesOf(commit))
}

const JOURNAL: ArrayTable<EventsRow> = {
  name: 'journal',
  columns: { last_position: 'bigint', project_id: 'bytea', committed_at: 'bigint', events: 'bytea' },
}
interface TextRow {
  readonly content_of: Uint8Array
  readonly last_position: number
}
const JOURNAL_TEXTS: ArrayTable<TextRow> = {
  name: 'journal_texts',
  columns: { content_of: 'bytea', last_position: 'bigint' },
  conflict: 'DO NOTHING',
}
const TABLES = [JOURNAL, JOURNAL_TEXTS, TRACE_KEYS, STEP_KEYS, SUPERSEDED, QUIET_WAITS] as readonly ArrayTable<object>[]

/** What only the state row knows when the statement is written. */
const PLACES: Readonly<Record<string, string>> = {
  journal__last_position: 'moved.journal_head + given.last_position',
  journal_texts__last_position: 'moved.journal_head + given.last_position',
  superseded_keys__until_version: 'moved.version',
  trace_keys__generation: 'given.generation * moved.key_generation',
  step_keys__generation: 'given.generation * moved.key_generation',
  quiet_waits__version: 'moved.version',
}

interface Values extends Pick<PlainCommit, 'partitions' | 'id' | 'payload' | 'bytes' | 'journalRows'> {
  /** The commit that the plan was made on. */
  readonly after: number
  readonly lastTraceId: Uint8Array | null
  /** How many. */
  readonly events: number
  readonly idLeadMs: number
  /** 0 or 1. */
  readonly wakes: number
  /** `<table>__<column>`: the values of all rows. */
  readonly [column: `${string}__${string}`]: readonly unknown[]
}

/** A part of the statement that inserts its rows once the state has moved. */
function insertOf(table: ArrayTable<object>): string {
  const nameOf = (column: string) => `${table.name}__${column}`
  const columns = Object.keys(table.columns).map((column) => PLACES[nameOf(column)] ?? `given.${column}`)
  const given = rowsOfArrays(table.columns, (column) => `:${nameOf(column)}`)
  return `into_${table.name} AS (${insertFrom(table, `SELECT ${columns.join(', ')} FROM moved, ${given}`)})`
}

function valuesOf({ plan, partitions, rows, id, payload, bytes, journalRows, wakes }: PlainCommit): Values {
  const written = rows.filter(({ events }) => events.length > 0)
  return {
    after: plan.version - 1,
    partitions,
    lastTraceId: plan.lastTraceId === null ? null : idToBytes(plan.lastTraceId),
    events: rows.at(-1)?.lastPosition ?? 0,
    idLeadMs: idLeadOf(plan.lastTraceId, plan.committedAt),
    wakes: wakes ? 1 : 0,
    id,
    payload,
    bytes,
    journalRows,
    ...columnsOf(JOURNAL, written.map(toEventsRow)),
    ...columnsOf(JOURNAL_TEXTS, [...reasonRows(written)]),
    ...columnsOf(TRACE_KEYS, [...traceKeyRows(plan, 1)]),
    ...columnsOf(STEP_KEYS, [...stepKeyRows(plan, 1)]),
    ...columnsOf(SUPERSEDED, [...supersededRows(plan)]),
    ...columnsOf(QUIET_WAITS, [...waitingRows(plan)]),
  }
}

function columnsOf<Row>(table: ArrayTable<Row>, rows: readonly Row[]): Record<string, readonly unknown[]> {
  const arrays = Object.entries(toArrays(table, rows))
  return Object.fromEntries(arrays.map(([column, values]) => [`${table.name}__${column}`, values]))
}

function toEventsRow({ projectId, lastPosition, committedAt, events }: JournalRow): EventsRow {
  return {
    last_position: lastPosition,
    project_id: idToBytes(projectId),
    committed_at: committedAt,
    events: encodeEvents(events),
  }
}

/** Where reasons of flags are, so that they are found when their trace is purged. */
function* reasonRows(rows: readonly JournalRow[]): Generator<TextRow, void> {
  for (const { events, lastPosition } of rows) {
    for (const event of events) {
      if (event.type !== 'trace.flagged' || event.reason === null) continue
      yield { content_of: idToBytes(event.traceId), last_position: lastPosition }
    }
  }
}
