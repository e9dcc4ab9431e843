import type { Static } from 'typebox'
import { closed, count } from '../primitives.ts'

/** Sums over the steps of a trace. The `token_usage` of a step is returned as sent: see trace-body.ts. */
export const TokenTotals = closed('Tokens summed over all steps of a trace.', {
  input: count('Tokens read by models, including cached ones.'),
  output: count('Tokens written by models, including reasoning.'),
  total: count('`input + output`, the key of `sort=total_tokens`.'),
  cache_read: count('Part of `input`: tokens that were read from a cache.'),
  cache_write: count('Part of `input`: tokens that were written to a cache.'),
  reasoning: count('Part of `output`: reasoning tokens.'),
})
export type TokenTotals = Static<typeof TokenTotals>
