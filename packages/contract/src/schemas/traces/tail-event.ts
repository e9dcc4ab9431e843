import type { Static } from 'typebox'
import { closed, idString, printedTime } from '../primitives.ts'

/** `data` of the tail's `trace.committed`; the event's `id` is its position in the journal. */
export const TailCommitted = closed('A new trace.', {
  id: idString('tr', 'The committed trace.'),
  committed_at: printedTime('When it was committed.'),
})
export type TailCommitted = Static<typeof TailCommitted>
