/**
 * Every `code` that an answer can have, in one place. `status` is the HTTP status of a whole request that fails with
 * it; `null` marks a code that only names one field of a `validation_failed` answer or one line of a batch.
 */
export const ERRORS = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_encoding: { status: 400, title: 'The body is not valid UTF-8' },
  invalid_position: { status: 400, title: 'Last-Event-ID is not a position of this stream' },
  bad_request: { status: 400, title: 'The request could not be read' },
  unauthorized: { status: 401, title: 'A valid API key is required' },
  insufficient_scope: { status: 403, title: 'The API key lacks a required scope' },
  foreign_origin: { status: 403, title: 'The request does not come from a page of this service' },
  browser_refused: { status: 403, title: 'This is for trusted backends, never for browsers' },
  upload_url_invalid: { status: 403, title: 'The upload URL was not made by this service' },
  upload_url_expired: { status: 403, title: 'The upload URL has expired' },
  upload_url_used: { status: 403, title: 'The upload URL has been used' },
  not_found: { status: 404, title: 'The resource does not exist' },
  not_acceptable: { status: 406, title: 'The Accept header excludes every content type of the answer' },
  method_not_allowed: { status: 405, title: 'The path does not support this method' },
  request_timeout: { status: 408, title: 'The request body stopped arriving' },
  idempotency_conflict: { status: 409, title: 'The idempotency key was used with different content' },
  trace_id_taken: { status: 409, title: 'The trace id is in use' },
  metric_conflict: { status: 409, title: 'A metric with this name has another definition' },
  view_conflict: { status: 409, title: 'Another view or dashboard has this name' },
  webhook_disabled: { status: 409, title: 'The webhook is disabled; enable it first' },
  upload_in_progress: { status: 409, title: 'Another upload to the URL is under way' },
  payload_too_large: { status: 413, title: 'The body is larger than allowed' },
  unsupported_media_type: { status: 415, title: 'The content type or encoding is not supported here' },
  range_not_satisfiable: { status: 416, title: 'The range is outside the artifact' },
  misdirected_request: { status: 421, title: 'The service does not serve this host name' },
  validation_failed: { status: 422, title: 'The request is well-formed but not valid' },
  upload_mismatch: { status: 422, title: 'The bytes do not match the upload URL' },
  undefined_metric: { status: 422, title: 'The project has no metric with this name' },
  unknown_trace: { status: 422, title: 'The project has no such trace' },
  unknown_step: { status: 422, title: 'The trace has no such step' },
  wrong_metric_kind: { status: 422, title: 'The value does not match the kind of the metric' },
  value_out_of_range: { status: 422, title: 'The value is outside the range of the metric' },
  unknown_option: { status: 422, title: 'The metric has no such option' },
  malformed_multipart: { status: 400, title: 'The body is not a well-formed multipart form' },
  invalid_cursor: { status: 422, title: 'The cursor does not belong to this list' },
  cursor_expired: { status: 422, title: 'The cursor has expired; start the list again' },
  full_text_disabled: { status: 422, title: 'Full-text search is disabled on this service' },
  rate_limited: { status: 429, title: 'The API key has sent more than its limit; send less a second' },
  head_too_large: { status: 431, title: 'The head of the request is larger than allowed' },
  internal_error: { status: 500, title: 'The service failed to handle the request' },
  too_many_connections: { status: 503, title: 'Too many connections are open; close some' },
  too_many_reads: { status: 503, title: 'Too many reads of this project are queued; send fewer at a time' },
  queue_full: { status: 503, title: 'The service has no room for more requests; try again' },
  disk_full: { status: 503, title: 'The disk of the service is full; new data is refused until there is space' },
  storage_unavailable: { status: 503, title: 'The store is unavailable; try again' },
  storage_damaged: { status: 503, title: 'Data that the answer needs is damaged on the disk of the service' },
  starting: { status: 503, title: 'The service is starting; try again' },
  shutting_down: { status: 503, title: 'The service is stopping; try again' },
  // For one field or one line:
  required: { status: null, title: 'The field is required' },
  unknown_field: { status: null, title: 'There is no such field' },
  duplicate_field: { status: null, title: 'The field occurs more than once' },
  wrong_type: { status: null, title: 'The value has the wrong type' },
  invalid_value: { status: null, title: 'The value is not allowed' },
  invalid_format: { status: null, title: 'The value has the wrong format' },
  out_of_range: { status: null, title: 'The number is out of range' },
  too_long: { status: null, title: 'The value is too long' },
  too_short: { status: null, title: 'The value is too short' },
  too_deep: { status: null, title: 'The JSON is nested too deeply' },
  too_many: { status: null, title: 'There are too many entries' },
  address_refused: { status: null, title: 'The service does not deliver to this address' },
  duplicate_id: { status: null, title: 'Two steps of the body have the same id or idempotency key' },
  step_id_conflict: { status: null, title: 'The trace has a step with this id and different content' },
  attachment_not_found: { status: null, title: 'The project has no media with this uri' },
  line_too_large: { status: null, title: 'The line is longer than allowed' },
  request_too_large: { status: null, title: 'The request is longer than allowed; later lines were not read' },
  too_many_lines: { status: null, title: 'One JSON answer cannot hold more lines; later lines were not read' },
} as const satisfies Record<string, { status: number | null; title: string }>

export type ErrorCode = keyof typeof ERRORS

/**
 * One error in a request. `pointer` is a JSON pointer into the body, `?name` for a query parameter, or a header's name.
 */
export interface FieldError {
  readonly pointer: string
  readonly code: ErrorCode
  readonly detail: string
}

type StatusOf<C extends ErrorCode> = (typeof ERRORS)[C]['status']

/** The codes of a whole request that fails. */
export type RequestErrorCode = { [C in ErrorCode]: StatusOf<C> extends number ? C : never }[ErrorCode]

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]
export const REQUEST_ERROR_CODES = ERROR_CODES.filter((code): code is RequestErrorCode => ERRORS[code].status !== null)
