import { Type, type Static } from 'typebox'
import { NAME_LENGTH } from '../../limits.ts'
import { ListQuery } from '../list-query.ts'
import { nullableCost } from '../price.ts'
import { closed, count, nullableInteger, nullableString, optional, parameters, printedTime } from '../primitives.ts'
import { FEED_ORDERS, FeedQuery } from './feed-query.ts'
import { TokenTotals } from './token-usage.ts'
import { TraceRow } from './trace-row.ts'

/** Users that a session names. */
export const SUMMARY_USERS_MAX = 100

/** Fields of a row, and `total_tokens`: `total` of its `token_usage`. */
export const SUMMARY_SORTS = [
  'last_at',
  'trace_count',
  'step_count',
  'error_count',
  'total_tokens',
  'cost_usd',
  'mean_duration_ms',
] as const

/** The filters of the list of traces: a session or user is listed with the traces that match. */
export const SummariesQuery = parameters({
  ...FeedQuery.properties,
  ...optional({
    sort: Type.Enum(SUMMARY_SORTS, {
      default: 'last_at',
      description: 'The sort key: that field of the rows. `total_tokens`: `total` of their `token_usage`.',
    }),
    order: Type.Enum(FEED_ORDERS, {
      default: 'desc',
      description: '`desc`: largest or newest first, those without a cost or duration last. `asc`: the reverse.',
    }),
  }),
})
export type SummariesQuery = Static<typeof SummariesQuery>

function tracesQuery(order: (typeof FEED_ORDERS)[number]) {
  return parameters({
    order: Type.Optional(
      Type.Enum(FEED_ORDERS, { default: order, description: '`desc`: newest first. `asc`: oldest first.' }),
    ),
    ...ListQuery.properties,
  })
}

/** A session is read as a conversation, from its beginning; of a user the newest traces come first. */
export const SESSION_TRACES_ORDER = 'asc'
export const USER_TRACES_ORDER = 'desc'
export const SessionTracesQuery = tracesQuery(SESSION_TRACES_ORDER)
export const UserTracesQuery = tracesQuery(USER_TRACES_ORDER)

const pathId = (description: string) => Type.String({ minLength: 1, maxLength: NAME_LENGTH, description })
export const TraceSessionPath = parameters({ session_id: pathId('The `session_id` of its traces, percent-encoded.') })
export const TraceUserPath = parameters({ user_id: pathId('The `user_id` of its traces, percent-encoded.') })

const first = {
  first_at: printedTime('When the first of its traces was created.'),
  last_at: printedTime('When the last of its traces was created.'),
  trace_count: count('The number of its traces.'),
  step_count: count('The number of their steps.'),
  error_count: count('The number of its traces with status `error`.'),
}
const last = {
  token_usage: TokenTotals,
  cost_usd: nullableCost(
    'The cost of all steps, but those of traces with more than 100 models; null if no step has a cost.',
  ),
  mean_duration_ms: nullableInteger({
    minimum: 0,
    description: 'The mean `duration_ms` of its traces with a known duration, rounded; null if none has one.',
  }),
}

export const TraceSession = closed('One session: what its traces amount to, as they are now.', {
  session_id: Type.String({ description: 'The session.' }),
  ...first,
  user_ids: Type.Array(Type.String(), {
    description: `The users of its traces, each once and sorted; at most ${SUMMARY_USERS_MAX}.`,
  }),
  ...last,
})
export type TraceSession = Static<typeof TraceSession>

export const TraceUser = closed('One user: what the traces that ran for the user amount to.', {
  user_id: Type.String({ description: 'The user.' }),
  ...first,
  session_count: count('The number of sessions of its traces.'),
  ...last,
})
export type TraceUser = Static<typeof TraceUser>

const nextCursor = nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' })
const traces = Type.Array(TraceRow, { description: 'One page of its traces, in the requested order.' })

export const TraceSessionList = closed('One page of sessions.', {
  sessions: Type.Array(TraceSession, { description: 'One page of sessions, in the requested order.' }),
  next_cursor: nextCursor,
})
export type TraceSessionList = Static<typeof TraceSessionList>

export const TraceUserList = closed('One page of users.', {
  users: Type.Array(TraceUser, { description: 'One page of users, in the requested order.' }),
  next_cursor: nextCursor,
})
export type TraceUserList = Static<typeof TraceUserList>

export const TraceSessionDetail = closed('One session and a page of its traces.', {
  session: TraceSession,
  traces,
  next_cursor: nextCursor,
})
export type TraceSessionDetail = Static<typeof TraceSessionDetail>

export const TraceUserDetail = closed('One user and a page of the traces.', {
  user: TraceUser,
  traces,
  next_cursor: nextCursor,
})
export type TraceUserDetail = Static<typeof TraceUserDetail>
