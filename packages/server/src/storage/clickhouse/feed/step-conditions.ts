import type { StepMeasure } from '@spoor/contract/step-filters'
import {
  filterTexts,
  filterValues,
  type Bound,
  type StepFilters,
  stepBoundsAmong,
  stepFilters,
} from '@spoor/contract/trace-filters'
import { argumentFilterTerms } from '../../../traces/rules/argument-terms.ts'
import { boundConditions } from './bound-conditions.ts'
import { hasAny, isOneOf } from './term-conditions.ts'

/** The column of `steps` with the value that each filter names. */
const COLUMNS = {
  step_name: 'name',
  step_type: 'type',
  step_model: 'model',
  step_error_type: 'error_type',
  step_status: 'status',
} as const
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]
const MEASURES: Readonly<Record<StepMeasure, string>> = {
  step_duration_ms: 'duration_ms',
  step_tokens: 'total_tokens',
  step_cost_usd: 'cost_usd',
}

/** Conditions on rows of `steps`. `cost` is the expression for bounds of the cost, if there are any. */
export function stepConditions(filters: Partial<StepFilters>, cost: string | null): readonly string[] {
  const given: [condition: (values: readonly string[]) => string, values: readonly string[], isNegation: boolean][] = []
  for (const negation of ['', 'not_'] as const) {
    const add = (values: readonly unknown[], condition: (values: readonly string[]) => string) => {
      if (values.length > 0) given.push([condition, values.map(String), negation !== ''])
    }
    for (const name of NAMES)
      add(filterValues(filters, `${negation}${name}`), (values) => isOneOf(COLUMNS[name], values))
    add(filterValues(filters, `${negation}tool`), (values) => hasAny('tools', values))
    for (const [path, values] of filterTexts(filters, `${negation}argument`))
      add(
        values.flatMap((value) => argumentFilterTerms(path, value)),
        (terms) => hasAny('arguments', terms),
      )
  }
  const bounds = stepBoundsAmong(filters).map(({ measure, side, value }): Bound<string> => {
    return { measure: MEASURES[measure], side, value }
  })
  return [
    ...boundConditions(bounds, cost),
    ...given.map(([condition, values, isNegation]) => `${isNegation ? 'NOT ' : ''}${condition(values)}`),
  ]
}

/**
 * The condition on traces that one step passes all filters of steps among `filters`; none without such filters.
 * `within`: conditions on steps of the traces that are read. Hashes of ids as in `hasWordsAnywhere`.
 */
export function withStep(filters: object, within: readonly string[], cost: string | null): readonly string[] {
  const ofSteps = stepFilters(filters)
  if (ofSteps === null) return []
  const conditions = [...within, ...stepConditions(ofSteps, cost)].join(' AND ')
  return [`cityHash64(id) IN (SELECT cityHash64(trace_id) FROM steps FINAL WHERE ${conditions})`]
}
