import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { TransitionCause } from '../../../ports/journal/monitor-transition.ts'
import type { HistoryEntry } from '../../../ports/monitors/monitor-store.ts'
import type { Monitor, MonitorDefinition, MonitorStanding, MonitorState } from '../../../ports/monitors/monitor.ts'

type Row = Readonly<Record<string, SQLOutputValue>>

export function toMonitor(row: Row): Monitor {
  return {
    id: row['id'] as MonitorId,
    projectId: row['project_id'] as ProjectId,
    name: row['name'] as string,
    enabled: row['enabled'] === 1,
    definition: JSON.parse(row['definition'] as string) as MonitorDefinition,
    revision: row['revision'] as number,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
    standing: {
      state: row['state'] as MonitorState,
      stateSince: row['state_since'] as number,
      breaches: row['breaches'] as number,
      lastValue: row['last_value'] as number | null,
      lastSamples: row['last_samples'] as number | null,
      lastEvaluatedAt: row['last_evaluated_at'] as number | null,
    },
  }
}

/** In the order of the columns in the statements. */
export function standingValues(standing: MonitorStanding): SQLInputValue[] {
  const { state, stateSince, breaches, lastValue, lastSamples, lastEvaluatedAt } = standing
  return [state, stateSince, breaches, lastValue, lastSamples, lastEvaluatedAt]
}

export function toHistoryEntry(row: Row): HistoryEntry {
  return {
    sequence: row['sequence'] as number,
    to: row['state'] as MonitorState,
    at: row['at'] as number,
    value: row['value'] as number | null,
    samples: row['samples'] as number,
    threshold: row['threshold'] as number,
    cause: row['cause'] as TransitionCause,
    revision: row['revision'] as number,
    recordedAt: row['recorded_at'] as number,
  }
}
