import type { CommitPlan } from '../../ports/log/log.ts'

export function emptyPlan(of: Pick<CommitPlan, 'version' | 'committedAt'>): CommitPlan {
  return {
    version: of.version,
    committedAt: of.committedAt,
    lastTraceId: null,
    traces: [],
    steps: [],
    metricEvents: [],
    projects: [],
    traceKeys: [],
    stepKeys: [],
    metricEventKeys: [],
    superseded: [],
    attachments: [],
    deleted: [],
    removedEvents: [],
    monitorTransitions: [],
    onceEvents: [],
    quietWaits: [],
  }
}
