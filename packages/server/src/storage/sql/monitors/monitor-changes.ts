import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'
import { MONITOR_HISTORY_MAX } from '@spoor/contract/limits'
import type { MonitorStatements } from './monitor-statements.ts'

/**
 * State and history of one transition. False, and nothing is changed, when the monitor is not as it was evaluated any
 * more: changed, deleted, in that state already, or evaluated by another since. To be called in a transaction.
 */
export function applyTransition(sql: MonitorStatements, transition: MonitorTransition, recordedAt: number): boolean {
  const { monitorId, to, at, value, samples, threshold, cause, revision } = transition
  if (changeState(sql, transition) === 0) return false
  sql.insertHistory.run(monitorId, to, at, value, samples, threshold, cause, revision, recordedAt, monitorId)
  sql.dropOldest.run(monitorId, monitorId, MONITOR_HISTORY_MAX)
  return true
}

/** How many monitors it was. */
function changeState(sql: MonitorStatements, transition: MonitorTransition): number | bigint {
  const { projectId, monitorId, revision, to, at, value, samples, previouslyEvaluatedAt } = transition
  if (transition.cause !== 'evaluation') {
    return sql.applyChanged.run(to, at, monitorId, projectId, revision, to).changes
  }
  const standing = [to, at, 0, value, samples, at] as const
  return sql.applyEvaluated.run(...standing, monitorId, projectId, revision, to, previouslyEvaluatedAt).changes
}
