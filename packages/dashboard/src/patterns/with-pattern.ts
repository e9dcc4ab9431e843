import type { FailurePattern } from '@spoor/contract/schemas/traces/failure-patterns'
import type { FeedSearch } from '../traces/filters/search.ts'

const ARGUMENT = 'argument.'

/** The query, and the filters that find the runs with a pattern. */
export function withPattern(search: FeedSearch, filters: NonNullable<FailurePattern['filters']>): FeedSearch {
  const { meta_key: key, meta_value: value, min_step_count: steps, ...fields } = filters
  const entries = Object.entries(fields)
  const given = entries.filter(([name]) => name.startsWith(ARGUMENT))
  const argument = given.map(([name, text]) => [name.slice(ARGUMENT.length), text] as const)
  return {
    ...search,
    ...Object.fromEntries(entries.filter((entry) => !given.includes(entry))),
    ...(argument.length === 0 ? {} : { argument: { ...search.argument, ...Object.fromEntries(argument) } }),
    ...(steps === undefined ? {} : { min_step_count: Number(steps) }),
    ...(key === undefined || value === undefined ? {} : { meta: [...(search.meta ?? []), [key, value] as const] }),
  }
}
