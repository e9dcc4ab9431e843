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
import type { Monitor, MonitorSource, MonitorStanding } from '../ports/monitors/monitor.ts'
import type { Preview } from '../monitors/use-cases.ts'
import { toWireTime, toWireTimeOrNull } from './to-wire.ts'

export function toMonitorBody(monitor: Monitor): MonitorBody {
  const { definition, groups } = monitor
  if (definition.forEach === null) return withoutGroups(monitor)
  const listed = [...groups].map(([group, standing]) => Object.assign(toStandingBody(standing), { group }))
  const isFired = (one: { readonly state: string }) => Number(one.state === 'fired')
  return {
    ...withoutGroups(monitor),
    groups: listed.toSorted(
      (a, b) =>
        isFired(b) - isFired(a) || (b.last_samples ?? 0) - (a.last_samples ?? 0) || (a.group < b.group ? -1 : 1),
    ),
  }
}

function toStandingBody({ state, stateSince, lastValue, lastSamples }: MonitorStanding) {
  return {
    state,
    state_since: toWireTime(stateSince),
    last_value: lastValue,
    last_samples: lastSamples,
  }
}

function withoutGroups({ id, name, enabled, definition, standing, ...monitor }: Monitor): MonitorBody {
  return {
    id,
    name,
    source: toSourceBody(definition.source),
    filters: toFiltersBody(definition.filters),
    for_each: definition.forEach,
    aggregation: definition.aggregation,
    window_seconds: definition.windowMs / 1000,
    comparison: definition.comparison,
    threshold: definition.threshold,
    resolve_threshold: definition.resolveThreshold,
    min_samples: definition.minSamples,
    consecutive: definition.consecutive,
    no_data: definition.noData,
    enabled,
    ...toStandingBody(standing),
    last_evaluated_at: toWireTimeOrNull(standing.lastEvaluatedAt),
    created_at: toWireTime(monitor.createdAt),
    updated_at: toWireTime(monitor.updatedAt),
    revision: monitor.revision,
  }
}

/** The data of journal events about a monitor. */
export function printMonitor(monitor: Monitor): string {
  return JSON.stringify(withoutGroups(monitor))
}

export function toHistoryBody(entry: HistoryEntry): MonitorHistoryEntry {
  const { at, group, to, value, samples, threshold, cause, revision, recordedAt } = entry
  return {
    at: toWireTime(at),
    group,
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
  if (source.kind !== 'metric') return { kind: source.kind, measure: source.measure }
  const { metric, option } = source
  return { kind: 'metric', metric, ...(option !== null && { option }) }
}

/** Only the filters that are set. */
function toFiltersBody(filters: MeasureFilters): MonitorFilters {
  const { source, metadata, text } = filters
  return {
    ...fromTraceFilters('monitors', filters),
    ...(text !== undefined && { q: text }),
    ...(source !== null && { source }),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata.map(({ key, value }) => [key, value])) }),
  }
}
