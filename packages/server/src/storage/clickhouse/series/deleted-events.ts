import type { ProjectId } from '@spoor/contract/ids'
import type { DeletedTrace, Journal } from '../../../ports/journal/journal.ts'
import { notOfTraces } from './aggregate-rows.ts'
import { text, texts } from '../engine/literal.ts'
import { notRemoved } from '../rows/score-conditions.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** `Journal.pendingPurges`. */
type PendingPurges = (limit: number, withoutExpired: boolean) => Promise<readonly DeletedTrace[]>

export interface DeletedEventsDependencies {
  readonly engine: TelemetryEngine
  readonly pendingPurges: PendingPurges
  readonly removedEvents: Journal['removedEvents']
}

/** Traces named in one statement: the engine accepts 256 KB of SQL. */
const MOST_NAMED = 4000

/**
 * A condition that leaves out the events, or the steps, of deleted traces whose rows are not purged yet, and removed
 * events; null when there are none, which is nearly always. Only traces that have some are named, because the column is
 * wide. Events of expired traces count.
 */
export async function withoutDeleted(
  { engine, pendingPurges, removedEvents }: DeletedEventsDependencies,
  projectId: ProjectId,
  table: 'metric_events' | 'steps' = 'metric_events',
): Promise<string | null> {
  const removed = table === 'steps' ? [] : notRemoved(await removedEvents(projectId))
  const conditions = [...(await notOfDeleted(engine, pendingPurges, projectId, table)), ...removed]
  return conditions.length === 0 ? null : conditions.join(' AND ')
}

async function notOfDeleted(
  engine: TelemetryEngine,
  pendingPurges: PendingPurges,
  projectId: ProjectId,
  table: 'metric_events' | 'steps',
): Promise<string[]> {
  const countsExpired = table === 'metric_events'
  const pending = await pendingPurges(MOST_NAMED + 1, countsExpired)
  if (pending.length > MOST_NAMED) return [`trace_id NOT IN (${tombstones(projectId, countsExpired)})`]
  const ids = pending.filter((trace) => trace.projectId === projectId).map(({ traceId }) => traceId)
  if (ids.length === 0) return []
  const withRows = await engine.select(
    `SELECT DISTINCT trace_id FROM ${table} WHERE project_id = ${text(projectId)} AND trace_id IN (${texts(ids)})`,
  )
  return withRows.length === 0 ? [] : [notOfTraces(withRows.map(([id]) => id as DeletedTrace['traceId']))]
}

/** A deletion is stored as a version of its trace until the trace's events are purged. */
function tombstones(projectId: ProjectId, withoutExpired: boolean): string {
  const deleted = withoutExpired ? 'deleted = 1' : 'deleted > 0'
  return `SELECT id FROM traces FINAL WHERE project_id = ${text(projectId)} AND ${deleted}`
}
