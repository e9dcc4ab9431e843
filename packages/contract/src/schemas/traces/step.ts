import { Type, type Static } from 'typebox'
import { Attachment } from '../attachment.ts'
import { nullableCost } from '../price.ts'
import * as schema from '../primitives.ts'
import { StepBody } from './trace-body.ts'
import { TRACE_STATUSES } from '../../trace-filters.ts'

const { messages, token_usage, metadata, error } = StepBody.properties

/**
 * A step as the API returns it. `messages`, `token_usage`, `metadata` and `error` are the client's own bytes: a field
 * that was not sent is absent.
 */
export const Step = schema.closed('One step of a trace, as stored.', {
  id: schema.idString('st', 'The step.'),
  position: schema.count('The position in arrival order, from 0, without gaps.'),
  name: schema.textOf('The name of the step.'),
  type: schema.textOf('The kind of step; `other` by default.'),
  model: schema.nullableText('The model that it used.'),
  status: Type.Enum(TRACE_STATUSES, { description: 'How it ended; `ok` by default.' }),
  started_at: schema.nullablePrintedTime('When it began, as sent by the client.'),
  ended_at: schema.nullablePrintedTime('When it ended, as sent by the client.'),
  received_at: schema.printedTime('When the service committed it.'),
  parent_step_id: schema.nullableIdString('st', 'The parent step; null for a root.'),
  parent_inferred: schema.flagOf(
    'Whether the client sent no parent, so that the parent is the step that arrived just before.',
  ),
  idempotency_key: schema.nullableText('The key it was sent with.'),
  cost_usd: nullableCost(
    'What the sender says it cost, else the cost of its tokens; null if it used none, names no model, or its model has no price.',
  ),
  cost_source: Type.Unsafe<'price' | 'sender' | null>({
    enum: ['price', 'sender', null],
    description: 'Whether `cost_usd` is computed from prices or was sent; null without a cost.',
  }),
  usage_counted_on: schema.nullableIdString(
    'st',
    'The step on which its tokens or its cost are counted in the sums of the trace, if that is another one; null else.',
  ),
  messages,
  token_usage,
  metadata,
  error,
  attachments: schema.listOf(Attachment, 'Media linked to this step.'),
})
export type Step = Static<typeof Step>

export const StepPage = schema.pageOf('steps', Step, 'in arrival order')
export type StepPage = Static<typeof StepPage>

export const StepPlace = schema.closed('A step and its trace.', {
  id: schema.idString('st', 'The step.'),
  trace_id: schema.idString('tr', 'The trace that it is part of.'),
})
export type StepPlace = Static<typeof StepPlace>
