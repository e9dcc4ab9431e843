import { metadataValueLabel, metadataValuePrefix, nameLabel } from '../../../traces/intake/terms.ts'
import { text } from '../engine/literal.ts'

/**
 * What rows are grouped by. A row that has several models counts in each; one that has none, like one without the key,
 * in the group null.
 */
export type GroupBy =
  | { readonly by: 'run_type' | 'model' | 'source' | 'status' | 'name' }
  | { readonly by: 'metadata'; readonly key: string }

export interface RowGroup {
  /** A string, `''` for none; may make several rows of one. */
  readonly expression: string
  /** The same with each value replaced, so that a row has no result twice. */
  readonly places: (placeOf: (value: string) => string) => string
  /** The group as it is shown. Different values have different labels. */
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

/** By the one term that begins like this. */
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
