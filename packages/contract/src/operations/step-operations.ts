import { Type } from 'typebox'
import { DEFAULT_LIMITS } from '../limits.ts'
import { AppendResponse, LineResult } from '../schemas/traces/line-result.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { StepPage, StepPlace } from '../schemas/traces/step.ts'
import { StepList, StepsQuery } from '../schemas/traces/step-row.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import { StepBody } from '../schemas/traces/trace-body.ts'
import type { Operation } from './operation.ts'
import { STEP_LINE_EXAMPLES } from './trace-examples.ts'
import { TracePath } from './trace-operations.ts'

const appendContent = { 'application/json': AppendResponse, 'application/x-ndjson': LineResult } as const

export const STEP_OPERATIONS = {
  appendSteps: {
    method: 'POST',
    path: '/v1/traces/:id/steps',
    summary: 'Append steps to a trace',
    description:
      'One step per line; each line is validated separately and gets its own status. A `created` line is durable when its status is sent. ' +
      'If the body is cut off, its complete lines are recorded. Without `parent_step_id` the parent of a step is the step that arrived just before it. ' +
      'With `Accept: application/x-ndjson` the results are streamed, one per line, as the steps become durable.',
    scopes: ['ingest'],
    pathParameters: TracePath,
    headers: Type.Object({
      Accept: Type.Optional(
        Type.String({
          description:
            '`application/x-ndjson`: the answer is 200 and streams one result per line as steps become durable. Otherwise the answer is one JSON object at the end.',
          examples: ['application/json', 'application/x-ndjson'],
        }),
      ),
    }),
    request: {
      kind: 'bytes',
      contentType: 'application/x-ndjson',
      schema: StepBody,
      description: `One step as a JSON object per line, at most ${DEFAULT_LIMITS.lineBytes} bytes per line and ${DEFAULT_LIMITS.ndjsonRequestBytes} bytes in total; blank lines are skipped. The schema describes one line.`,
      examples: STEP_LINE_EXAMPLES,
    },
    responses: {
      200: { description: 'Every line was accepted, or the results are streamed as NDJSON.', content: appendContent },
      207: { description: 'At least one line was refused.', content: { 'application/json': AppendResponse } },
    },
    errors: ['request_timeout', 'payload_too_large', 'unsupported_media_type', 'queue_full', 'disk_full'],
  },
  listSteps: {
    method: 'GET',
    path: '/v1/traces/:id/steps',
    summary: 'Read the steps of a trace in pages',
    description: 'In arrival order. For traces that are too long to read whole.',
    scopes: ['read'],
    pathParameters: TracePath,
    query: ListQuery,
    responses: { 200: { description: 'One page of steps.', content: { 'application/json': StepPage } } },
  },
  searchSteps: {
    method: 'GET',
    path: '/v1/steps',
    summary: 'List and filter steps',
    description:
      'One page of steps of all traces, newest first by default. Everything committed before the request counts. ' +
      'Paging by cursor returns every step that existed at the start exactly once, even while steps are written; by another key than `created_at`, a step whose key changes meanwhile may be left out or returned again. ' +
      'A page of long steps ends early.',
    scopes: ['read'],
    query: StepsQuery,
    responses: { 200: { description: 'One page of steps.', content: { 'application/json': StepList } } },
    errors: ['cursor_expired', 'full_text_disabled'],
  },
  findStep: {
    method: 'GET',
    path: '/v1/steps/:id',
    summary: 'Find the trace of a step',
    description:
      'For a step of which only the id is known, for example from a log. If several traces have a step with this id, because their clients chose it, the newest of them.',
    scopes: ['read'],
    pathParameters: parameters({ id: idParameter('st', 'The step.') }),
    responses: { 200: { description: 'Where the step is.', content: { 'application/json': StepPlace } } },
  },
} as const satisfies Record<string, Operation>
