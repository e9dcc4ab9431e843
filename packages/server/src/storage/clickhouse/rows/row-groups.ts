import { metadataValueLabel, metadataValuePrefix, nameLabel } from '../../../traces/intake/terms.ts'
import { text } from '../engine/literal.ts'

/**
 * What rows are grouped by. A row with several models counts in each; a row without one, or without the key, counts in
 * the group null.
 */
export type GroupBy =
  | { readonly by: 'run_type' | 'model' | 'source' | 'status' | 'name' }
  | { readonly by: 'metadata'; readonly key: string }

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
        expression: 'toString(arrayJoin(emptyArrayToSingle(models)))',
        places: (placeOf) =>
          `arrayJoin(arrayDistinct(arrayMap(model -> ${placeOf('toString(model)')}, emptyArrayToSingle(models))))`,
        toLabel: plain,
      }
    case 'metadata': {
      const prefix = metadataValuePrefix(groupBy.key)
      return termGroup(prefix, (term) => metadataValueLabel(term, prefix))
    }
    case 'name':
      return termGroup('n\0', nameLabel)
    default:
      return oneValue(`toString(${groupBy.by})`, plain)
  }
}

/** Grouped by the one term with this prefix. */
function termGroup(prefix: string, toLabel: (term: string) => string): RowGroup {
  return oneValue(`arrayFirst(term -> startsWith(term, ${text(prefix)}), terms)`, (term) =>
    term === '' ? null : toLabel(term),
  )
}

function oneValue(expression: string, toLabel: RowGroup['toLabel']): RowGroup {
  return { expression, places: (placeOf) => placeOf(expression), toLabel }
}

function plain(stored: string): string | null {
  return stored === '' ? null : stored
}
