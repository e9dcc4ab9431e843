import { idFromBytes } from '../../lib/ids/typeid.ts'
import type { JournalRow } from '../../ports/journal/journal.ts'
import type { CommitOutcome, CommitPlan } from '../../ports/log/log.ts'
import { recordOf } from '../commit-outcome.ts'
import { appendCommit, type JournalSql, journalSqlOn } from '../sql/journal/journal-work.ts'
import { first, run, type SqlDatabase, type Work } from '../sql/kit/sql-database.ts'
import type { ClusterLogSql, CommitRow } from './cluster-log-statements.ts'
import { encodePlan } from './commit-payload.ts'
import { emptyPlan } from './empty-plan.ts'
import { hasMoved, partitionsOf } from './partitions.ts'
import { isPlain, plainCommitOn, type PlainCommitSql, plainJournalRows } from './plain-commit.ts'
import { placeRows, renumber } from './renumber.ts'

export interface CommitWriterDependencies {
  /** PostgreSQL with serializable transactions. */
  readonly database: SqlDatabase<unknown>
  /** Random, 16 bytes. */
  readonly newCommitId: () => Uint8Array
  /** Whether other nodes may read the log as seldom as idle ones do. */
  readonly mayBeIdle: () => boolean
}

/** A commit in the log. */
export type Written = Pick<Extract<CommitOutcome, { readonly status: 'committed' }>, 'version' | 'rows'>

/** What is read of each commit. */
export interface Described {
  readonly bytes: number
  readonly partitions: readonly number[]
}

interface Writing extends Described {
  readonly plan: CommitPlan
  readonly id: Uint8Array
}

interface Encoded extends Writing {
  readonly payload: Uint8Array
}

/** More than the free end of a page: a full disk has no room for it. */
const PROBE_BYTES = 64 * 1024
/** Of no commit. */
const NO_VERSION = -1

/**
 * Writes commits into the log in PostgreSQL. A commit is one transaction: it locks the state row, compares the heads of
 * its partitions, takes the next version, writes journal, keys, links and the payload, and moves the state. So commits
 * of all nodes have one order, and those of different partitions do not conflict. Nearly all commits are one statement:
 * see plain-commit.ts.
 */
export class CommitWriter {
  readonly #dependencies: CommitWriterDependencies
  readonly #sql: ClusterLogSql
  readonly #journal: JournalSql
  readonly #plainCommit: PlainCommitSql

  constructor(dependencies: CommitWriterDependencies, sql: ClusterLogSql) {
    this.#dependencies = dependencies
    this.#sql = sql
    this.#journal = journalSqlOn(dependencies.database)
    this.#plainCommit = plainCommitOn(dependencies.database)
  }

  /** Null when another commit of its partitions came between. */
  async write(writing: Writing): Promise<Written | null> {
    const { database, mayBeIdle } = this.#dependencies
    const { plan } = writing
    const encoded = { ...writing, payload: await encodePlan(plan) }
    if (!isPlain(plan)) return await database.write(() => this.#writeReading(encoded))
    const rows = plainJournalRows(plan)
    const commit = { ...encoded, rows, journalRows: rowsToBytes(rows), wakes: mayBeIdle() }
    const [placed] = await database.writeAtOnce(this.#plainCommit(commit))
    return placed === undefined ? null : { version: placed.version, rows: placeRows(rows, placed.journal_head) }
  }

  /**
   * Finds a commit by its id after the answer to it was lost; null if it never will be in the log. The lock waits for
   * the end of a lost transaction. If it is not in the log then, its statement may still be on its way to the server.
   * So an empty commit of the same partitions is written, unless they have moved.
   */
  async find(plan: CommitPlan, id: Uint8Array): Promise<Written | null> {
    const { database, newCommitId } = this.#dependencies
    const empty = emptyPlan(plan)
    const own = { id: newCommitId(), payload: await encodePlan(empty) }
    await database.write(() => this.#writeReading({ plan: empty, partitions: partitionsOf(plan), bytes: 0, ...own }))
    const [commit] = await database.read(this.#sql.commitWithId({ id, after: plan.version - 1 }))
    return commit === undefined ? null : { version: commit.version, rows: toRows(commit) }
  }

  /** Writes as much as a small commit, and removes it again. */
  async probe(): Promise<void> {
    const { database, newCommitId } = this.#dependencies
    const { insertCommit, deleteCommit } = this.#sql
    const row = {
      id: newCommitId(),
      payload: Buffer.alloc(PROBE_BYTES),
      journal_rows: Buffer.alloc(0),
      journal_head: 0,
      bytes: 0,
      partitions: [],
    }
    await database.write(function* (): Work<void> {
      yield* run(insertCommit({ version: NO_VERSION, ...row }))
      yield* run(deleteCommit({ version: NO_VERSION }))
    })
  }

  /** As `write`, of a plan that depends on more than the heads. */
  *#writeReading({ plan, partitions, id, payload, bytes }: Encoded): Work<Written | null> {
    const state = yield* first(this.#sql.lockState({}))
    if (state === undefined) throw new Error('the log has lost its state row')
    if (hasMoved(state.heads, partitions, plan.version - 1)) return null
    const version = state.version + 1
    const lastTraceId = state.last_trace_id === null ? null : idFromBytes('tr', state.last_trace_id)
    const rows = yield* appendCommit(this.#journal, recordOf(renumber(plan, version, lastTraceId)))
    const head = state.head_position
    const journal_rows = rowsToBytes(placeRows(rows, -head))
    yield* run(this.#sql.insertCommit({ version, id, payload, journal_rows, journal_head: head, bytes, partitions }))
    yield* run(this.#sql.moveHeads({ version, partitions }))
    if (this.#dependencies.mayBeIdle()) yield* run(this.#sql.notify({}))
    return { version, rows }
  }
}

function rowsToBytes(rows: readonly JournalRow[]): Uint8Array {
  return Buffer.from(JSON.stringify(rows))
}

/** The rows of the journal that a commit brought. */
export function toRows({ journal_rows, journal_head }: Pick<CommitRow, 'journal_rows' | 'journal_head'>) {
  return placeRows(JSON.parse(Buffer.from(journal_rows).toString()) as readonly JournalRow[], journal_head)
}
