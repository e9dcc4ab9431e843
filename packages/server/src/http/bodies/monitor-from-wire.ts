import type { MonitorCreate, MonitorFilters, MonitorPatch, MonitorSource } from '@spoor/contract/schemas/monitor'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { MonitorDraft } from '../../monitors/monitor-draft.ts'
import type { MeasureFilters } from '../../ports/monitors/monitor-measures.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'

/**
 * Converts a body that has passed its schema. Throws `validation_failed` for numbers in the filters that lost precision
 * when they were parsed.
 */
export function toMonitorDraft(body: MonitorCreate): MonitorDraft {
  return {
    name: body.name,
    enabled: body.enabled ?? true,
    source: toSource(body.source),
    filters: toFilters(body.filters ?? {}),
    forEach: body.for_each ?? null,
    aggregation: body.aggregation,
    windowMs: body.window_seconds * 1000,
    comparison: body.comparison,
    threshold: body.threshold,
    resolveThreshold: body.resolve_threshold ?? null,
    minSamples: body.min_samples ?? 1,
    consecutive: body.consecutive ?? 1,
    noData: body.no_data ?? 'hold',
  }
}

/** Only the given fields. */
export function toMonitorChange(body: MonitorPatch): Partial<MonitorDraft> {
  const { name, enabled, source, filters, aggregation, window_seconds: windowSeconds, comparison, threshold } = body
  const {
    resolve_threshold: resolveThreshold,
    min_samples: minSamples,
    consecutive,
    no_data: noData,
    for_each: forEach,
  } = body
  return {
    ...(name !== undefined && { name }),
    ...(enabled !== undefined && { enabled }),
    ...(source !== undefined && { source: toSource(source) }),
    ...(filters !== undefined && { filters: toFilters(filters) }),
    ...(forEach !== undefined && { forEach }),
    ...(aggregation !== undefined && { aggregation }),
    ...(windowSeconds !== undefined && { windowMs: windowSeconds * 1000 }),
    ...(comparison !== undefined && { comparison }),
    ...(threshold !== undefined && { threshold }),
    ...(resolveThreshold !== undefined && { resolveThreshold }),
    ...(minSamples !== undefined && { minSamples }),
    ...(consecutive !== undefined && { consecutive }),
    ...(noData !== undefined && { noData }),
  }
}

function toSource({ kind, metric, measure, option }: MonitorSource): MonitorDraft['source'] {
  return { kind, metric: metric ?? null, measure: measure ?? null, option: option ?? null }
}

function toFilters(filters: MonitorFilters): MeasureFilters {
  return {
    ...toTraceFilters('monitors', filters),
    metadata: Object.entries(filters.metadata ?? {}).map(([key, value]) => ({ key, value: toFilterText(key, value) })),
    source: filters.source ?? null,
  }
}

/** As in the list of traces: a string is itself, a number or boolean is its JSON text. */
function toFilterText(key: string, value: string | number | boolean | null): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    const pointer = `/filters/metadata/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    throw invalid({ pointer, code: 'out_of_range', detail: 'Send a number of this size as a string.' })
  }
  return JSON.stringify(value)
}
