import { rangeSearchOf, text } from '../lib/search.ts'

export const homeSearch = rangeSearchOf({
  /** The shown dashboard, if not the first. */
  dashboard: text,
})
export type HomeSearch = ReturnType<typeof homeSearch>
