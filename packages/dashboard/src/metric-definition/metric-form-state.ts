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

/** The fields of the metric's kind; null for an empty one. */
function toBody({ name, kind, description, direction, unit, min, max, options }: MetricDraft) {
  const numeric = { unit: unit || null, min: min === '' ? null : toNumber(min), max: max === '' ? null : toNumber(max) }
  return {
    name,
    kind,
    description: description || null,
    direction: direction || null,
    ...(kind === 'numeric' ? numeric : {}),
    ...(kind === 'enum'
      ? { options: options.map(({ value, label }) => ({ value, ...(label === '' ? {} : { label }) })) }
      : {}),
  }
}

export function toCreate(draft: MetricDraft): MetricCreate {
  return Object.fromEntries(Object.entries(toBody(draft)).filter(([, value]) => value !== null)) as MetricCreate
}

/** Only the changed fields; null if there are none. */
export function toPatch(draft: MetricDraft, metric: Metric): MetricPatch | null {
  const before: Readonly<Record<string, unknown>> = toBody(draftOf(metric))
  const changed = Object.entries(toBody(draft)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
  )
  return changed.length === 0 ? null : (Object.fromEntries(changed) as MetricPatch)
}
