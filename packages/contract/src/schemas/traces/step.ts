import { Type, type Static } from 'typebox'
import { Attachment } from '../attachment.ts'
import { nullableCost } from '../price.ts'
import {
  closed,
  nullableIdString,
  nullablePrintedTime,
  nullableString,
  idString,
  printedTime,
  count,
} from '../primitives.ts'
import { StepBody } from './trace-body.ts'
import { TRACE_STATUSES } from '../../trace-filters.ts'

const { messages, token_usage, metadata, error } = StepBody.properties

/**
 * A step as the API returns it. `messages`, `token_usage`, `metadata` and `error` are the client's own bytes: a field
 * that was not sent is absent.
 */
export const Step = closed('One step of a trace, as stored.', {
  id: idString('st', 'The step.'),
  position: count('The position in arrival order, from 0, without gaps.'),
  name: Type.String({ description: 'The name of the step.' }),
  type: Type.String({ description: 'The kind of step; `other` by default.' }),
  model: nullableString({ description: 'The model that it used.' }),
  status: Type.Enum(TRACE_STATUSES, { description: 'How it ended; `ok` by default.' }),
  started_at: nullablePrintedTime('When it began, as sent by the client.'),
  ended_at: nullablePrintedTime('When it ended, as sent by the client.'),
  received_at: printedTime('When the service committed it.'),
  parent_step_id: nullableIdString('st', 'The parent step; null for a root.'),
  parent_inferred: Type.Boolean({
    description: 'Whether the client sent no parent, so that the parent is the step that arrived just before.',
  }),
  idempotency_key: nullableString({ description: 'The key it was sent with.' }),
  cost_usd: nullableCost(
    'What the sender says it cost, else the cost of its tokens; null if it used none, names no model, or its model has no price.',
  ),
  cost_source: Type.Unsafe<'price' | 'sender' | null>({
    enum: ['price', 'sender', null],
    description: 'Whether `cost_usd` is computed from prices or was sent; null without a cost.',
  }),
  usage_counted_on: nullableIdString(
    'st',
    'The step on which its tokens or its cost are counted in the sums of the trace, if that is another one; null else.',
  ),
  messages,
  token_usage,
  metadata,
  error,
  attachments: Type.Array(Attachment, { description: 'Media linked to this step.' }),
})
export type Step = Static<typeof Step>

export const StepPage = closed('One page of the steps of a trace.', {
  steps: Type.Array(Step, { description: 'One page of the steps, in arrival order.' }),
  next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
})
export type StepPage = Static<typeof StepPage>

export const StepPlace = closed('A step and its trace.', {
  id: idString('st', 'The step.'),
  trace_id: idString('tr', 'The trace that it is part of.'),
})
export type StepPlace = Static<typeof StepPlace>
