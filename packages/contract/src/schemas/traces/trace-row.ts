import { Type, type Static } from 'typebox'
import { TRACE_STATUSES } from '../../trace-filters.ts'
import { Metadata } from '../metadata.ts'
import { count, idString, nullableInteger, nullableString, printedTime } from '../primitives.ts'
import { TokenTotals } from './token-usage.ts'

/** One trace as the feed lists it, without its steps. */
export const TraceRow = Type.Object(
  {
    id: idString('tr', 'The trace.'),
    name: Type.String({ description: 'What the client called it.' }),
    run_type: Type.String({
      description: 'Run category, an open slug: `agent, workflow, chat, task, eval` or your own.',
    }),
    state: Type.Enum(['committed', 'flagged'], {
      description: '`committed` from the start; `flagged` once it is marked failed or flagged.',
    }),
    status: Type.Enum(TRACE_STATUSES, {
      description: '`error` when the trace was set so or when any of its steps failed, else `ok`.',
    }),
    metadata: Metadata,
    created_at: printedTime(
      'When the service committed it, by its clock. Lists by creation follow the order of arrival, which differs from these times where the clock was set back.',
    ),
    duration_ms: nullableInteger({
      minimum: 0,
      description: 'Milliseconds from its start to its end, its own times or those of its steps; null when unknown.',
    }),
    step_count: count('Number of its steps.'),
    models: Type.Array(Type.String(), { description: 'The models its steps used, each once.' }),
    token_usage: TokenTotals,
    session_id: nullableString({ description: 'The conversation or session it belongs to.' }),
    user_id: nullableString({ description: 'The end user it ran for.' }),
    attachment_count: count('Media attached to it and to its steps.'),
  },
  { additionalProperties: false, description: 'One trace of the feed.' },
)
export type TraceRow = Static<typeof TraceRow>

export const TraceFeed = Type.Object(
  {
    traces: Type.Array(TraceRow, { description: 'One page of the feed, in the order asked for.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of traces.' },
)
export type TraceFeed = Static<typeof TraceFeed>
