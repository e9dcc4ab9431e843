import { Type, type Static } from 'typebox'
import { NAME_LENGTH } from '../../limits.ts'
import { TRACE_STATUSES } from '../../trace-filters.ts'
import { flagOf, optional } from '../primitives.ts'

/** At least one of `status` and `flagged`: a reason alone changes nothing. */
export const TracePatch = Type.Object(
  optional({
    status: Type.Enum(TRACE_STATUSES, {
      description: 'Marks the trace as failed or not, whatever its steps and its root say.',
    }),
    flagged: flagOf('Flags the trace, or removes the flag.'),
    reason: Type.String({
      maxLength: NAME_LENGTH,
      description: 'Why; stored as `flag_reason` and sent with `trace.flagged`. An empty one removes it.',
    }),
  }),
  {
    additionalProperties: false,
    anyOf: [{ required: ['status'] }, { required: ['flagged'] }],
    description: 'A change of status or flag.',
  },
)
export type TracePatch = Static<typeof TracePatch>
