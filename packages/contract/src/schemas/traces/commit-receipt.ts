import { Type, type Static } from 'typebox'
import { closed, idString, listOf, printedTime } from '../primitives.ts'

/** Sent when the trace is durable and the next request can read it. */
export const CommitReceipt = closed('Acknowledges a committed trace.', {
  id: idString('tr', 'The committed trace; for a retry with the same `Idempotency-Key` the first one.'),
  state: Type.Literal('committed', {
    description:
      'Always `committed`: this request emitted `trace.committed`. A trace that is committed as failed also emits `trace.flagged`, and reads show its `state` as `flagged`.',
  }),
  step_ids: listOf(idString('st', 'A step.'), 'The ids of its steps, in the order sent.'),
  committed_at: printedTime('When it was committed.'),
})
export type CommitReceipt = Static<typeof CommitReceipt>
