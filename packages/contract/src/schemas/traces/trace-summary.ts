import { Type, type Static } from 'typebox'
import { NAME_LENGTH } from '../../limits.ts'
import { ListQuery } from '../list-query.ts'
import { nullableCost } from '../price.ts'
import * as schema from '../primitives.ts'
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
export const SummariesQuery = schema.parameters({
  ...FeedQuery.properties,
  ...schema.optional({
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
  return schema.parameters({
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
export const TraceSessionPath = schema.parameters({
  session_id: pathId('The `session_id` of its traces, percent-encoded.'),
})
export const TraceUserPath = schema.parameters({ user_id: pathId('The `user_id` of its traces, percent-encoded.') })

const first = {
  first_at: schema.printedTime('When the first of its traces was created.'),
  last_at: schema.printedTime('When the last of its traces was created.'),
  trace_count: schema.count('The number of its traces.'),
  step_count: schema.count('The number of their steps.'),
  error_count: schema.count('The number of its traces with status `error`.'),
}
const last = {
  token_usage: TokenTotals,
  cost_usd: nullableCost(
    'The cost of all steps, but those of traces with more than 100 models; null if no step has a cost.',
  ),
  mean_duration_ms: schema.nullableInteger({
    minimum: 0,
    description: 'The mean `duration_ms` of its traces with a known duration, rounded; null if none has one.',
  }),
}

export const TraceSession = schema.closed('One session: what its traces amount to, as they are now.', {
  session_id: schema.textOf('The session.'),
  ...first,
  user_ids: schema.listOf(
    Type.String(),
    `The users of its traces, each once and sorted; at most ${SUMMARY_USERS_MAX}.`,
  ),
  ...last,
})
export type TraceSession = Static<typeof TraceSession>

export const TraceUser = schema.closed('One user: what the traces that ran for the user amount to.', {
  user_id: schema.textOf('The user.'),
  ...first,
  session_count: schema.count('The number of sessions of its traces.'),
  ...last,
})
export type TraceUser = Static<typeof TraceUser>

const traces = schema.listOf(TraceRow, 'One page of its traces, in the requested order.')

export const TraceSessionList = schema.pageOf('sessions', TraceSession, 'in the requested order')
export type TraceSessionList = Static<typeof TraceSessionList>

export const TraceUserList = schema.pageOf('users', TraceUser, 'in the requested order')
export type TraceUserList = Static<typeof TraceUserList>

export const TraceSessionDetail = schema.closed('One session and a page of its traces.', {
  session: TraceSession,
  traces,
  next_cursor: schema.nextCursor,
})
export type TraceSessionDetail = Static<typeof TraceSessionDetail>

export const TraceUserDetail = schema.closed('One user and a page of the traces.', {
  user: TraceUser,
  traces,
  next_cursor: schema.nextCursor,
})
export type TraceUserDetail = Static<typeof TraceUserDetail>
