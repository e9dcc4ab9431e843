import { Type, type Static } from 'typebox'
import type { Limits } from '../limits.ts'
import { count } from './primitives.ts'

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** The compiler asks for a row when a limit is added. */
const LIMITS = {
  trace_body_bytes: count('One body of `POST /v1/traces`, bytes.'),
  line_bytes: count('One NDJSON line, bytes without its line end.'),
  ndjson_request_bytes: count('One whole NDJSON request, bytes.'),
  lines_per_json_response: count('Lines of a step append that are answered as one JSON document.'),
  control_body_bytes: count('Any other JSON request body, bytes.'),
  json_depth: count('Nesting of objects and arrays.'),
  metadata_keys: count('Keys of one metadata object.'),
  metadata_bytes: count('The metadata of one trace, bytes as sent.'),
  metadata_key_length: count('Characters of one metadata key.'),
  steps_per_trace_body: count('Steps in one `POST /v1/traces`.'),
  upload_bytes: count('One uploaded artifact, bytes.'),
  attachments_per_trace: count('Uploaded and linked media of one trace and its steps.'),
  metrics_per_project: count('Definitions of metrics in one project.'),
  metric_event_bytes: count('One metric event, bytes as sent.'),
  metric_batch_bytes: count('One JSON body of `POST /v1/metrics/events`, bytes.'),
  monitors_per_project: count('Monitors of one project.'),
  webhooks_per_project: count('Webhooks of one project.'),
  list_limit_default: count('Rows of a list page when `limit` is not given.'),
  list_limit_max: count('Rows of a list page at most.'),
} as const satisfies Readonly<Record<SnakeCase<keyof Limits>, unknown>>

export const Settings = Type.Object(
  {
    version: Type.String({ description: 'The version of the service.' }),
    limits: Type.Object(LIMITS, { additionalProperties: false, description: 'The most that is taken of each.' }),
    retention: Type.Object(
      {
        journal_seconds: count('How far back the tail can be resumed.'),
        delivery_seconds: count('How long finished deliveries of webhooks and their attempts are kept.'),
        session_seconds: count('How long a browser stays signed in.'),
      },
      {
        additionalProperties: false,
        description:
          'How long what ends by itself is kept. Traces, metric events and media stay until they are deleted.',
      },
    ),
    features: Type.Object(
      {
        full_text: Type.Boolean({ description: 'Whether names and message texts can be searched (`q`).' }),
        media_store: Type.Enum(['folder', 'bucket'], { description: 'Where the bytes of media are kept.' }),
        monitor_interval_seconds: count('Within how many seconds monitors tell of a crossing.'),
      },
      { additionalProperties: false, description: 'What the service does.' },
    ),
  },
  { additionalProperties: false, description: 'What is set for all projects of a service.' },
)
export type Settings = Static<typeof Settings>
