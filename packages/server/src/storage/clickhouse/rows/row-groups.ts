import { metadataKeyPart, metadataValueLabel } from '../../../traces/rules/terms.ts'
import { text } from '../engine/literal.ts'

/**
 * What rows are grouped by. A row with several models counts in each; a row without one, or without the key, counts in
 * the group null.
 */
export type GroupBy =
  { readonly by: 'run_type' | 'model' | 'source' } | { readonly by: 'metadata'; readonly key: string }

export interface RowGroup {
  /** A string, `''` for none; may make several rows from one. */
  readonly expression: string
  /** The same with each value replaced by its place, so that a row has no place twice. */
  readonly places: (placeOf: (value: string) => string) => string
  /** The displayed group. Different values have different labels. */
  readonly toLabel: (stored: string) => string | null
}

export function rowGroup(groupBy: GroupBy): RowGroup {
  switch (groupBy.by) {
    case 'model':
      return {
        expression: 'arrayJoin(models)',
        places: (placeOf) => `arrayJoin(arrayDistinct(arrayMap(model -> ${placeOf('model')}, models)))`,
        toLabel: plain,
      }
    case 'metadata':
      return oneValue(`meta[${text(metadataKeyPart(groupBy.key))}]`, (value) =>
        value === '' ? null : metadataValueLabel(value),
      )
    default:
      return oneValue(groupBy.by, plain)
  }
}

function oneValue(expression: string, toLabel: RowGroup['toLabel']): RowGroup {
  return { expression, places: (placeOf) => placeOf(expression), toLabel }
}

function plain(stored: string): string | null {
  return stored === '' ? null : stored
}
