import { metadataValueLabel, metadataValuePrefix, nameLabel } from '../../traces/terms.ts'
import { text } from './literal.ts'

/** What rows are grouped by. A row that has several models counts in each; one that has none, like one without the key, in the group null. */
export type GroupBy =
  | { readonly by: 'run_type' | 'model' | 'source' | 'status' | 'name' }
  | { readonly by: 'metadata'; readonly key: string }

export interface RowGroup {
  /** A string, `''` for none; may make several rows of one. */
  readonly expression: string
  /** The group as it is shown. Different values have different labels. */
  readonly toLabel: (stored: string) => string | null
}

export function rowGroup(groupBy: GroupBy): RowGroup {
  switch (groupBy.by) {
    case 'model':
      return { expression: 'toString(arrayJoin(emptyArrayToSingle(models)))', toLabel: plain }
    case 'metadata': {
      const prefix = metadataValuePrefix(groupBy.key)
      return termGroup(prefix, (term) => metadataValueLabel(term, prefix))
    }
    case 'name':
      return termGroup('n\0', nameLabel)
    default:
      return { expression: `toString(${groupBy.by})`, toLabel: plain }
  }
}

/** By the one term that begins like this. */
function termGroup(prefix: string, toLabel: (term: string) => string): RowGroup {
  return {
    expression: `arrayFirst(term -> startsWith(term, ${text(prefix)}), terms)`,
    toLabel: (term) => (term === '' ? null : toLabel(term)),
  }
}

function plain(stored: string): string | null {
  return stored === '' ? null : stored
}
