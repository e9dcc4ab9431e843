import { type FilterName, TRACE_FILTERS } from '@spoor/contract/trace-filters'
import { formatCount } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import type { Suggestion } from './suggest-box.tsx'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, ms: 1, min: 60_000, h: 3_600_000 }
const MULTIPLES: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }
const NUMBER_AND_UNIT = /^\$?\s*([\d,]*\.?\d+)\s*([a-z]*)$/i

/** What a filter bounds, of a trace or of a step; null when it is not a bound. */
export function boundedMeasure(field: FilterName): string | null {
  const filter = TRACE_FILTERS[field]
  return 'bounds' in filter ? filter.bounds.measure.replace('step_', '') : null
}

/** The bounds that a typed text may mean: "1.5 min", "10k". A duration without a unit has one suggestion for each. */
export function boundSuggestions(field: FilterName, typed: string): readonly Suggestion[] {
  const [, digits, unit = ''] = NUMBER_AND_UNIT.exec(typed.trim()) ?? []
  if (digits === undefined) return []
  const number = Number(digits.replaceAll(',', ''))
  const isCost = boundedMeasure(field) === 'cost_usd'
  return factors(field, unit.toLowerCase())
    .map((factor) => (isCost ? number * factor : Math.round(number * factor)))
    .filter((value) => (isCost ? Number.isFinite(value) : Number.isSafeInteger(value)))
    .map((value) => ({ value: String(value), label: boundLabel(field, value) }))
}

export function boundLabel(field: FilterName, value: number): string {
  const measure = boundedMeasure(field)
  if (measure === 'cost_usd') return `$${value}`
  return measure === 'duration_ms' ? formatDuration(value) : formatCount(value)
}

export function boundHint(field: FilterName): string {
  const measure = boundedMeasure(field)
  if (measure === 'cost_usd') return 'Type an amount in US dollars, such as 0.05.'
  return measure === 'duration_ms' ? 'Type a duration, such as 30 s or 2 min.' : 'Type a number, such as 500 or 10k.'
}

function factors(field: FilterName, unit: string): readonly number[] {
  const isDuration = boundedMeasure(field) === 'duration_ms'
  const known = isDuration ? UNITS_MS : MULTIPLES
  if (isDuration && unit === '') return Object.values(known)
  const factor = known[unit]
  return factor === undefined ? [] : [factor]
}
