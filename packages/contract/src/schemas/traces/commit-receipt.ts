import { Type, type Static } from 'typebox'
import { idString, printedTime } from '../primitives.ts'

/** Sent only when the trace is durable and readable by the next request. */
export const CommitReceipt = Type.Object(
  {
    id: idString('tr', 'The committed trace. On a retry with the same `Idempotency-Key`: the first one.'),
    state: Type.Literal('committed', {
      description:
        'Always `committed`: the transition that this request made, with the event `trace.committed`. A trace that is committed as failed is marked at once, with the event `trace.flagged`; reads show its `state` as `flagged`.',
    }),
    step_ids: Type.Array(idString('st', 'A step.'), { description: 'The ids of its steps, in the order sent.' }),
    committed_at: printedTime('When it was committed.'),
  },
  { additionalProperties: false, description: 'Acknowledges a committed trace.' },
)
export type CommitReceipt = Static<typeof CommitReceipt>
