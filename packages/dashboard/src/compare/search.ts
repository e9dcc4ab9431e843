import { searchOf, text } from '../lib/search.ts'

export const compareSearch = searchOf({
  /** The id of the trace to compare with. */
  left: text,
  right: text,
})
