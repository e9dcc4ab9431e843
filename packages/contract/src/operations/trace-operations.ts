import { Type } from 'typebox'
import { COMPARED_STEPS, DEFAULT_LIMITS, GRACE_SECONDS_MAX, NAME_LENGTH } from '../limits.ts'
import { EXPORT_BYTES, OTLP_BASES, PROTOBUF_TYPE } from '../otlp.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { CommitReceipt } from '../schemas/traces/commit-receipt.ts'
import { ExportResponse } from '../schemas/traces/export-response.ts'
import { ListTracesQuery } from '../schemas/traces/feed-query.ts'
import { idParameter, idString, parameters, shortText, textOf, traceParameter } from '../schemas/primitives.ts'
import { OriginsQuery, ValueOrigins } from '../schemas/traces/value-origins.ts'
import { TraceBody } from '../schemas/traces/trace-body.ts'
import { TracePatch } from '../schemas/traces/trace-patch.ts'
import { ComparisonQuery, TraceComparison } from '../schemas/traces/trace-comparison.ts'
import {
  FailurePatterns,
  PATTERN_STATISTICS,
  PATTERN_TRACES,
  PatternsQuery,
} from '../schemas/traces/failure-patterns.ts'
import { DivergenceQuery, SimilarQuery, SimilarTraces, TraceDivergence } from '../schemas/traces/trace-divergence.ts'
import { TraceFeed, TraceRow } from '../schemas/traces/trace-row.ts'
import { TraceQuery } from '../schemas/traces/trace-query.ts'
import { PartialTrace, Trace } from '../schemas/traces/trace.ts'
import { TracePart, TracePartList } from '../schemas/traces/trace-part.ts'
import { jsonBody, JSON_BODY_ERRORS, type Operation } from './operation.ts'
import { PART_EXAMPLES, PATCH_EXAMPLES, TRACE_EXAMPLES } from './trace-examples.ts'

export const TracePath = parameters({
  id: traceParameter(
    'The trace. For a trace of another project the answer is the same as for one that does not exist.',
  ),
})

/** The answer to an export of OpenTelemetry, in the encoding of the request. */
const EXPORT_CONTENT = {
  'application/json': ExportResponse,
  [PROTOBUF_TYPE]: textOf('An `ExportTraceServiceResponse` in protobuf.'),
}

export const TRACE_OPERATIONS = {
  commitTrace: {
    method: 'POST',
    path: '/v1/traces',
    summary: 'Commit a trace',
    description:
      'Records a trace with its initial steps. The answer is sent when the trace is durable and the next request can read it. ' +
      'Emits `trace.committed`, and `trace.flagged` if the trace is committed as failed. ' +
      'Exports of OpenTelemetry (OTLP) are taken too: any body of type `application/x-protobuf`, and JSON with `resourceSpans`. ' +
      `They may have ${EXPORT_BYTES} bytes (JSON at this path only if \`User-Agent\` names OpenTelemetry), and the key as the password or user of \`Authorization: Basic\`, or alone in \`Authorization\`. ` +
      'Each span becomes a step, and each trace id a trace; the same span sent again changes nothing. A span that cannot be taken is refused alone, in `partialSuccess`. ' +
      'Their errors are `google.rpc.Status` in the encoding of the request. ' +
      `${OTLP_BASES.map((base) => `\`POST ${base}/v1/traces\``).join(', ')} take exports alone.`,
    scopes: ['ingest'],
    headers: Type.Object({
      'Idempotency-Key': Type.Optional(
        shortText(
          NAME_LENGTH,
          'Makes a retry safe: the same key with the same body returns the first trace; with a different body it is refused (`idempotency_conflict`). A key is known for at least `idempotency_seconds` of `GET /v1/settings`.',
        ),
      ),
    }),
    request: {
      kind: 'bytes',
      contentType: 'application/json',
      schema: TraceBody,
      description: `The trace, at most ${DEFAULT_LIMITS.traceBodyBytes} bytes and ${DEFAULT_LIMITS.stepsPerTraceBody} steps. Unknown fields are refused by name.`,
      examples: TRACE_EXAMPLES,
    },
    responses: {
      200: {
        description: 'Everything of an export of OpenTelemetry but what `partialSuccess` names is stored.',
        content: EXPORT_CONTENT,
      },
      202: {
        description: 'The trace is committed (now, or by an earlier request with this idempotency key).',
        content: { 'application/json': CommitReceipt },
        headers: {
          'Idempotency-Replayed': {
            description:
              '`true` if an earlier request with this idempotency key had already committed it; otherwise absent.',
            schema: Type.Literal('true'),
          },
        },
      },
    },
    errors: [...JSON_BODY_ERRORS, 'idempotency_conflict', 'disk_full'],
  },
  listTraces: {
    method: 'GET',
    path: '/v1/traces',
    summary: 'List and filter traces',
    description:
      'One page of traces, newest first by default. Paging by cursor returns every trace that existed at the start exactly once, even while traces are written.',
    scopes: ['read'],
    query: ListTracesQuery,
    responses: { 200: { description: 'One page of traces.', content: { 'application/json': TraceFeed } } },
    errors: ['cursor_expired', 'full_text_disabled'],
  },
  getTrace: {
    method: 'GET',
    path: '/v1/traces/:id',
    summary: 'Read one trace',
    description:
      'The whole trace, or the parts that `include` names: steps in arrival order, verbatim messages, attachments, metadata. A very long trace is streamed; its steps can also be read in pages.',
    scopes: ['read'],
    pathParameters: TracePath,
    query: TraceQuery,
    responses: {
      200: {
        description: 'The trace, or with `include` parts of it.',
        content: { 'application/json': Type.Union([Trace, PartialTrace]) },
      },
    },
  },
  getTraceParts: {
    method: 'GET',
    path: '/v1/traces/:id/parts',
    tag: 'traces',
    summary: 'Read a trace as it was sent',
    description:
      'What was sent of a trace, with its ids, and nothing that Spoor derives: as `PUT /v1/traces/:id` takes it. The bytes of media are not part of it. ' +
      'A trace with more than 2 MB or 1,000 steps has several parts. Metric events are in the last part with steps, and behind it in parts of their own if they are more than 1,000 or 2 MB.',
    scopes: ['read'],
    pathParameters: TracePath,
    query: parameters({ cursor: ListQuery.properties.cursor }),
    responses: { 200: { description: 'One part.', content: { 'application/json': TracePartList } } },
  },
  importTrace: {
    method: 'PUT',
    path: '/v1/traces/:id',
    summary: 'Import a trace with its ids',
    description:
      'Commits a trace that `GET /v1/traces/:id/parts` has printed, here or on another service, with its id, the ids of its steps, its times, flag and metric events. ' +
      'A part is committed as a whole or not at all. The same part again changes nothing. The parts of a trace must come in their order. ' +
      'The id must be that of no other trace of the service, and its time must not be in the future. Metrics must be defined, and media uploaded, before. ' +
      'Emits the same events as `POST /v1/traces`.',
    scopes: ['admin'],
    pathParameters: parameters({ id: idParameter('tr', 'The id that the trace has and keeps.') }),
    request: {
      kind: 'bytes',
      contentType: 'application/json',
      schema: TracePart,
      description: `A part of a trace, at most ${DEFAULT_LIMITS.traceBodyBytes} bytes.`,
      examples: PART_EXAMPLES,
    },
    responses: {
      202: {
        description: 'The part is committed, now or by an earlier request.',
        content: {
          'application/json': parameters({ id: idString('tr', 'The trace.') }),
        },
        headers: {
          'Idempotency-Replayed': {
            description: '`true` if it was committed before; otherwise absent.',
            schema: Type.Literal('true'),
          },
        },
      },
    },
    errors: [...JSON_BODY_ERRORS, 'trace_id_taken', 'disk_full'],
  },
  compareTraces: {
    method: 'GET',
    path: '/v1/traces/compare',
    summary: 'Compare two traces',
    description:
      'Aligns the steps of two traces by their type, name, tool, place and what they say, and lists where those that belong together differ. ' +
      `Each trace may have ${COMPARED_STEPS.toLocaleString('en')} steps. Of the steps after the first 8 MiB of a trace it only says whether they differ.`,
    scopes: ['read'],
    query: ComparisonQuery,
    responses: { 200: { description: 'The comparison.', content: { 'application/json': TraceComparison } } },
    errors: ['not_found'],
  },
  findPatterns: {
    method: 'GET',
    path: '/v1/patterns',
    tag: 'traces',
    summary: 'Find what failed runs have that others have not',
    description: `Compares the failed ones of the newest ${PATTERN_TRACES.toLocaleString('en')} traces that pass the filters, at most a million steps, with the others: tools and pairs of tools, arguments of calls, types of errors, findings, models, metadata, and the number of steps. Traces of a cluster of failures are compared with those that did not fail, a sample of both. ${PATTERN_STATISTICS}`,
    scopes: ['read'],
    query: PatternsQuery,
    responses: { 200: { description: 'The patterns.', content: { 'application/json': FailurePatterns } } },
    errors: ['full_text_disabled'],
  },
  findDivergence: {
    method: 'GET',
    path: '/v1/traces/:id/divergence',
    summary: 'Find where a run first leaves what successes do',
    description:
      'Compares what a run did (calls of tools with their arguments, other steps, failures) with the newest successes of its task, else of its cluster, else of its name: at most 50, and at most 64 MiB of steps. ' +
      'A difference weighs as much as successes of other tasks agree on the arguments of that tool. Silent, with the reason, if the evidence is weak.',
    scopes: ['read'],
    pathParameters: TracePath,
    query: DivergenceQuery,
    responses: { 200: { description: 'The divergence.', content: { 'application/json': TraceDivergence } } },
  },
  findSimilarTraces: {
    method: 'GET',
    path: '/v1/traces/:id/similar',
    summary: 'Find traces like this one',
    description:
      'The nearest traces by the embedding of clusters, among the newest 500 of its cluster, or of its name if it is in none. ' +
      'Traces that were never read for clusters are read now, at most 30 MB of steps. With an endpoint that embeds, those that it has embedded for a discovery.',
    scopes: ['read'],
    pathParameters: TracePath,
    query: SimilarQuery,
    responses: { 200: { description: 'Similar traces.', content: { 'application/json': SimilarTraces } } },
  },
  findOrigins: {
    method: 'GET',
    path: '/v1/traces/:id/origins',
    summary: 'Find where the arguments of a step came from',
    description:
      'For each argument of the calls of a step, the step that first had its value: as the same words, as the same number or date in another notation, or as a code with other separators. ' +
      'The arguments of a step that runs a call of a model are those of that call.',
    scopes: ['read'],
    pathParameters: TracePath,
    query: OriginsQuery,
    responses: { 200: { description: 'The origins.', content: { 'application/json': ValueOrigins } } },
  },
  patchTrace: {
    method: 'PATCH',
    path: '/v1/traces/:id',
    summary: 'Mark or flag a trace',
    description: 'Sets the status or the flag. Each change to failed or flagged emits `trace.flagged` once.',
    scopes: ['ingest'],
    pathParameters: TracePath,
    request: jsonBody(TracePatch, 'At least one of `status` and `flagged`.', PATCH_EXAMPLES),
    responses: { 200: { description: 'The trace after the change.', content: { 'application/json': TraceRow } } },
    errors: ['disk_full'],
  },
  deleteTrace: {
    method: 'DELETE',
    path: '/v1/traces/:id',
    summary: 'Delete a trace',
    description:
      'The trace and its steps disappear from every read at once. With `grace_seconds` it can be restored for so long; after that the deletion is final.',
    scopes: ['manage'],
    pathParameters: TracePath,
    query: parameters({
      grace_seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: GRACE_SECONDS_MAX,
          description: 'For how many seconds the trace can be restored. If omitted, it cannot.',
        }),
      ),
    }),
    audit: { action: 'traces.deleted', target: 'trace', shows: ['grace_seconds'] },
    responses: { 204: { description: 'The trace was deleted.', content: {} } },
    errors: ['queue_full', 'disk_full'],
  },
  restoreTrace: {
    method: 'POST',
    path: '/v1/traces/:id/restore',
    summary: 'Restore a deleted trace',
    description:
      'Undoes a deletion within its `grace_seconds`: the trace is as it was, with its steps, metric events and attachments. It is in no cluster until the next discovery. After that time, and without it, the answer is `not_found`.',
    scopes: ['manage'],
    pathParameters: TracePath,
    audit: { action: 'traces.restored', target: 'trace', shows: [] },
    responses: { 200: { description: 'The trace.', content: { 'application/json': TraceRow } } },
    errors: ['queue_full', 'disk_full'],
  },
  tailTraces: {
    method: 'GET',
    path: '/v1/traces/tail',
    summary: 'Follow new traces live',
    description:
      'Server-Sent Events. First `retry: 3000`; then for each committed trace `id` (its position), `event: trace.committed` and ' +
      '`data: {"id": "tr_…", "committed_at": "…"}`; a comment every 15 s. If the requested position is older than the retained journal, or is after its end ' +
      '(because a backup was restored), `event: gap` with `data: {"from": …, "to": …}` comes first: read the list again; the stream continues after `to`. ' +
      'A client that reconnects with `Last-Event-ID` misses nothing and gets nothing twice, also across restarts of the service.',
    scopes: ['read'],
    headers: Type.Object({
      Accept: Type.Optional(Type.String({ description: '`text/event-stream`.', examples: ['text/event-stream'] })),
      'Last-Event-ID': Type.Optional(
        Type.String({
          pattern: '^\\d{0,15}$',
          description:
            'The `id` of the last received event; the stream continues after it. If omitted or empty: only traces committed from now on.',
        }),
      ),
    }),
    responses: {
      200: {
        description: 'The stream. It does not end by itself.',
        content: { 'text/event-stream': textOf('Server-Sent Events.') },
        headers: {
          'Cache-Control': { description: 'Streams are not cached.', schema: Type.String() },
          'X-Accel-Buffering': { description: '`no`: proxies must not buffer.', schema: Type.Literal('no') },
        },
      },
    },
    headerError: 'invalid_position',
    errors: ['invalid_position'],
  },
} as const satisfies Record<string, Operation>
