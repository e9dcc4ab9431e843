import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'
import { MONITOR_HISTORY_MAX } from '@spoor/contract/limits'
import { run, type Work } from '../kit/sql-database.ts'
import type { MonitorStatements } from './monitor-statements.ts'

/**
 * Writes the new state of a monitor and a row of its history. Returns false and changes nothing if the monitor is no
 * longer as it was evaluated: it was changed, deleted or evaluated again since, or is in that state already.
 */
export function* applyTransition(
  sql: MonitorStatements,
  transition: MonitorTransition,
  recordedAt: number,
): Work<boolean> {
  const { monitorId, to, at, value, samples, threshold, cause, revision } = transition
  const apply = cause === 'evaluation' ? sql.applyEvaluated(transition) : sql.applyChanged(transition)
  if ((yield* run(apply)) === 0) return false
  yield* run(
    sql.insertHistory({
      monitor_id: monitorId,
      state: to,
      at,
      value,
      samples,
      threshold,
      cause,
      revision,
      recorded_at: recordedAt,
    }),
  )
  yield* run(sql.deleteOldest({ monitorId, most: MONITOR_HISTORY_MAX }))
  return true
}
