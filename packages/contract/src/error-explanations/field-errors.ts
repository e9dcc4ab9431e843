import type { ErrorCode, RequestErrorCode } from '../errors.ts'
import { LIMITS, WEBHOOK_SECRET_LENGTH } from '../limits.ts'
import type { Explanation } from './explanation.ts'

/** Codes for one field of a `validation_failed` answer, or for one line of a batch. */
export const FIELD_ERRORS: Readonly<Record<Exclude<ErrorCode, RequestErrorCode>, Explanation>> = {
  required: {
    meaning: 'A required field or parameter is missing.',
    remedy: 'Add it. `pointer` names it.',
  },
  unknown_field: {
    meaning: 'There is no field or query parameter with this name. A misspelt name is never silently ignored.',
    remedy: 'Correct or remove it. `detail` suggests the nearest known name. Put your own data into `metadata`.',
  },
  duplicate_field: {
    meaning: 'An object has the same field twice, or a query parameter that is not a list occurs twice.',
    remedy: 'Send it once.',
  },
  wrong_type: {
    meaning: 'The value does not have the JSON type of the field.',
    remedy: 'Send the type that `detail` names, for example a number without quotes.',
  },
  invalid_value: {
    meaning: 'The value has the right type but is not allowed here.',
    remedy: 'Send a value that `detail` lists.',
  },
  invalid_format: {
    meaning: 'The text does not have the format of the field, for example a time, an id or a slug.',
    remedy: 'Write it in the format that `detail` names.',
  },
  out_of_range: {
    meaning: 'The number is too small or too large, or a time is before another time that it must follow.',
    remedy: 'Stay within the bounds that `detail` names.',
  },
  too_long: {
    meaning: 'The text or the whole field is longer than its limit.',
    remedy: 'Shorten it. Put large content into messages or media.',
  },
  too_short: {
    meaning: `The text or list has too few characters or entries. A \`secret\` needs at least ${WEBHOOK_SECRET_LENGTH.least} characters.`,
    remedy: 'Send at least the number that `detail` names.',
  },
  too_deep: {
    meaning: `The JSON is nested more deeply than the limit, ${LIMITS.jsonDepth.default} levels by default.`,
    remedy: 'Flatten it, or send the inner part as text.',
  },
  too_many: {
    meaning: 'There are more entries, or more resources of this kind in the project, than the limit allows.',
    remedy: 'Send fewer, or remove some that exist. An operator can raise most limits.',
  },
  address_refused: {
    meaning: 'The URL leads to a private, loopback or otherwise reserved address. The service sends nothing there.',
    remedy: 'Use a public address. For a receiver in your own network, the operator must allow its address.',
  },
  duplicate_id: {
    meaning: 'Two steps of one body have the same `id` or the same `idempotency_key`.',
    remedy: 'Give each step its own value.',
  },
  step_id_conflict: {
    meaning: 'The trace has a step with this `id` and different content. Steps never change once they are written.',
    remedy: 'Use a new id for a new step; send the same content for a retry.',
  },
  attachment_not_found: {
    meaning: 'The project has no media with this uri.',
    remedy: 'Upload the media first and use the `uri` of the answer.',
  },
  line_too_large: {
    meaning: 'The line is larger than the limit. The other lines are not affected.',
    remedy: 'Split the step, or upload its large content as media.',
  },
  request_too_large: {
    meaning: 'The request has reached its size limit. This line and all later lines were not read.',
    remedy: 'Send this line and all later ones in another request.',
  },
  too_many_lines: {
    meaning: 'A JSON answer cannot hold the results of more lines. This line and all later lines were not read.',
    remedy: 'Send the rest in another request, or get the results as lines with `Accept: application/x-ndjson`.',
  },
}
