import { Type, type Static } from 'typebox'
import { Attachment } from '../attachment.ts'
import { nullableCost } from '../price.ts'
import { nullableIdString, nullablePrintedTime, nullableString, idString, printedTime, count } from '../primitives.ts'
import { StepBody } from './trace-body.ts'
import { TRACE_STATUSES } from '../../trace-filters.ts'

const { messages, token_usage, metadata, error } = StepBody.properties

/**
 * A step as it is returned. `messages`, `token_usage`, `metadata` and `error` are the client's own bytes:
 * a field that was not sent is absent, never filled in.
 */
export const Step = Type.Object(
  {
    id: idString('st', 'The step.'),
    position: count('Arrival order in the trace, from 0, without holes.'),
    name: Type.String({ description: 'What the client called it.' }),
    type: Type.String({ description: 'What kind of step it is; `other` when the client did not say.' }),
    model: nullableString({ description: 'The model it used.' }),
    status: Type.Enum(TRACE_STATUSES, { description: 'How it ended; `ok` when the client did not say.' }),
    started_at: nullablePrintedTime('When it began, by the client.'),
    ended_at: nullablePrintedTime('When it ended, by the client.'),
    received_at: printedTime('When the service committed it.'),
    parent_step_id: nullableIdString('st', 'Its parent; null for a root.'),
    parent_inferred: Type.Boolean({
      description: 'Whether the client named no parent, so that the step which arrived just before was taken.',
    }),
    idempotency_key: nullableString({ description: 'The key it was sent with.' }),
    cost_usd: nullableCost('What its tokens cost; null when it used none, names no model, or its model has no price.'),
    messages,
    token_usage,
    metadata,
    error,
    attachments: Type.Array(Attachment, { description: 'Media linked to this step.' }),
  },
  { additionalProperties: false, description: 'One step of a trace, as stored.' },
)
export type Step = Static<typeof Step>

export const StepPage = Type.Object(
  {
    steps: Type.Array(Step, { description: 'One page of the steps, in arrival order.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of the steps of a trace.' },
)
export type StepPage = Static<typeof StepPage>
