import type { MonitorCreate, MonitorFilters, MonitorPatch, MonitorSource } from '@spoor/contract/schemas/monitor'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { MonitorDraft } from '../../monitors/monitor-draft.ts'
import type { MeasureFilters } from '../../ports/monitors/monitor-measures.ts'
import { camelKeys } from '../../lib/camel-keys.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'

const DEFAULTS = {
  enabled: true,
  forEach: null,
  resolveThreshold: null,
  minSamples: 1,
  consecutive: 1,
  noData: 'hold',
} as const

/**
 * Converts a body that has passed its schema. Throws `validation_failed` for numbers in the filters that lost precision
 * when they were parsed.
 */
export function toMonitorDraft({ source, filters = {}, window_seconds, ...others }: MonitorCreate): MonitorDraft {
  const converted = { source: toSource(source), filters: toFilters(filters), windowMs: window_seconds * 1000 }
  return { ...DEFAULTS, ...camelKeys(others), ...converted }
}

/** Only the given fields. */
export function toMonitorChange({ source, filters, window_seconds, ...others }: MonitorPatch): Partial<MonitorDraft> {
  return {
    ...camelKeys(others),
    ...(source !== undefined && { source: toSource(source) }),
    ...(filters !== undefined && { filters: toFilters(filters) }),
    ...(window_seconds !== undefined && { windowMs: window_seconds * 1000 }),
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
    ...(filters.q !== undefined && { text: filters.q }),
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
