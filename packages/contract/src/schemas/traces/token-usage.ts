import { Type, type Static } from 'typebox'
import { count } from '../primitives.ts'

/** Sums over the steps of a trace. A step's own `token_usage` comes back as it was sent: see trace-body.ts. */
export const TokenTotals = Type.Object(
  {
    input: count('Tokens read by models, cached ones included.'),
    output: count('Tokens written by models, reasoning included.'),
    total: count('`input + output`: what `sort=total_tokens` goes by.'),
    cache_read: count('Of `input`: tokens that came from a cache.'),
    cache_write: count('Of `input`: tokens that were put into a cache.'),
    reasoning: count('Of `output`: tokens spent on reasoning.'),
  },
  { additionalProperties: false, description: 'Tokens summed over all steps of a trace.' },
)
export type TokenTotals = Static<typeof TokenTotals>
