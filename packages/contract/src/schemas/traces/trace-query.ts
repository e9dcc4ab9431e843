import { Type, type Static } from 'typebox'
import { NAME_LENGTH } from '../../limits.ts'

export const TRACE_PARTS = ['steps', 'messages', 'attachments', 'metric_events'] as const

const part = `(${TRACE_PARTS.join('|')})`

export const TraceQuery = Type.Object(
  {
    include: Type.Optional(
      Type.String({
        pattern: `^(${part}(,${part})*)?$`,
        maxLength: NAME_LENGTH,
        description:
          'What comes beside the row of the trace, separated by commas: `steps`, `messages` (those of the steps, and the steps with them), ' +
          '`attachments` (those of no step), `metric_events`. Empty for the row of the feed alone, which costs one look-up. Without it everything.',
        examples: ['steps,metric_events', ''],
      }),
    ),
  },
  { additionalProperties: false },
)
export type TraceQuery = Static<typeof TraceQuery>
