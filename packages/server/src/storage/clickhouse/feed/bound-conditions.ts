import type { TraceBound } from '@spoor/contract/trace-filters'
import { integer } from '../engine/literal.ts'

/** Conditions on columns of `traces`. An unknown duration is stored as a negative one. */
export function boundConditions(bounds: readonly TraceBound[]): string[] {
  return bounds.map(({ measure, side, value }) =>
    side === 'min' ? `${measure} >= ${integer(value)}` : `${measure} BETWEEN 0 AND ${integer(value)}`,
  )
}
