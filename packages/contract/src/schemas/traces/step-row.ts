import { Type, type Static } from 'typebox'
import { PREVIEW_LENGTH } from '../../said-text.ts'
import { TRACE_STATUSES } from '../../trace-filters.ts'
import { nullableCost } from '../price.ts'
import * as schema from '../primitives.ts'
import { FEED_ORDERS, FeedQuery } from './feed-query.ts'
import { TokenTotals } from './token-usage.ts'

export const STEP_SORTS = ['created_at', 'started_at', 'duration_ms', 'total_tokens', 'cost_usd'] as const

/** The filters of the list of traces; a step must match those of steps, and its trace all others. */
export const StepsQuery = schema.parameters({
  ...FeedQuery.properties,
  ...schema.optional({
    sort: Type.Enum(STEP_SORTS, {
      default: 'created_at',
      description: 'The sort key. `created_at`: by the creation of the trace, then by the arrival of the step.',
    }),
    order: Type.Enum(FEED_ORDERS, {
      default: 'desc',
      description: '`desc`: largest or newest first, what is unknown last. `asc`: the reverse.',
    }),
  }),
})

const SIDE = `In one line, at most ${PREVIEW_LENGTH} characters; null if there is none.`

export const StepRow = schema.closed('One step, without its messages.', {
  id: schema.idString('st', 'The step.'),
  trace_id: schema.idString('tr', 'The trace that it is part of.'),
  trace_name: schema.textOf('The name of that trace.'),
  name: schema.textOf('The name of the step.'),
  type: schema.textOf('The kind of step; `other` by default.'),
  tool: schema.nullableText('The first tool that it calls; null if it calls none.'),
  model: schema.nullableText('The model that it used.'),
  status: Type.Enum(TRACE_STATUSES, { description: 'How it ended; `ok` by default.' }),
  error: schema.nullable(
    schema.closed('Why it failed.', {
      type: schema.nullableText('The type of the error.'),
      message: schema.nullableString({ maxLength: PREVIEW_LENGTH, description: `Its message. ${SIDE}` }),
    }),
    'Its error; null if none was sent.',
  ),
  started_at: schema.nullablePrintedTime('When it began, as sent by the client.'),
  duration_ms: schema.nullableInteger({
    minimum: 0,
    description: 'Milliseconds from its start to its end; null if unknown.',
  }),
  time_to_first_token_ms: schema.nullableInteger({ minimum: 0, description: 'To its first token; null if unknown.' }),
  token_usage: TokenTotals,
  cost_usd: nullableCost('What the sender says it cost, else the cost of its tokens; null if it has none.'),
  input: schema.nullableString({ maxLength: PREVIEW_LENGTH, description: `What it was given last. ${SIDE}` }),
  output: schema.nullableString({ maxLength: PREVIEW_LENGTH, description: `What it said or returned last. ${SIDE}` }),
  parent_id: schema.nullableIdString('st', 'The parent step; null for a root.'),
})
export type StepRow = Static<typeof StepRow>

export const StepList = schema.pageOf('steps', StepRow, 'in the requested order')
export type StepList = Static<typeof StepList>
