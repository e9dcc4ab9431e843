import { textOf } from '../schemas/primitives.ts'
import { Type } from 'typebox'
import { EXPORT_FORMATS, ExportQuery } from '../schemas/export-query.ts'
import { SenderList } from '../schemas/sender.ts'
import {
  FACET_TRACES,
  StepFacets,
  StepFacetsQuery,
  TraceFacets,
  TraceFacetsQuery,
} from '../schemas/traces/trace-facets.ts'
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
import { REGRESSION_EVIDENCE, VERSION_TRACES, VersionList, VersionsQuery } from '../schemas/versions.ts'
import { MOST_SENDERS, SENDER_DAYS } from '../senders.ts'
import { type Operation, LIST_ERRORS } from './operation.ts'

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
  getTraceFacets: {
    method: 'GET',
    path: '/v1/traces/facets',
    summary: 'Values to filter traces by',
    description:
      `The values of a field and the number of traces with each value, among the newest ${FACET_TRACES.toLocaleString('en')} traces that are not deleted. Meant for suggestions: traces committed within the last second may be missing, ` +
      'and names, sessions, users, keys and metadata values of more than 124 bytes are.',
    scopes: ['read'],
    query: TraceFacetsQuery,
    responses: { 200: { description: 'The values.', content: { 'application/json': TraceFacets } } },
  },
  getStepFacets: {
    method: 'GET',
    path: '/v1/steps/facets',
    summary: 'Values to filter steps by',
    description:
      `The values of a field and the number of steps with each value, among the steps of the newest ${FACET_TRACES.toLocaleString('en')} traces that pass the filters of the list. ` +
      '`q` is a part of the values, `text` the full-text query of the list. Everything committed before the request counts; arguments of more than 124 bytes are missing.',
    scopes: ['read'],
    query: StepFacetsQuery,
    responses: { 200: { description: 'The values.', content: { 'application/json': StepFacets } } },
    errors: ['full_text_disabled'],
  },
  listSenders: {
    method: 'GET',
    path: '/v1/senders',
    tag: 'traces',
    summary: 'What came in, and what was not understood',
    description:
      `The senders of the traces of the last ${SENDER_DAYS} days that are not deleted, by instrumentation scope and version, most spans first, at most ${MOST_SENDERS}. ` +
      'For each, how many of its spans lack what Spoor could show, and what to set. A span that comes again counts once. Names of attributes are shown, never their values.',
    scopes: ['read'],
    responses: { 200: { description: 'The senders.', content: { 'application/json': SenderList } } },
  },
  listVersions: {
    method: 'GET',
    path: '/v1/versions',
    tag: 'traces',
    summary: 'Compare the failure rates of versions',
    description: `The newest versions among the traces that pass the filters, over all and in each cluster. A version is compared with the one before it by the first ${VERSION_TRACES.toLocaleString('en')} runs of each: a sequential test, whose answer may be looked at at any time. For a version that is no worse, the chance that \`evidence\` ever reaches ${REGRESSION_EVIDENCE} over all runs or in any cluster of one discovery is at most 5 %. A version whose first runs the retention of the project may have deleted is not compared. A version that regressed emits \`version.regressed\` once over all runs, and once in each cluster.`,
    scopes: ['read'],
    query: VersionsQuery,
    responses: { 200: { description: 'The versions.', content: { 'application/json': VersionList } } },
    errors: ['full_text_disabled'],
  },
  exportRows: {
    method: 'GET',
    path: '/v1/export',
    tag: 'traces',
    summary: 'Export all rows of a list',
    description:
      'Every row that matches, however many, as a file. It is streamed: neither the service nor a client needs to hold it. ' +
      'Rows that are committed meanwhile may be missing, rows that were there at the start are not.',
    scopes: ['read'],
    query: ExportQuery,
    audit: { action: 'export.read', target: 'export', shows: ['what', 'format'] },
    responses: {
      200: {
        description: 'All rows.',
        content: {
          [EXPORT_FORMATS.jsonl]: Type.Object(
            {},
            { additionalProperties: true, description: 'A row, or in the last line `{"complete":true,"rows":n}`.' },
          ),
          [EXPORT_FORMATS.csv]: textOf('Names of columns, then a line for each row (RFC 4180).'),
          [EXPORT_FORMATS.parquet]: textOf('A file of Apache Parquet, compressed with Snappy.'),
        },
        headers: {
          'x-export-rows': {
            description: 'A trailer of CSV and Parquet: the number of rows. It is missing where the export broke off.',
            schema: Type.String(),
          },
        },
      },
    },
    errors: [...LIST_ERRORS, 'cursor_expired', 'full_text_disabled'],
  },
} as const satisfies Record<string, Operation>
