import type {
  Monitor as MonitorBody,
  MonitorFilters,
  MonitorHistoryEntry,
  MonitorPreviewResult,
  MonitorSource as MonitorSourceBody,
} from '@spoor/contract/schemas/monitor'
import { fromTraceFilters } from '@spoor/contract/trace-filters'
import type { MeasureFilters } from '../ports/monitors/monitor-measures.ts'
import type { HistoryEntry } from '../ports/monitors/monitor-store.ts'
import type { Monitor, MonitorSource } from '../ports/monitors/monitor.ts'
import type { Preview } from '../monitors/use-cases.ts'
import { toWireTime, toWireTimeOrNull } from './to-wire.ts'

export function toMonitorBody({ id, name, enabled, definition, standing, ...monitor }: Monitor): MonitorBody {
  return {
    id,
    name,
    source: toSourceBody(definition.source),
    filters: toFiltersBody(definition.filters),
    aggregation: definition.aggregation,
    window_seconds: definition.windowMs / 1000,
    comparison: definition.comparison,
    threshold: definition.threshold,
    resolve_threshold: definition.resolveThreshold,
    min_samples: definition.minSamples,
    consecutive: definition.consecutive,
    no_data: definition.noData,
    enabled,
    state: standing.state,
    state_since: toWireTime(standing.stateSince),
    last_value: standing.lastValue,
    last_samples: standing.lastSamples,
    last_evaluated_at: toWireTimeOrNull(standing.lastEvaluatedAt),
    created_at: toWireTime(monitor.createdAt),
    updated_at: toWireTime(monitor.updatedAt),
    revision: monitor.revision,
  }
}

/** The data of journal events about a monitor. */
export function printMonitor(monitor: Monitor): string {
  return JSON.stringify(toMonitorBody(monitor))
}

export function toHistoryBody(entry: HistoryEntry): MonitorHistoryEntry {
  const { at, to, value, samples, threshold, cause, revision, recordedAt } = entry
  return {
    at: toWireTime(at),
    to,
    value,
    samples,
    threshold,
    cause,
    revision,
    recorded_at: toWireTime(recordedAt),
  }
}

export function toPreviewBody({ evaluations, transitions, stepMs }: Preview): MonitorPreviewResult {
  return {
    evaluations: evaluations.map((one) => ({ ...one, at: toWireTime(one.at) })),
    transitions: transitions.map((one) => ({ ...one, at: toWireTime(one.at) })),
    step_seconds: stepMs / 1000,
  }
}

function toSourceBody(source: MonitorSource): MonitorSourceBody {
  if (source.kind === 'traces') return { kind: 'traces', measure: source.measure }
  const { metric, option } = source
  return { kind: 'metric', metric, ...(option !== null && { option }) }
}

/** Only the filters that are set. */
function toFiltersBody(filters: MeasureFilters): MonitorFilters {
  const { source, metadata } = filters
  return {
    ...fromTraceFilters('monitors', filters),
    ...(source !== null && { source }),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata.map(({ key, value }) => [key, value])) }),
  }
}
