import { Type } from 'typebox'
import { DEFAULT_LIMITS } from '../limits.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { MetricBatchResponse, MetricLineResult } from '../schemas/metrics/metric-batch.ts'
import { MetricEventBody } from '../schemas/metrics/metric-event-body.ts'
import { MetricEventQuery } from '../schemas/metrics/metric-event-query.ts'
import { MetricEvent, MetricEventList } from '../schemas/metrics/metric-event.ts'
import { Metric, MetricCreate, MetricList, MetricPatch } from '../schemas/metrics/metric.ts'
import {
  METRIC_EVENT_EXAMPLES,
  METRIC_EXAMPLES,
  METRIC_LINE_EXAMPLES,
  METRIC_PATCH_EXAMPLES,
} from './metric-examples.ts'
import { JSON_BODY_ERRORS, LIST_ERRORS, type Operation } from './operation.ts'

export const MetricPath = Type.Object(
  {
    name: Type.String({
      description:
        'The name of the metric, percent-encoded. One of another project is answered like one that does not exist.',
    }),
  },
  { additionalProperties: false },
)

export const METRIC_OPERATIONS = {
  defineMetric: {
    method: 'POST',
    path: '/v1/metrics',
    tag: 'metrics',
    summary: 'Define a metric',
    description: `The same definition again answers with the same metric. At most ${DEFAULT_LIMITS.metricsPerProject} in a project.`,
    scopes: ['manage'],
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: MetricCreate,
      description: 'Its name, its kind and what that kind needs. A field of another kind is refused by name.',
      examples: METRIC_EXAMPLES,
    },
    responses: {
      200: { description: 'It was defined so already.', content: { 'application/json': Metric } },
      201: { description: 'It is defined.', content: { 'application/json': Metric } },
    },
    errors: [...JSON_BODY_ERRORS, 'metric_conflict', 'disk_full'],
  },
  listMetrics: {
    method: 'GET',
    path: '/v1/metrics',
    tag: 'metrics',
    summary: 'List the metrics of the project',
    description: 'Oldest first.',
    scopes: ['read'],
    query: ListQuery,
    responses: { 200: { description: 'One page of metrics.', content: { 'application/json': MetricList } } },
    errors: LIST_ERRORS,
  },
  getMetric: {
    method: 'GET',
    path: '/v1/metrics/:name',
    tag: 'metrics',
    summary: 'Read the definition of a metric',
    description: 'By its name.',
    scopes: ['read'],
    pathParameters: MetricPath,
    responses: { 200: { description: 'The metric.', content: { 'application/json': Metric } } },
    errors: ['not_found'],
  },
  patchMetric: {
    method: 'PATCH',
    path: '/v1/metrics/:name',
    tag: 'metrics',
    summary: 'Change a metric',
    description:
      'What events already said stays valid: a range can be widened, options can be added and relabelled. Name and kind never change. The next request sees it.',
    scopes: ['manage'],
    pathParameters: MetricPath,
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: MetricPatch,
      description: 'At least one field.',
      examples: METRIC_PATCH_EXAMPLES,
    },
    responses: { 200: { description: 'The metric after the change.', content: { 'application/json': Metric } } },
    errors: [...JSON_BODY_ERRORS, 'not_found', 'disk_full'],
  },
  recordMetricEvents: {
    method: 'POST',
    path: '/v1/metrics/events',
    tag: 'metrics',
    summary: 'Record metric events',
    description:
      'One event as a JSON object, or a batch as a JSON array or as NDJSON. In a batch each event is judged by itself and gets its own status; `line` counts elements or physical lines. ' +
      'What is answered as created is durable and readable. With `Accept: application/x-ndjson` the verdicts of a batch are streamed, one a line. ' +
      'An NDJSON body cut off in the middle keeps its complete lines. Emits `metric.event` for each.',
    scopes: ['ingest'],
    headers: Type.Object({
      Accept: Type.Optional(
        Type.String({
          description:
            '`application/x-ndjson` answers a batch with 200 and streams the verdicts one a line as they become durable; else one JSON object at the end.',
          examples: ['application/json', 'application/x-ndjson'],
        }),
      ),
    }),
    request: {
      kind: 'bytes',
      contentType: 'application/json',
      schema: Type.Union([MetricEventBody, Type.Array(MetricEventBody)]),
      description:
        `An event, or an array of at most ${DEFAULT_LIMITS.linesPerJsonResponse} of them; at most ${DEFAULT_LIMITS.metricEventBytes} bytes an event and ${DEFAULT_LIMITS.metricBatchBytes} bytes in all. ` +
        `As NDJSON at most ${DEFAULT_LIMITS.ndjsonRequestBytes} bytes in all; blank lines are skipped; the schema describes one line.`,
      examples: METRIC_EVENT_EXAMPLES,
      alternatives: [{ contentType: 'application/x-ndjson', schema: MetricEventBody, examples: METRIC_LINE_EXAMPLES }],
    },
    responses: {
      200: {
        description:
          'Of one event: it had been recorded by an earlier request with its idempotency key. Of a batch: every event passed; or the verdicts are streamed as NDJSON.',
        content: {
          'application/json': Type.Union([MetricEvent, MetricBatchResponse]),
          'application/x-ndjson': MetricLineResult,
        },
        headers: {
          'Idempotency-Replayed': {
            description:
              '`true` when one event was sent and an earlier request had already recorded it; absent otherwise.',
            schema: Type.Literal('true'),
          },
        },
      },
      201: { description: 'One event was sent, and it is recorded.', content: { 'application/json': MetricEvent } },
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
    tag: 'metrics',
    summary: 'List and filter metric events',
    description:
      'Newest judgement (`at`) first. A walk by cursor sees every event that existed when it began exactly once, while writes go on. A name or id that does not exist matches nothing. `run_type`, `model` and `meta_key` go by what a series goes by: the trace as it was when the event came, and the metadata of the event, for keys that it lacks of its trace.',
    scopes: ['read'],
    query: MetricEventQuery,
    responses: { 200: { description: 'One page of events.', content: { 'application/json': MetricEventList } } },
    errors: LIST_ERRORS,
  },
} as const satisfies Record<string, Operation>
