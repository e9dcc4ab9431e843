import { Type, type Static } from 'typebox'
import { idString, printedTime } from './primitives.ts'

/** Sent only when the trace is durable and readable by the next request. */
export const CommitReceipt = Type.Object(
  {
    id: idString('tr', 'The committed trace. On a retry with the same `Idempotency-Key`: the first one.'),
    state: Type.Literal('committed', { description: 'Always `committed`.' }),
    step_ids: Type.Array(idString('st', 'A step.'), { description: 'The ids of its steps, in the order sent.' }),
    committed_at: printedTime('When it was committed.'),
  },
  { additionalProperties: false, description: 'Acknowledges a committed trace.' },
)
export type CommitReceipt = Static<typeof CommitReceipt>
