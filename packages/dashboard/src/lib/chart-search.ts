import { oneOf, searchOf, text } from './search.ts'
import { bucketMsOf } from './series-data.ts'

/** What a chart shows of a query, as in the URL. */
export const chartSearch = searchOf({
  /** The measure of traces or steps. */
  measure: text,
  /** The shown statistic. */
  stat: text,
  group_by: text,
  /** The second field of the groups. */
  then_by: text,
  /** What ranks the groups, if not their value. */
  rank: oneOf(['count', 'change'] as const),
  /** The period before is drawn too. */
  before: oneOf([true] as const),
  bucket: (value) => (typeof value === 'string' && bucketMsOf(value) > 0 ? value : undefined),
  /** Keys of the drawn groups, if not the largest. */
  show: (value) =>
    Array.isArray(value) && value.every((key) => typeof key === 'string') ? (value as readonly string[]) : undefined,
  /** How it is drawn, if not as its statistic is by default; `groups`: only the table of groups. */
  draw: oneOf(['lines', 'bars', 'groups'] as const),
  /** The axis of values is logarithmic. */
  log: oneOf([true] as const),
  /** The start of the chosen bucket. */
  at: (value) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined),
  /** The key of the chosen group. */
  group: text,
})
export type ChartSearch = ReturnType<typeof chartSearch>

/** What is chosen in a chart, not what it is of: it is not kept with a view. */
export const NOTHING_CHOSEN = { at: undefined, group: undefined } as const
