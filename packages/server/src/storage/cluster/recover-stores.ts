import { idFromBytes } from '../../lib/ids/typeid.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { compareBucket, readBucketState, readTimeline, writeTimeline } from '../blobs/bucket-timeline.ts'
import type { SharedRows } from '../recent/settled-rows.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'
import { run, type Work } from '../sql/kit/sql-database.ts'
import { sqlTextOn } from '../sql/kit/sql-text.ts'
import { NOW } from './cluster-log-statements.ts'
import { findMismatch, type Marks, type Mismatch, newestOf, nextTimeline, type Timeline } from './timeline.ts'

export interface StoresToRecover {
  readonly database: PostgresqlDatabase<unknown>
  readonly settled: Pick<SharedRows, 'marks' | 'markSettled'>
  readonly later: LaterRows
  readonly blobs: BlobStore
}

/** Rows in ClickHouse of commits after `through`. Traces with ids greater than `known` were made by these. */
export interface LaterRows {
  count(through: number, known: string): Promise<LaterCount>
  /**
   * Merges may have dropped the earlier state of a trace that is known: then its rows stay, as of the commit `through`.
   * May be repeated after an interruption.
   */
  remove(through: number, known: string): Promise<void>
}

/** `through`: the last commit of any row. `changed`: known traces that have such rows. */
export type LaterCount = Readonly<Record<'through' | 'traces' | 'changed' | 'steps' | 'metricEvents', number>>

export type Kept = 'postgresql' | 'clickhouse'

/** What the stores do not agree on. */
export interface Recovery {
  readonly problem: string
  /** Whether one of the choices loses nothing. */
  readonly isLossless: boolean
  /** What would be done to keep which store as it is. */
  readonly choices: Readonly<Partial<Record<Kept, string>>>
  /** Does it. No node may run. May be repeated after an interruption. */
  recover(kept: Kept): Promise<void>
}

interface State {
  readonly version: number
  readonly timeline: Timeline
  readonly settled: number
  readonly sent: number
  readonly pruned: number
  readonly last_trace_id: Uint8Array | null
  readonly nodes: number
}

/**
 * Compares PostgreSQL, ClickHouse and the bucket; null when they belong to one moment. Rejects with OperatorError when
 * they belong to different clusters.
 */
export async function findRecovery({ database, settled, later, blobs }: StoresToRecover): Promise<Recovery | null> {
  const before = await readState(database)
  const marks = await settled.marks()
  // During a backup nodes run: they may have sent a batch meanwhile.
  const state = { ...(await readState(database)), settled: before.settled }
  const ofBucket = await readTimeline(blobs)
  const mismatch =
    findMismatch({ timeline: state.timeline, settledThrough: state.settled, sentThrough: state.sent }, marks) ??
    compareBucket(await readBucketState(database, state.timeline), ofBucket)
  if (mismatch === null) return null
  const { older, message } = mismatch
  if (older === null) throw new OperatorError(message)
  const isAhead = older === 'PostgreSQL'
  const through = older === 'ClickHouse' ? Math.max(leastOf(marks), state.pruned) : state.sent
  const known = state.last_trace_id === null ? '' : idFromBytes('tr', state.last_trace_id)
  const unknown = await later.count(through, known)
  const timelines = [state.timeline, ofBucket ?? state.timeline, ...marks.flatMap((of) => [...of.keys()])]
  const timeline = nextTimeline(newestOf(timelines))
  return {
    problem: message,
    isLossless: older === 'ClickHouse' && state.pruned <= leastOf(marks),
    choices: describe(mismatch, state, leastOf(marks), unknown),
    async recover(kept) {
      if (state.nodes > 0)
        throw new OperatorError('Nodes run, or ended less than 15 s ago: they hold leases. Stop all of them first.')
      const last =
        kept === 'clickhouse' ? Math.max(unknown.through, ...marks.flatMap((of) => Array.from(of.values()))) : through
      const writeClickHouse = async () => {
        if (kept === 'postgresql') await later.remove(through, known)
        await settled.markSettled(timeline, last, `${timeline} ${last}`)
      }
      const settles = kept === 'clickhouse' || older === 'ClickHouse'
      const writePostgresql = () => writeState(database, { timeline, kept, last, settles })
      // If it is interrupted, the store that is written first is the newer one, as before.
      for (const write of isAhead ? [writeClickHouse, writePostgresql] : [writePostgresql, writeClickHouse])
        await write()
      await writeTimeline(blobs, timeline)
    },
  }
}

function describe(
  { older }: Mismatch,
  { version, settled, pruned }: State,
  marked: number,
  unknown: LaterCount,
): Recovery['choices'] {
  if (older === 'the bucket') return { postgresql: 'continues with this bucket. Media that it does not have is lost.' }
  if (older === 'ClickHouse') {
    const lost =
      pruned > marked ? `Commits ${marked + 1} to ${pruned} are in neither store: they are lost.` : 'Nothing is lost.'
    return { postgresql: `writes ${version - Math.max(marked, pruned)} commits to ClickHouse again. ${lost}` }
  }
  const waiting = version - settled
  return {
    clickhouse:
      `keeps all that ClickHouse has: the log continues after commit ${Math.max(unknown.through, marked)}. Events, ` +
      'deliveries, idempotency keys, projects, keys and definitions that PostgreSQL has forgotten stay lost' +
      (waiting > 0 ? `, and ${waiting} commits that only PostgreSQL has are deleted.` : '.'),
    postgresql:
      `removes from ClickHouse what PostgreSQL does not know: ${unknown.traces} traces, changes of ${unknown.changed} ` +
      `older ones; in all ${unknown.steps} steps and ${unknown.metricEvents} metric events. Older traces whose earlier ` +
      'state ClickHouse no longer has stay as they are.',
  }
}

export async function readState(database: PostgresqlDatabase<unknown>): Promise<State> {
  const { query } = sqlTextOn(database)
  const read = query<object, State>(`SELECT version, timeline, settled_through AS settled,
      coalesce(batch_through, settled_through) AS sent, settling.pruned_through AS pruned, last_trace_id,
      (SELECT count(*) FROM leases WHERE until > extract(epoch FROM clock_timestamp()) * 1000) AS nodes
    FROM journal_state, settling`)
  const [state] = await database.read(read({}))
  if (state === undefined) throw new Error('the log has lost its state row')
  return state
}

interface Written {
  readonly timeline: Timeline
  readonly kept: Kept
  /** What ClickHouse has. */
  readonly last: number
  /** Whether PostgreSQL says otherwise. */
  readonly settles: boolean
}

async function writeState(
  database: PostgresqlDatabase<unknown>,
  { timeline, kept, last, settles }: Written,
): Promise<void> {
  const { query } = sqlTextOn(database)
  const statement = (text: string) => run(query<{ timeline: Timeline; last: number }>(text)({ timeline, last }))
  await database.write(function* (): Work<void> {
    yield* statement('UPDATE settling SET timeline = :timeline')
    if (!settles) return
    yield* statement('UPDATE settling SET settled_through = :last, batch_id = NULL, batch_through = NULL')
    yield* statement('DELETE FROM settled_marks WHERE through > :last')
    if (kept === 'postgresql') return
    // Ids are in the order of commits: those of forgotten traces are not known.
    yield* statement(`UPDATE journal_state SET version = :last, last_trace_id = decode(
      lpad(to_hex(${NOW}), 12, '0') || repeat('0', 20), 'hex')`)
    yield* statement('DELETE FROM commits')
    yield* statement('UPDATE settling SET pruned_through = :last')
  })
}

function leastOf(marks: Marks): number {
  return Math.min(...marks.map((of) => of.get(newestOf([...of.keys()])) ?? 0))
}
