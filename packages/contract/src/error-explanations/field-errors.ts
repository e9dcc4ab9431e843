import type { ErrorCode, RequestErrorCode } from '../errors.ts'
import { LIMITS, WEBHOOK_SECRET_LENGTH } from '../limits.ts'
import type { Explanation } from './explanation.ts'

/** Codes of one field of a `validation_failed` answer, or of one line of a batch. */
export const FIELD_ERRORS: Readonly<Record<Exclude<ErrorCode, RequestErrorCode>, Explanation>> = {
  required: {
    meaning: 'A field or parameter that must be given is missing.',
    remedy: 'Add it. `pointer` names it.',
  },
  unknown_field: {
    meaning: 'There is no field or query parameter of this name. A misspelt name is never silently ignored.',
    remedy: 'Correct or remove it. `detail` suggests the nearest known name. Own data belongs into `metadata`.',
  },
  duplicate_field: {
    meaning: 'An object has the same field twice, or a parameter that is not a list is given twice.',
    remedy: 'Send it once.',
  },
  wrong_type: {
    meaning: 'The value has another JSON type than the field.',
    remedy: 'Send the type that `detail` names, for example a number without quotes.',
  },
  invalid_value: {
    meaning: 'The value has the right type and is not allowed here.',
    remedy: 'Choose a value that `detail` names.',
  },
  invalid_format: {
    meaning: 'The text does not have the form of the field: a time, an id, a slug.',
    remedy: 'Write it in the form that `detail` names.',
  },
  out_of_range: {
    meaning: 'The number is too small or too large, or a time lies before one that it must follow.',
    remedy: 'Stay within the bounds that `detail` names.',
  },
  too_long: {
    meaning: 'The text, or the whole of the field, is longer than its limit.',
    remedy: 'Shorten it. Large content belongs into messages or media.',
  },
  too_short: {
    meaning: `The text or list has fewer characters or entries than it needs. A \`secret\` has at least ${WEBHOOK_SECRET_LENGTH.least} characters.`,
    remedy: 'Send at least as many as `detail` names.',
  },
  too_deep: {
    meaning: `The JSON is nested deeper than the limit, ${LIMITS.jsonDepth.default} levels by default.`,
    remedy: 'Flatten it, or send the inner part as text.',
  },
  too_many: {
    meaning: 'There are more entries, or more things of this kind in the project, than the limit.',
    remedy: 'Send fewer, or remove some that exist. An operator can raise most limits.',
  },
  address_refused: {
    meaning: 'The URL leads to a private, loopback or otherwise reserved address, to which the service sends nothing.',
    remedy: 'Use a public address. For a receiver in the own network the operator allows its addresses.',
  },
  duplicate_id: {
    meaning: 'Two steps of one body have the same `id` or the same `idempotency_key`.',
    remedy: 'Give each step its own.',
  },
  step_id_conflict: {
    meaning: 'The trace has a step with this `id` and other content. Steps do not change once they are written.',
    remedy: 'Use a new id for a new step; for a retry send the same content.',
  },
  attachment_not_found: {
    meaning: 'The project has no media with this uri.',
    remedy: 'Upload the media first, and use the `uri` of that answer.',
  },
  line_too_large: {
    meaning: 'The line has more bytes than one line may have. The other lines are not affected.',
    remedy: 'Split the step, or upload its large content as media.',
  },
  request_too_large: {
    meaning: 'The request has reached its limit of bytes. This line and all after it were not read.',
    remedy: 'Send the lines from this one on in another request.',
  },
  too_many_lines: {
    meaning: 'A JSON answer holds the results of so many lines and no more. This line and all after it were not read.',
    remedy: 'Send the rest in another request, or ask for results as lines with `Accept: application/x-ndjson`.',
  },
}
