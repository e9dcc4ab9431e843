import { Type, type Static } from 'typebox'
import { idString, printedTime } from '../primitives.ts'

/** `data` of the tail's `trace.committed`; the event's `id` is its position in the journal. */
export const TailCommitted = Type.Object(
  {
    id: idString('tr', 'The committed trace.'),
    committed_at: printedTime('When it was committed.'),
  },
  { additionalProperties: false, description: 'A new trace.' },
)
export type TailCommitted = Static<typeof TailCommitted>
