import { Type } from 'typebox'
import { DEFAULT_LIMITS } from '../limits.ts'
import { AppendResponse, LineResult } from '../schemas/traces/line-result.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { StepPage } from '../schemas/traces/step.ts'
import { StepBody } from '../schemas/traces/trace-body.ts'
import { LIST_ERRORS, type Operation } from './operation.ts'
import { STEP_LINE_EXAMPLES } from './trace-examples.ts'
import { TracePath } from './trace-operations.ts'

const appendContent = { 'application/json': AppendResponse, 'application/x-ndjson': LineResult } as const

export const STEP_OPERATIONS = {
  appendSteps: {
    method: 'POST',
    path: '/v1/traces/:id/steps',
    tag: 'steps',
    summary: 'Append steps to a trace',
    description:
      'One step per line; each line is judged by itself and gets its own status. A `created` line is durable when its status is sent. ' +
      'A body cut off in the middle keeps its complete lines. Without `parent_step_id` a step gets the one that arrived just before it as its parent. ' +
      'With `Accept: application/x-ndjson` the verdicts are streamed, one a line, as the steps become durable.',
    scopes: ['ingest'],
    pathParameters: TracePath,
    headers: Type.Object({
      Accept: Type.Optional(
        Type.String({
          description:
            '`application/x-ndjson` answers 200 and streams the verdicts one a line as they become durable; else one JSON object at the end.',
          examples: ['application/json', 'application/x-ndjson'],
        }),
      ),
    }),
    request: {
      kind: 'bytes',
      contentType: 'application/x-ndjson',
      schema: StepBody,
      description: `One step as a JSON object per line, at most ${DEFAULT_LIMITS.lineBytes} bytes a line and ${DEFAULT_LIMITS.ndjsonRequestBytes} bytes in all; blank lines are skipped. The schema describes one line.`,
      examples: STEP_LINE_EXAMPLES,
    },
    responses: {
      200: { description: 'Every line passed; or the verdicts are streamed as NDJSON.', content: appendContent },
      207: { description: 'At least one line was refused.', content: { 'application/json': AppendResponse } },
    },
    errors: ['not_found', 'request_timeout', 'payload_too_large', 'unsupported_media_type', 'queue_full', 'disk_full'],
  },
  listSteps: {
    method: 'GET',
    path: '/v1/traces/:id/steps',
    tag: 'steps',
    summary: 'Read the steps of a trace by page',
    description: 'In arrival order; for traces too long to read whole.',
    scopes: ['read'],
    pathParameters: TracePath,
    query: ListQuery,
    responses: { 200: { description: 'One page of steps.', content: { 'application/json': StepPage } } },
    errors: ['not_found', ...LIST_ERRORS],
  },
} as const satisfies Record<string, Operation>
