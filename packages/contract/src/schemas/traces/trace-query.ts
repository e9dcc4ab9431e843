import { Type, type Static } from 'typebox'
import { NAME_LENGTH } from '../../limits.ts'
import { parameters } from '../primitives.ts'

export const TRACE_PARTS = ['steps', 'messages', 'attachments', 'metric_events'] as const

const part = `(${TRACE_PARTS.join('|')})`

export const TraceQuery = parameters({
  include: Type.Optional(
    Type.String({
      pattern: `^(${part}(,${part})*)?$`,
      maxLength: NAME_LENGTH,
      description:
        'The parts to return with the row of the trace, separated by commas: `steps`, `messages` (of the steps, and includes the steps), ' +
        '`attachments` (those without a step), `metric_events`. Empty: only the row, as in the list of traces, which needs one look-up. If omitted: everything.',
      examples: ['steps,metric_events', ''],
    }),
  ),
})
export type TraceQuery = Static<typeof TraceQuery>
