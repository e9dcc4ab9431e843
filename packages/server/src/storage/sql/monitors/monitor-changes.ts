import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'
import { MONITOR_HISTORY_MAX } from '@spoor/contract/limits'
import { groupsAfter, stateOfGroups } from '../../../ports/monitors/group-standings.ts'
import { first, run, type Work } from '../kit/sql-database.ts'
import { printGroups, readGroups } from './monitor-rows.ts'
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
  const { monitorId, group, to, at, value, samples, threshold, cause, revision } = transition
  if (group === null) {
    const apply = cause === 'evaluation' ? sql.applyEvaluated(transition) : sql.applyChanged(transition)
    if ((yield* run(apply)) === 0) return false
  } else if (!(yield* applyToGroup(sql, transition))) return false
  yield* run(
    sql.insertHistory({
      monitor_id: monitorId,
      group_value: group,
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

function* applyToGroup(sql: MonitorStatements, transition: MonitorTransition): Work<boolean> {
  const { monitorId, projectId, revision, at } = transition
  const found = { monitorId, projectId, revision }
  const row = yield* first(sql.groupsOf(found))
  const groups = row === undefined ? null : groupsAfter(readGroups(row.groups), transition)
  if (row === undefined || groups === null) return false
  const state = stateOfGroups(groups)
  const stateSince = state === row.state ? row.state_since : at
  const change = { ...found, state, stateSince, groups: printGroups(groups), foundGroups: row.groups }
  return (yield* run(sql.applyToGroups(change))) === 1
}
