import type { TraceId } from '@spoor/contract/ids'
import type { JournalRow } from '../../ports/journal/journal.ts'
import type { CommitPlan } from '../../ports/log/log.ts'
import { greatestOf } from '../../lib/ids/ids.ts'

/** The plan as the commit that it became: `version`, after a commit whose last trace was `lastTraceId`. */
export function renumber(plan: CommitPlan, version: number, lastTraceId: TraceId | null): CommitPlan {
  // Projects of different partitions may get their ids in another order than their commits.
  const last = greatestOf(plan.lastTraceId, lastTraceId)
  if (plan.version === version && plan.lastTraceId === last) return plan
  return {
    ...plan,
    version,
    lastTraceId: last,
    traces: plan.traces.map((trace) => ({ ...trace, version })),
    steps: plan.steps.map((step) => ({ ...step, version })),
    metricEvents: plan.metricEvents.map((event) => ({ ...event, record: { ...event.record, version } })),
    superseded: plan.superseded.map((keys) => ({ ...keys, untilVersion: version })),
  }
}

/** Rows whose positions begin after `head`, when those of `rows` begin after 0. */
export function placeRows(rows: readonly JournalRow[], head: number): readonly JournalRow[] {
  return rows.map((row) => ({ ...row, lastPosition: row.lastPosition + head }))
}
