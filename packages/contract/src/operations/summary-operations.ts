import {
  SessionTracesQuery,
  SummariesQuery,
  TraceSessionDetail,
  TraceSessionList,
  TraceSessionPath,
  TraceUserDetail,
  TraceUserList,
  TraceUserPath,
  UserTracesQuery,
} from '../schemas/traces/trace-summary.ts'
import type { Operation } from './operation.ts'

const LISTED =
  'newest activity first, by the creation of the last trace, or by another field. With filters, only matching traces count, for the order and in each row. ' +
  'Everything committed before the request counts. Paging by cursor counts only traces that existed at the start, so it returns each row once while new traces are written; ' +
  'one whose sort key changes meanwhile, because a trace got more steps or was deleted, may be returned again or be missed.'

export const SUMMARY_OPERATIONS = {
  listSessions: {
    method: 'GET',
    path: '/v1/sessions',
    tag: 'traces',
    summary: 'List sessions',
    description: `The sessions (conversations) that traces name in \`session_id\`, ${LISTED}`,
    scopes: ['read'],
    query: SummariesQuery,
    responses: { 200: { description: 'One page of sessions.', content: { 'application/json': TraceSessionList } } },
    errors: ['full_text_disabled'],
  },
  getTraceSession: {
    method: 'GET',
    path: '/v1/sessions/:session_id',
    tag: 'traces',
    summary: 'Read one session',
    description: 'What the traces of a session amount to, and a page of them, oldest first by default.',
    scopes: ['read'],
    pathParameters: TraceSessionPath,
    query: SessionTracesQuery,
    responses: { 200: { description: 'The session.', content: { 'application/json': TraceSessionDetail } } },
  },
  listUsers: {
    method: 'GET',
    path: '/v1/users',
    tag: 'traces',
    summary: 'List users',
    description: `The end users that traces name in \`user_id\`, ${LISTED}`,
    scopes: ['read'],
    query: SummariesQuery,
    responses: { 200: { description: 'One page of users.', content: { 'application/json': TraceUserList } } },
    errors: ['full_text_disabled'],
  },
  getTraceUser: {
    method: 'GET',
    path: '/v1/users/:user_id',
    tag: 'traces',
    summary: 'Read one user',
    description: 'What the traces of a user amount to, and a page of them, newest first by default.',
    scopes: ['read'],
    pathParameters: TraceUserPath,
    query: UserTracesQuery,
    responses: { 200: { description: 'The user.', content: { 'application/json': TraceUserDetail } } },
  },
} as const satisfies Record<string, Operation>
