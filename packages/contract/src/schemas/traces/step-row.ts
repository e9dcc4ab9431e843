import { Type, type Static } from 'typebox'
import { PREVIEW_LENGTH } from '../../said-text.ts'
import { TRACE_STATUSES } from '../../trace-filters.ts'
import { nullableCost } from '../price.ts'
import {
  closed,
  idString,
  nullableIdString,
  nullableInteger,
  nullablePrintedTime,
  nullableString,
  optional,
  parameters,
} from '../primitives.ts'
import { FEED_ORDERS, FeedQuery } from './feed-query.ts'
import { TokenTotals } from './token-usage.ts'

export const STEP_SORTS = ['created_at', 'started_at', 'duration_ms', 'total_tokens', 'cost_usd'] as const

/** The filters of the list of traces; a step must match those of steps, and its trace all others. */
export const StepsQuery = parameters({
  ...FeedQuery.properties,
  ...optional({
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

/** One step as lists show it, without its messages. */
export const StepRow = closed('One step, without its messages.', {
  id: idString('st', 'The step.'),
  trace_id: idString('tr', 'The trace that it is part of.'),
  trace_name: Type.String({ description: 'The name of that trace.' }),
  name: Type.String({ description: 'The name of the step.' }),
  type: Type.String({ description: 'The kind of step; `other` by default.' }),
  tool: nullableString({ description: 'The first tool that it calls; null if it calls none.' }),
  model: nullableString({ description: 'The model that it used.' }),
  status: Type.Enum(TRACE_STATUSES, { description: 'How it ended; `ok` by default.' }),
  error: Type.Union(
    [
      closed('Why it failed.', {
        type: nullableString({ description: 'The type of the error.' }),
        message: nullableString({ maxLength: PREVIEW_LENGTH, description: `Its message. ${SIDE}` }),
      }),
      Type.Null(),
    ],
    { description: 'Its error; null if none was sent.' },
  ),
  started_at: nullablePrintedTime('When it began, as sent by the client.'),
  duration_ms: nullableInteger({ minimum: 0, description: 'Milliseconds from its start to its end; null if unknown.' }),
  token_usage: TokenTotals,
  cost_usd: nullableCost('What the sender says it cost, else the cost of its tokens; null if it has none.'),
  input: nullableString({ maxLength: PREVIEW_LENGTH, description: `What it was given last. ${SIDE}` }),
  output: nullableString({ maxLength: PREVIEW_LENGTH, description: `What it said or returned last. ${SIDE}` }),
  parent_id: nullableIdString('st', 'The parent step; null for a root.'),
})
export type StepRow = Static<typeof StepRow>

export const StepList = closed('One page of steps.', {
  steps: Type.Array(StepRow, { description: 'One page of steps, in the requested order.' }),
  next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
})
export type StepList = Static<typeof StepList>
