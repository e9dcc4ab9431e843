/**
 * Every `code` a client can meet, in one place. `status` is the HTTP status of a whole request that fails with it;
 * `null` marks a code that only names one field of a `validation_failed` answer or one line of a batch.
 */
export const ERRORS = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_encoding: { status: 400, title: 'The body is not valid UTF-8' },
  invalid_position: { status: 400, title: 'Last-Event-ID is not a position of this stream' },
  bad_request: { status: 400, title: 'The request could not be read' },
  unauthorized: { status: 401, title: 'A valid API key is needed' },
  insufficient_scope: { status: 403, title: 'The API key lacks the scope for this' },
  foreign_origin: { status: 403, title: 'The request does not come from a page of this service' },
  browser_refused: { status: 403, title: 'This is for trusted backends, never for browsers' },
  upload_url_invalid: { status: 403, title: 'The upload URL was not made by this service' },
  upload_url_expired: { status: 403, title: 'The upload URL has expired' },
  upload_url_used: { status: 403, title: 'The upload URL has been used' },
  not_found: { status: 404, title: 'There is no such thing here' },
  not_acceptable: { status: 406, title: 'The Accept header excludes every type of the answer' },
  method_not_allowed: { status: 405, title: 'This path does not take that method' },
  request_timeout: { status: 408, title: 'The request body stopped arriving' },
  idempotency_conflict: { status: 409, title: 'The idempotency key was used with other content' },
  metric_conflict: { status: 409, title: 'There is a metric of this name with another definition' },
  webhook_disabled: { status: 409, title: 'The webhook is disabled; enable it first' },
  upload_in_progress: { status: 409, title: 'Another upload to the URL is under way' },
  payload_too_large: { status: 413, title: 'The body is larger than allowed' },
  unsupported_media_type: { status: 415, title: 'The content type or encoding is not taken here' },
  range_not_satisfiable: { status: 416, title: 'The range lies outside the artifact' },
  misdirected_request: { status: 421, title: 'The service does not answer for this host name' },
  validation_failed: { status: 422, title: 'The request is well-formed but not valid' },
  upload_mismatch: { status: 422, title: 'The bytes are not those that the upload URL was made for' },
  undefined_metric: { status: 422, title: 'The project has no metric of this name' },
  unknown_trace: { status: 422, title: 'The project has no such trace' },
  unknown_step: { status: 422, title: 'The trace has no such step' },
  wrong_metric_kind: { status: 422, title: 'The judgement is not of the kind that the metric measures' },
  value_out_of_range: { status: 422, title: 'The value lies outside the range of the metric' },
  unknown_option: { status: 422, title: 'The metric has no such option' },
  malformed_multipart: { status: 400, title: 'The body is not a well-formed multipart form' },
  invalid_cursor: { status: 422, title: 'The cursor does not belong to this list' },
  cursor_expired: { status: 422, title: 'The cursor is too old; start the list again' },
  full_text_disabled: { status: 422, title: 'Full-text search is switched off on this service' },
  head_too_large: { status: 431, title: 'The head of the request is larger than allowed' },
  internal_error: { status: 500, title: 'Something went wrong inside the service' },
  too_many_connections: { status: 503, title: 'Too many connections are open; close some' },
  too_many_reads: { status: 503, title: 'Too many reads of this project are waiting; send fewer at a time' },
  queue_full: { status: 503, title: 'The service is taking in as much as it can; try again' },
  disk_full: { status: 503, title: 'The disk of the service is full; nothing new is taken until there is space' },
  storage_unavailable: { status: 503, title: 'The store cannot be reached; try again' },
  storage_damaged: { status: 503, title: 'Part of what this needs is damaged on the disk of the service' },
  starting: { status: 503, title: 'The service is starting; try again' },
  shutting_down: { status: 503, title: 'The service is stopping; try again' },
  // Of one field or one line:
  required: { status: null, title: 'The field is required' },
  unknown_field: { status: null, title: 'There is no such field' },
  duplicate_field: { status: null, title: 'The field is given more than once' },
  wrong_type: { status: null, title: 'The value has the wrong type' },
  invalid_value: { status: null, title: 'The value is not allowed' },
  invalid_format: { status: null, title: 'The value has the wrong format' },
  out_of_range: { status: null, title: 'The number is out of range' },
  too_long: { status: null, title: 'The value is too long' },
  too_short: { status: null, title: 'The value is too short' },
  too_deep: { status: null, title: 'The JSON is nested too deeply' },
  too_many: { status: null, title: 'There are too many of these' },
  address_refused: { status: null, title: 'The service delivers nothing to this address' },
  duplicate_id: { status: null, title: 'Two steps of the body have the same id or idempotency key' },
  step_id_conflict: { status: null, title: 'The trace has a step with this id and other content' },
  attachment_not_found: { status: null, title: 'There is no such media in the project' },
  line_too_large: { status: null, title: 'The line is longer than allowed' },
  request_too_large: { status: null, title: 'The request is longer than allowed; later lines were not read' },
  too_many_lines: { status: null, title: 'Too many lines for one JSON answer; later lines were not read' },
} as const satisfies Record<string, { status: number | null; title: string }>

export type ErrorCode = keyof typeof ERRORS

/** One thing wrong with a request. `pointer` is a JSON pointer into the body, or `?name` for a query parameter. */
export interface FieldError {
  readonly pointer: string
  readonly code: ErrorCode
  readonly detail: string
}

type StatusOf<C extends ErrorCode> = (typeof ERRORS)[C]['status']

/** The codes with which a whole request can fail. */
export type RequestErrorCode = { [C in ErrorCode]: StatusOf<C> extends number ? C : never }[ErrorCode]

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]
export const REQUEST_ERROR_CODES = ERROR_CODES.filter((code): code is RequestErrorCode => ERRORS[code].status !== null)
