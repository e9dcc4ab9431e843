import type { Metric, MetricCreate, MetricKind, MetricPatch } from '@spoor/contract/schemas/metrics/metric'
import { toNumber } from '../lib/typed-number.ts'

export interface OptionRow {
  /** Identifies a row while it is edited. */
  readonly key: number
  readonly value: string
  readonly label: string
  /** Cannot be removed, because events may use it. */
  readonly fixed: boolean
}

/** The form's fields as typed. */
export interface MetricDraft {
  readonly name: string
  readonly kind: MetricKind
  readonly description: string
  readonly direction: '' | 'higher' | 'lower'
  readonly unit: string
  readonly min: string
  readonly max: string
  readonly options: readonly OptionRow[]
}

export function newOption(key: number): OptionRow {
  return { key, value: '', label: '', fixed: false }
}

export function emptyDraft(): MetricDraft {
  const options = [newOption(0), newOption(1)]
  return { name: '', kind: 'boolean', description: '', direction: '', unit: '', min: '', max: '', options }
}

export function draftOf(metric: Metric): MetricDraft {
  return {
    name: metric.name,
    kind: metric.kind,
    description: metric.description ?? '',
    direction: metric.direction ?? '',
    unit: metric.unit ?? '',
    min: metric.min === null ? '' : String(metric.min),
    max: metric.max === null ? '' : String(metric.max),
    options: (metric.options ?? []).map(({ value, label }, key) => ({ key, value, label: label ?? '', fixed: true })),
  }
}

function toOptions(rows: readonly OptionRow[]) {
  return rows.map(({ value, label }) => ({ value, ...(label === '' ? {} : { label }) }))
}

/** Only the filled fields of the metric's kind. */
export function toCreate({ name, kind, description, direction, unit, min, max, options }: MetricDraft): MetricCreate {
  return {
    name,
    kind,
    ...(description === '' ? {} : { description }),
    ...(direction === '' ? {} : { direction }),
    ...(kind === 'numeric' && unit !== '' ? { unit } : {}),
    ...(kind === 'numeric' && min !== '' ? { min: toNumber(min) } : {}),
    ...(kind === 'numeric' && max !== '' ? { max: toNumber(max) } : {}),
    ...(kind === 'enum' ? { options: toOptions(options) } : {}),
  }
}

/** Only the changed fields; null if there are none. */
export function toPatch(draft: MetricDraft, metric: Metric): MetricPatch | null {
  const before = draftOf(metric)
  const changed = (field: keyof MetricDraft) => draft[field] !== before[field]
  const patch: MetricPatch = {
    ...(changed('description') ? { description: draft.description || null } : {}),
    ...(changed('direction') ? { direction: draft.direction || null } : {}),
    ...(changed('unit') ? { unit: draft.unit || null } : {}),
    ...(changed('min') ? { min: draft.min === '' ? null : toNumber(draft.min) } : {}),
    ...(changed('max') ? { max: draft.max === '' ? null : toNumber(draft.max) } : {}),
    ...(JSON.stringify(toOptions(draft.options)) === JSON.stringify(toOptions(before.options))
      ? {}
      : { options: toOptions(draft.options) }),
  }
  return Object.keys(patch).length === 0 ? null : patch
}
