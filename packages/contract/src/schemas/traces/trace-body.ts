import { Type, type Static } from 'typebox'
import { closed, flagOf, listOf, parameters, textOf } from '../primitives.ts'
import { DEFAULT_LIMITS, NAME_LENGTH, SLUG_LENGTH } from '../../limits.ts'

/**
 * A trace and a step as a client may send them. Traces, steps, token usage and errors are closed: an unknown field is
 * refused by name. Messages and content parts are open: all other fields are stored and returned byte for byte.
 *
 * The service also checks what a schema cannot express: limits on metadata keys, times that are not on the calendar,
 * the order of the two times, duplicate fields, ids and keys that two steps of one body share, and text that is not
 * valid Unicode.
 *
 * `title` describes the `pattern` of a field in words; error messages quote it.
 */

/** Case-sensitive: `RAG` and `rag` are two run types. */
const SLUG = '^[A-Za-z0-9][A-Za-z0-9_.-]*$'
const SLUG_TITLE = 'slug: ASCII letters, digits, `_`, `.` and `-`, beginning with a letter or digit'
const STEP_ID_TITLE = 'step id: `st_` and 26 lower-case base32 characters'
const TIMESTAMP_TITLE = 'RFC 3339 time with `Z` or an offset, in the years 1970 to 9999'
const STEP_ID = '^st_[0-7][0-9a-hjkmnp-tv-z]{25}$'
/** Times in bodies: RFC 3339, years 1970 to 9999, any number of fraction digits, `Z` or an offset. */
export const TIMESTAMP_PATTERN =
  '^(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$'

const shortText = (description: string) => Type.String({ minLength: 1, maxLength: NAME_LENGTH, description })
const slug = (description: string) =>
  Type.String({ title: SLUG_TITLE, minLength: 1, maxLength: SLUG_LENGTH, pattern: SLUG, description })
const timestamp = (description: string) =>
  Type.String({
    title: TIMESTAMP_TITLE,
    pattern: TIMESTAMP_PATTERN,
    description: `${description} ISO 8601 (RFC 3339) with \`Z\` or an offset; stored to the millisecond.`,
    examples: ['2026-01-31T12:00:00.000Z'],
  })
const tokenCount = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const status = (description: string) => Type.Enum(['ok', 'error'], { description })
const metadata = (of: string, bound = '') =>
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: `Free-form key/value pairs of the ${of}: at most ${DEFAULT_LIMITS.metadataKeys} keys of at most ${DEFAULT_LIMITS.metadataKeyLength} characters${bound}. Stored losslessly.`,
      examples: [{ env: 'prod', attempt: 1 }],
    },
  )

const ContentPart = Type.Object(
  {
    type: textOf('The type of the part, for example `text`. Other types are stored verbatim.'),
    text: Type.Optional(textOf('The text of a `text` part.')),
  },
  { additionalProperties: true, description: 'One part of a message. Further fields are stored verbatim.' },
)

export const MessageBody = Type.Object(
  {
    role: textOf('The role, for example `user`, `assistant`, `system` or `tool`.'),
    content: Type.Optional(listOf(ContentPart, 'The parts of the message, in order.')),
  },
  { additionalProperties: true, description: 'One message. Further fields are stored verbatim.' },
)

const TokenUsageBody = closed('Tokens that the step used.', {
  input: Type.Optional(tokenCount('Tokens read by the model, including cached ones. Default: 0.')),
  output: Type.Optional(tokenCount('Tokens written by the model. Default: 0.')),
  cache_read: Type.Optional(tokenCount('Input tokens that were read from a cache.')),
  cache_write: Type.Optional(tokenCount('Input tokens that were written to a cache.')),
  reasoning: Type.Optional(tokenCount('Output tokens used for reasoning.')),
  cache_write_1h: Type.Optional(tokenCount('Tokens of `cache_write` that the cache keeps for an hour.')),
  input_audio: Type.Optional(tokenCount('Input tokens that are audio.')),
  output_audio: Type.Optional(tokenCount('Output tokens that are audio.')),
  input_image: Type.Optional(tokenCount('Input tokens that are images.')),
  output_image: Type.Optional(tokenCount('Output tokens that are images.')),
  batch: Type.Optional(flagOf('The call was made in a batch, at the price for that.')),
  cost_usd: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000_000, description: 'What it cost, US dollars. It wins over prices.' }),
  ),
})

const StepErrorBody = closed('What went wrong in the step. It does not set `status`.', {
  type: Type.Optional(textOf('The class of the error, for example `TimeoutError`.')),
  message: Type.Optional(textOf('What went wrong, in words.')),
  stack: Type.Optional(textOf('Where it went wrong: the stack of the error.')),
})

const AttachmentBody = parameters({
  uri: Type.String({ minLength: 1, description: 'The `uri` from the answer to the upload of the media.' }),
})

export const StepBody = closed('One step of a trace.', {
  id: Type.Optional(
    Type.String({
      title: STEP_ID_TITLE,
      pattern: STEP_ID,
      description:
        'A step id chosen by the client (`st_` and a UUIDv7 in base32), so that steps of one request can name each other as parents.',
    }),
  ),
  name: shortText('Name of the step.'),
  type: Type.Optional(
    slug(
      'The kind of step: `llm`, `retrieval`, `tool`, `agent`, `chain`, `embedding`, `rerank`, `guardrail`, `evaluator`, `other` (the default) or any other slug.',
    ),
  ),
  model: Type.Optional(shortText('The identifier of the model, for `llm` steps. Traces can be filtered by it.')),
  messages: Type.Optional(listOf(MessageBody, 'Input and output messages of the step, in order.')),
  token_usage: Type.Optional(TokenUsageBody),
  metadata: Type.Optional(metadata('step')),
  idempotency_key: Type.Optional(
    shortText(
      'Makes a retry safe: the same key in the same trace counts once. Scoped to the trace, and known for at least `idempotency_seconds` of `GET /v1/settings`.',
    ),
  ),
  parent_step_id: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      title: STEP_ID_TITLE,
      pattern: STEP_ID,
      description:
        'The parent step; null if the step has none. If omitted, the parent is the step that arrived just before, and is marked as inferred.',
    }),
  ),
  status: Type.Optional(status('How the step ended. A failed step makes a trace fail that has no status of its own.')),
  error: Type.Optional(StepErrorBody),
  started_at: Type.Optional(timestamp('When the step began.')),
  ended_at: Type.Optional(timestamp('When the step ended; not before it began.')),
  attachments: Type.Optional(listOf(AttachmentBody, 'Media of the project to link to the step.')),
})

export const TraceBody = closed('A trace with its initial steps.', {
  name: shortText('Name of the trace.'),
  run_type: Type.Optional(
    slug('The run type: `agent` (the default), `workflow`, `chat`, `task`, `eval` or any other slug.'),
  ),
  metadata: Type.Optional(
    metadata('trace; filterable by `meta_key` and `meta_value`', `, ${DEFAULT_LIMITS.metadataBytes} bytes in all`),
  ),
  steps: Type.Optional(listOf(StepBody, 'Initial steps, in order.')),
  status: Type.Optional(status('How the run ended. Without it, the trace has failed if any step failed.')),
  started_at: Type.Optional(timestamp('When the run began.')),
  ended_at: Type.Optional(timestamp('When the run ended; not before it began.')),
  session_id: Type.Optional(shortText('The session or conversation of the run.')),
  user_id: Type.Optional(shortText('The end user of the run.')),
})

export type MessageBody = Static<typeof MessageBody>
export type StepBody = Static<typeof StepBody>
export type TraceBody = Static<typeof TraceBody>
