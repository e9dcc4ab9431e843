import type { RequestErrorCode } from '../errors.ts'
import type { Explanation } from './explanation.ts'

export const REQUEST_ERRORS: Readonly<Record<RequestErrorCode, Explanation>> = {
  malformed_json: {
    meaning: 'The body or the line is not well-formed JSON. `detail` names the line and column of the error.',
    remedy: 'Write the body with a JSON library. A retry with the same body fails again.',
  },
  invalid_encoding: {
    meaning: 'The body holds bytes that are not UTF-8.',
    remedy: 'Encode the body as UTF-8 before sending it.',
  },
  invalid_position: {
    meaning: '`Last-Event-ID` is not a number that a tail has sent as `id`.',
    remedy: 'Send the last `id` unchanged, or omit the header to receive only traces committed from now on.',
  },
  bad_request: {
    meaning: 'The request line or a header violates HTTP or contradicts another one. `detail` names the problem.',
    remedy: 'Correct the request as `detail` says.',
  },
  malformed_multipart: {
    meaning: 'The body is not a well-formed `multipart/form-data` form.',
    remedy: 'Let the HTTP client build the form and its `Content-Type` with the boundary.',
  },
  unauthorized: {
    meaning:
      'The API key is missing, wrong, expired or revoked, or the session has ended. The answer does not say which.',
    remedy: 'Send a valid key in `x-api-key` or `Authorization: Bearer`, or sign in again.',
  },
  insufficient_scope: {
    meaning:
      'The key is valid but has none of the scopes that this operation needs, or that a view of another key needs.',
    remedy:
      'Use a key with one of the scopes that `detail` names. The scopes of a key never change: create another key.',
  },
  foreign_origin: {
    meaning:
      'A request that changes something and has a session cookie needs an `Origin` header that names this service.',
    remedy: 'In a script, use an API key. Behind a proxy, forward the `Host` header unchanged.',
  },
  browser_refused: {
    meaning: 'Signed upload URLs are for backends, but the request has an `Origin` header or a cookie.',
    remedy: 'Request the URL from a backend, without cookies.',
  },
  upload_url_invalid: {
    meaning: 'The upload URL was changed, or this service did not create it.',
    remedy: 'Request a new URL and use it unchanged.',
  },
  upload_url_expired: {
    meaning: 'The upload URL was created more than five minutes ago.',
    remedy: 'Request a new URL.',
  },
  upload_url_used: {
    meaning: 'An upload to this URL has succeeded. Each URL accepts one upload.',
    remedy: 'The artifact is stored. For another one, request a new URL.',
  },
  not_found: {
    meaning:
      'The path does not exist, or the resource does not exist in the project of the key. Resources of other projects get the same answer.',
    remedy: 'Check the id, and that the key belongs to its project.',
  },
  method_not_allowed: {
    meaning: 'The path exists but does not support this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    meaning: 'The answer has a content type that the `Accept` header excludes.',
    remedy: 'Add the content type that `detail` names to `Accept`, or omit the header.',
  },
  request_timeout: {
    meaning: 'No part of the body arrived for 30 seconds.',
    remedy: 'Retry. With an idempotency key a retry writes nothing twice.',
  },
  idempotency_conflict: {
    meaning: 'The idempotency key has been used with different content.',
    remedy: 'Send the same content for a retry, or use a new key for new content.',
  },
  trace_id_taken: {
    meaning:
      'An imported trace cannot have its id: the project has a trace with this id and other content, or the id is or was that of another trace of the service.',
    remedy:
      'Keep the trace that is there, delete it and import again once its rows are removed, or import without ids.',
  },
  metric_conflict: {
    meaning: 'The project has a metric with this name and another definition.',
    remedy: 'Use another name, or send the same definition.',
  },
  view_conflict: {
    meaning: 'The project has another saved view, or another dashboard, with this name.',
    remedy: 'Use another name, or change the one that has it.',
  },
  webhook_disabled: {
    meaning: 'The webhook is disabled, so nothing is sent to it.',
    remedy: 'Set `enabled` to true, then repeat the request.',
  },
  upload_in_progress: {
    meaning: 'Another upload to the same URL has not ended yet.',
    remedy: 'Wait until it ends, or request another URL.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the limit that `detail` names.',
    remedy: 'Send less at once: append steps to a trace in several requests. An operator can raise most limits.',
  },
  unsupported_media_type: {
    meaning: 'This operation does not support the `Content-Type`, its charset or the `Content-Encoding`.',
    remedy:
      'Send the content type that `detail` names, in UTF-8, and compress with gzip, deflate or zstd, or not at all.',
  },
  range_not_satisfiable: {
    meaning: 'The requested range begins after the end of the artifact.',
    remedy: 'Request a range within the size that `Content-Range` states.',
  },
  validation_failed: {
    meaning: 'The request is well-formed but its content is not valid. `errors` names each place and its code.',
    remedy: 'Correct the places that `errors` names. Each code has a page like this one.',
  },
  upload_mismatch: {
    meaning: 'Hash, size or type of the bytes differ from those announced for the URL. Nothing was stored.',
    remedy: 'Request a new URL with the hash, size and type of these bytes.',
  },
  undefined_metric: {
    meaning: 'The project has no metric with this name.',
    remedy: 'Define the metric first (`POST /v1/metrics`), or correct the name.',
  },
  unknown_trace: {
    meaning: 'The project has no trace with the id in the body.',
    remedy: 'Commit the trace first, or correct the id.',
  },
  unknown_step: {
    meaning: 'The trace has no step with the id in the body.',
    remedy: 'Append the step first, or correct the id.',
  },
  wrong_metric_kind: {
    meaning:
      'The value does not match the kind of the metric: `passed` is for boolean metrics, `value` for all others.',
    remedy: 'Send the field that matches the kind of the metric.',
  },
  value_out_of_range: {
    meaning: 'The value is below the `min` or above the `max` of the metric.',
    remedy: 'Correct the value, or define another metric with a wider range.',
  },
  unknown_option: {
    meaning: 'The value is not one of the options of the metric.',
    remedy: 'Send the `value` of one of its options.',
  },
  invalid_cursor: {
    meaning: 'The cursor comes from another list, or from this list with other parameters.',
    remedy: 'Pass `next_cursor` unchanged with the same parameters, or start without a cursor.',
  },
  cursor_expired: {
    meaning: 'The first page was read more than an hour ago, and the list is sorted by a value that changes.',
    remedy: 'Start again without a cursor. Cursors of lists sorted by creation time do not expire.',
  },
  full_text_disabled: {
    meaning: 'The operator has disabled full-text search.',
    remedy: 'Omit `q`, or ask the operator to enable full-text search.',
  },
  internal_error: {
    meaning: 'The service has a fault. Its log has the cause under the `request_id`.',
    remedy: 'Retry with an idempotency key. If it happens again, report the `request_id` to the operator.',
  },
  rate_limited: {
    meaning: 'The key has reached its own limit of requests or bytes a second. Nothing of the request was read.',
    remedy: 'Retry after `Retry-After` seconds. Whoever manages the keys of the project can raise the limit.',
  },
  queue_full: {
    meaning: 'The service has no memory for more requests at the moment.',
    remedy: 'Retry after `Retry-After` seconds, and wait longer each time.',
  },
  disk_full: {
    meaning:
      'The disk has too little free space for new data. Nothing of the request was stored. Reads and deletions still work.',
    remedy: 'Retry after `Retry-After` seconds. The operator must free space or delete traces.',
  },
  storage_unavailable: {
    meaning: 'A store could not be read or written in time. `detail` says whether anything of the request was stored.',
    remedy:
      'Retry after `Retry-After` seconds; use an idempotency key for writes. The cause is in the log of the service. ' +
      'If `detail` asks for a shorter time or narrower filters, a retry alone does not help.',
  },
  storage_damaged: {
    meaning: 'Files that this answer needs are damaged on the disk of the service.',
    remedy: 'The log says what is damaged. The operator must restore a backup.',
  },
  starting: {
    meaning: 'The service is opening its stores.',
    remedy: 'Retry after `Retry-After` seconds. `/readyz` answers 200 when it is ready.',
  },
  shutting_down: {
    meaning: 'The service is stopping and accepts no new requests.',
    remedy: 'Retry after `Retry-After` seconds on a new connection.',
  },
  misdirected_request: {
    meaning: 'The operator has listed the host names of this service, and the `Host` header names none of them.',
    remedy: 'Use a listed host name, or ask the operator to add yours to `SPOOR_HOSTS`.',
  },
  head_too_large: {
    meaning: 'The request line and the headers have more than 16 KB together, or there are too many headers.',
    remedy: 'Send fewer or shorter headers and query parameters.',
  },
  too_many_connections: {
    meaning: 'The service has reached its limit of open connections, in total or from your address.',
    remedy:
      'Close unused connections, or retry after `Retry-After` seconds. The operator can raise `SPOOR_MAX_CONNECTIONS`.',
  },
  too_many_reads: {
    meaning: 'The queue for reads of this project is full.',
    remedy: 'Send fewer reads at a time, and wait `Retry-After` seconds before the next one.',
  },
}
