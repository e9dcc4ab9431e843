import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { TransitionCause } from '../../../ports/journal/monitor-transition.ts'
import type { HistoryEntry } from '../../../ports/monitors/monitor-store.ts'
import type {
  Groups,
  Monitor,
  MonitorDefinition,
  MonitorStanding,
  MonitorState,
} from '../../../ports/monitors/monitor.ts'
import type { HistoryRow, MonitorRow } from './monitor-tables.ts'

export function toMonitor(row: MonitorRow): Monitor {
  return {
    id: row.id as MonitorId,
    projectId: row.project_id as ProjectId,
    name: row.name,
    enabled: row.enabled === 1,
    definition: JSON.parse(row.definition) as MonitorDefinition,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    standing: {
      state: row.state as MonitorState,
      stateSince: row.state_since,
      breaches: row.breaches,
      lastValue: row.last_value,
      lastSamples: row.last_samples,
      lastEvaluatedAt: row.last_evaluated_at,
    },
    groups: readGroups(row.groups),
  }
}

export function readGroups(json: string): Groups {
  return new Map(JSON.parse(json) as [string, MonitorStanding][])
}

export function printGroups(groups: Groups): string {
  return JSON.stringify([...groups])
}

export function fromMonitor(monitor: Monitor): MonitorRow {
  const { state, stateSince, breaches, lastValue, lastSamples, lastEvaluatedAt } = monitor.standing
  return {
    id: monitor.id,
    project_id: monitor.projectId,
    name: monitor.name,
    enabled: monitor.enabled ? 1 : 0,
    definition: JSON.stringify(monitor.definition),
    revision: monitor.revision,
    created_at: monitor.createdAt,
    updated_at: monitor.updatedAt,
    state,
    state_since: stateSince,
    breaches,
    last_value: lastValue,
    last_samples: lastSamples,
    last_evaluated_at: lastEvaluatedAt,
    groups: printGroups(monitor.groups),
  }
}

export function toHistoryEntry(row: HistoryRow): HistoryEntry {
  return {
    sequence: row.sequence,
    group: row.group_value,
    to: row.state as MonitorState,
    at: row.at,
    value: row.value,
    samples: row.samples,
    threshold: row.threshold,
    cause: row.cause as TransitionCause,
    revision: row.revision,
    recordedAt: row.recorded_at,
  }
}
