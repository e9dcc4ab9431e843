import { Type } from 'typebox'
import { DEFAULT_LIMITS, REMOVED_EVENTS_MAX } from '../limits.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { MetricBatchResponse, MetricLineResult } from '../schemas/metrics/metric-batch.ts'
import { MetricEventBody } from '../schemas/metrics/metric-event-body.ts'
import { MetricEventQuery } from '../schemas/metrics/metric-event-query.ts'
import { MetricEvent, MetricEventList } from '../schemas/metrics/metric-event.ts'
import { Metric, MetricCreate, MetricList, MetricPatch } from '../schemas/metrics/metric.ts'
import { idParameter, parameters, textOf } from '../schemas/primitives.ts'
import { JSON_BODY_ERRORS, jsonBody, type Operation, type OperationRequest } from './operation.ts'
import { WRITING_SCOPES } from './view-operations.ts'

const passed = {
  name: 'solved',
  trace_id: 'tr_01h2xcejqtf2nbrexx3vqjhp41',
  passed: true,
  source: 'code',
  idempotency_key: 'run-7-solved',
}

const rated = {
  name: 'tone',
  trace_id: 'tr_01h2xcejqtf2nbrexx3vqjhp41',
  step_id: 'st_01h2xcejqtf2nbrexx3vqjhp41',
  value: 'friendly',
  source: 'human',
  comment: 'apologised at once',
  metadata: { reviewer: 'kim' },
}

const METRIC_EXAMPLES = {
  boolean: { summary: 'Passed or not', value: { name: 'solved', kind: 'boolean', direction: 'higher' } },
  numeric: {
    summary: 'A number within bounds',
    value: { name: 'reward', kind: 'numeric', min: 0, max: 1, direction: 'higher' },
  },
  enum: {
    summary: 'One of several options',
    value: { name: 'tone', kind: 'enum', options: [{ value: 'friendly', label: 'Friendly' }, { value: 'curt' }] },
  },
} as const satisfies OperationRequest['examples']

const METRIC_PATCH_EXAMPLES = {
  widen: { summary: 'A wider range', value: { max: 5, description: 'points of five' } },
} as const satisfies OperationRequest['examples']

const METRIC_EVENT_EXAMPLES = {
  one: { summary: 'An event for a trace, safe to retry', value: passed },
  batch: { summary: 'Several at once', value: [passed, rated] },
} as const satisfies OperationRequest['examples']

const METRIC_LINE_EXAMPLES = {
  lines: { summary: 'One event per line', value: `${JSON.stringify(passed)}\n${JSON.stringify(rated)}\n` },
} as const satisfies OperationRequest['examples']

export const MetricPath = parameters({
  name: textOf(
    'The name of the metric, percent-encoded. For a metric of another project the answer is the same as for one that does not exist.',
  ),
})

export const METRIC_OPERATIONS = {
  defineMetric: {
    method: 'POST',
    path: '/v1/metrics',
    summary: 'Define a metric',
    description: `Repeating the same definition returns the same metric. A project has at most ${DEFAULT_LIMITS.metricsPerProject} metrics.`,
    scopes: ['manage'],
    request: jsonBody(
      MetricCreate,
      'The name, the kind and the fields of that kind. Fields of other kinds are refused by name.',
      METRIC_EXAMPLES,
    ),
    audit: { action: 'metric.defined', target: 'metric', shows: ['name', 'kind'] },
    responses: {
      200: { description: 'The metric already existed with this definition.', content: { 'application/json': Metric } },
      201: { description: 'The metric was created.', content: { 'application/json': Metric } },
    },
    errors: ['metric_conflict', 'disk_full'],
  },
  listMetrics: {
    method: 'GET',
    path: '/v1/metrics',
    summary: 'List the metrics of the project',
    description: 'Oldest first.',
    scopes: ['read'],
    query: ListQuery,
    responses: { 200: { description: 'One page of metrics.', content: { 'application/json': MetricList } } },
  },
  getMetric: {
    method: 'GET',
    path: '/v1/metrics/:name',
    summary: 'Read the definition of a metric',
    description: 'By its name.',
    scopes: ['read'],
    pathParameters: MetricPath,
    responses: { 200: { description: 'The metric.', content: { 'application/json': Metric } } },
  },
  patchMetric: {
    method: 'PATCH',
    path: '/v1/metrics/:name',
    summary: 'Change a metric',
    description:
      'A range can be widened and options can be added and relabelled, so recorded events stay valid. Name and kind never change. The change applies from the next request on.',
    scopes: ['manage'],
    pathParameters: MetricPath,
    request: jsonBody(MetricPatch, 'At least one field.', METRIC_PATCH_EXAMPLES),
    audit: { action: 'metric.changed', target: 'metric', shows: [] },
    responses: { 200: { description: 'The metric after the change.', content: { 'application/json': Metric } } },
    errors: ['disk_full'],
  },
  recordMetricEvents: {
    method: 'POST',
    path: '/v1/metrics/events',
    summary: 'Record metric events',
    description:
      'One event as a JSON object, or a batch as a JSON array or as NDJSON. Each event of a batch is validated separately and gets its own status; `line` counts elements or physical lines. ' +
      'A `created` event is durable and readable. With `Accept: application/x-ndjson` the results of a batch are streamed, one per line. ' +
      'If an NDJSON body is cut off, its complete lines are recorded. Each recorded event emits `metric.event`.',
    scopes: ['ingest'],
    headers: Type.Object({
      Accept: Type.Optional(
        Type.String({
          description:
            '`application/x-ndjson`: a batch answers 200 and streams one result per line as events become durable. Otherwise the answer is one JSON object at the end.',
          examples: ['application/json', 'application/x-ndjson'],
        }),
      ),
    }),
    request: {
      kind: 'bytes',
      contentType: 'application/json',
      schema: Type.Union([MetricEventBody, Type.Array(MetricEventBody)]),
      description:
        `An event, or an array of at most ${DEFAULT_LIMITS.linesPerJsonResponse} events; at most ${DEFAULT_LIMITS.metricEventBytes} bytes per event and ${DEFAULT_LIMITS.metricBatchBytes} bytes in total. ` +
        `As NDJSON at most ${DEFAULT_LIMITS.ndjsonRequestBytes} bytes in total; blank lines are skipped; the schema describes one line.`,
      examples: METRIC_EVENT_EXAMPLES,
      alternatives: [{ contentType: 'application/x-ndjson', schema: MetricEventBody, examples: METRIC_LINE_EXAMPLES }],
    },
    responses: {
      200: {
        description:
          'One event: an earlier request with its idempotency key had already recorded it. A batch: every event was accepted, or the results are streamed as NDJSON.',
        content: {
          'application/json': Type.Union([MetricEvent, MetricBatchResponse]),
          'application/x-ndjson': MetricLineResult,
        },
        headers: {
          'Idempotency-Replayed': {
            description:
              '`true` if one event was sent and an earlier request had already recorded it; otherwise absent.',
            schema: Type.Literal('true'),
          },
        },
      },
      201: { description: 'One event was sent and recorded.', content: { 'application/json': MetricEvent } },
      207: {
        description: 'At least one event of a batch was refused.',
        content: { 'application/json': MetricBatchResponse },
      },
    },
    errors: [
      ...JSON_BODY_ERRORS,
      'undefined_metric',
      'unknown_trace',
      'unknown_step',
      'wrong_metric_kind',
      'value_out_of_range',
      'unknown_option',
      'idempotency_conflict',
      'disk_full',
    ],
  },
  listMetricEvents: {
    method: 'GET',
    path: '/v1/metrics/events',
    summary: 'List and filter metric events',
    description:
      'Newest `at` first. Paging by cursor returns every event that existed at the start exactly once, even while events are recorded. A name or id that does not exist matches nothing. `run_type` and `model` match the trace as it was when the event was recorded; `meta_key` matches the metadata of the event, and for keys it does not have, the metadata of the trace. Series use the same rules. ' +
      'All other filters of `GET /v1/traces` hold for the trace of the event as it is; that by its name is `trace_name` here. A page by such filters may end early.',
    scopes: ['read'],
    query: MetricEventQuery,
    responses: { 200: { description: 'One page of events.', content: { 'application/json': MetricEventList } } },
    errors: ['full_text_disabled'],
  },
  deleteMetricEvent: {
    method: 'DELETE',
    path: '/v1/metrics/events/:id',
    tag: 'metrics',
    summary: 'Remove a metric event',
    description:
      'Removes a wrong score: from the next request on, no list, series, filter or monitor counts it, and its idempotency key can be used again. To replace it, record another one. Emits `metric.removed`. ' +
      `The content leaves the disk later. Only the key that recorded it, its sessions, and keys with the scope \`manage\` may do so; others get \`insufficient_scope\`. At most ${REMOVED_EVENTS_MAX} events wait until their content has left the disk.`,
    scopes: WRITING_SCOPES,
    pathParameters: parameters({
      id: idParameter(
        'mev',
        'The event. For an event of another project the answer is the same as for one that does not exist.',
      ),
    }),
    audit: { action: 'event.removed', target: 'event', shows: [] },
    responses: { 204: { description: 'The event was removed.', content: {} } },
    errors: ['queue_full', 'disk_full'],
  },
} as const satisfies Record<string, Operation>
