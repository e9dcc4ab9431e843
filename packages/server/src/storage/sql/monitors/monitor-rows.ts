import { camelKeys } from '../../../lib/camel-keys.ts'
import type { HistoryEntry } from '../../../ports/monitors/monitor-store.ts'
import type { Groups, Monitor, MonitorDefinition, MonitorStanding } from '../../../ports/monitors/monitor.ts'
import { snakeKeys } from '../kit/snake-keys.ts'
import type { HistoryRow, MonitorRow } from './monitor-tables.ts'

export function toMonitor(row: MonitorRow): Monitor {
  const { state, stateSince, breaches, lastValue, lastSamples, lastEvaluatedAt, ...monitor } = camelKeys(row)
  return {
    ...monitor,
    enabled: row.enabled === 1,
    definition: JSON.parse(row.definition) as MonitorDefinition,
    standing: { state, stateSince, breaches, lastValue, lastSamples, lastEvaluatedAt },
    groups: readGroups(row.groups),
  } as Monitor
}

export function readGroups(json: string): Groups {
  return new Map(JSON.parse(json) as [string, MonitorStanding][])
}

export function printGroups(groups: Groups): string {
  return JSON.stringify([...groups])
}

export function fromMonitor({ enabled, definition, standing, groups, ...monitor }: Monitor): MonitorRow {
  return {
    ...snakeKeys({ ...monitor, ...standing }),
    enabled: enabled ? 1 : 0,
    definition: JSON.stringify(definition),
    groups: printGroups(groups),
  }
}

export function toHistoryEntry(row: HistoryRow): HistoryEntry {
  const { monitorId: _monitorId, groupValue: group, state: to, ...entry } = camelKeys(row)
  return { ...entry, group, to } as HistoryEntry
}
