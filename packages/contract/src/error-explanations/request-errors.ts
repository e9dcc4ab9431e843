import type { RequestErrorCode } from '../errors.ts'
import type { Explanation } from './explanation.ts'

/** Codes of a whole request. */
export const REQUEST_ERRORS: Readonly<Record<RequestErrorCode, Explanation>> = {
  malformed_json: {
    meaning: 'The body, or the line, is not well-formed JSON. `detail` says at which line and column.',
    remedy: 'Print the body with a JSON library. It is refused on every retry.',
  },
  invalid_encoding: {
    meaning: 'The body holds bytes that are not UTF-8.',
    remedy: 'Encode the body as UTF-8 before sending it.',
  },
  invalid_position: {
    meaning: '`Last-Event-ID` is not a number that a tail has sent as `id`.',
    remedy: 'Send the last `id` unchanged, or leave the header out to begin with what is committed from now on.',
  },
  bad_request: {
    meaning: 'The head of the request breaks HTTP, or says two things at once. `detail` says which.',
    remedy: 'Change the request as `detail` says.',
  },
  malformed_multipart: {
    meaning: 'The body is not a well-formed `multipart/form-data` form.',
    remedy: 'Let the HTTP client build the form and its `Content-Type` with the boundary.',
  },
  unauthorized: {
    meaning:
      'There is no API key, or it is wrong, expired or revoked; or the session has ended. The answer does not say which.',
    remedy: 'Send a live key in `x-api-key` or `Authorization: Bearer`, or sign in again.',
  },
  insufficient_scope: {
    meaning: 'The key is valid and lacks every scope that opens this operation.',
    remedy: 'Use a key with one of the scopes that `detail` names. Scopes of a key do not change: create another key.',
  },
  foreign_origin: {
    meaning: 'A request with a session cookie that changes something has no `Origin` header of this service.',
    remedy: 'From a script, use an API key. Behind a proxy, pass the `Host` header on unchanged.',
  },
  browser_refused: {
    meaning: 'Signed upload URLs are for backends, and the request has an `Origin` header or a cookie.',
    remedy: 'Ask for the URL from a backend, without cookies.',
  },
  upload_url_invalid: {
    meaning: 'The upload URL was changed, or was not made by this service.',
    remedy: 'Ask for a new URL and use it unchanged.',
  },
  upload_url_expired: {
    meaning: 'The upload URL was made more than five minutes ago.',
    remedy: 'Ask for a new URL.',
  },
  upload_url_used: {
    meaning: 'An upload to this URL has succeeded. Each URL takes one.',
    remedy: 'The artifact is stored. For another one, ask for a new URL.',
  },
  not_found: {
    meaning:
      'The path or the thing it names does not exist in the project of the key. Things of other projects get the same answer.',
    remedy: 'Check the id, and that the key belongs to its project.',
  },
  method_not_allowed: {
    meaning: 'The path exists and does not take this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    meaning: 'The answer has a type that the `Accept` header excludes.',
    remedy: 'Add the type that `detail` names to `Accept`, or leave the header out.',
  },
  request_timeout: {
    meaning: 'The body stopped arriving for 30 seconds.',
    remedy: 'Retry. With an idempotency key a retry writes nothing twice.',
  },
  idempotency_conflict: {
    meaning: 'The idempotency key has been used with other content.',
    remedy: 'Retry with the same content, or use another key for new content.',
  },
  metric_conflict: {
    meaning: 'The project has a metric of this name with another definition.',
    remedy: 'Choose another name, or send the same definition.',
  },
  webhook_disabled: {
    meaning: 'The webhook is disabled, so nothing is sent to it.',
    remedy: 'Set `enabled` to true, then send again.',
  },
  upload_in_progress: {
    meaning: 'Another upload to the same URL has not ended yet.',
    remedy: 'Wait for it to end, or ask for another URL.',
  },
  payload_too_large: {
    meaning: 'The body is larger than the limit that `detail` names.',
    remedy: 'Send less at once: append steps to a trace in several requests. An operator can raise most limits.',
  },
  unsupported_media_type: {
    meaning: 'The `Content-Type`, its charset or the `Content-Encoding` is not taken by this operation.',
    remedy: 'Send the type that `detail` names, in UTF-8 and not compressed.',
  },
  range_not_satisfiable: {
    meaning: 'The requested range begins behind the end of the artifact.',
    remedy: 'Ask for a range within the size that `Content-Range` states.',
  },
  validation_failed: {
    meaning: 'The request is well-formed and its content is not allowed. `errors` names each place with a code.',
    remedy: 'Correct the places in `errors`. Each of their codes has a page like this one.',
  },
  upload_mismatch: {
    meaning: 'Hash, size or type of the bytes differ from those that the URL was made for. Nothing was kept.',
    remedy: 'Ask for a new URL with the values of these bytes.',
  },
  undefined_metric: {
    meaning: 'The project has no metric of this name.',
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
    meaning: 'The value is not of the kind of the metric: `passed` is for boolean metrics, `value` for the others.',
    remedy: 'Send the field that fits the kind of the metric.',
  },
  value_out_of_range: {
    meaning: 'The value is below `min` or above `max` of the metric.',
    remedy: 'Correct the value, or define another metric with a wider range.',
  },
  unknown_option: {
    meaning: 'The value is none of the options of the metric.',
    remedy: 'Send the `value` of one of its options.',
  },
  invalid_cursor: {
    meaning: 'The cursor was not given out by this list, or was given out for other filters.',
    remedy: 'Pass `next_cursor` on unchanged with the same parameters, or begin without a cursor.',
  },
  cursor_expired: {
    meaning: 'The walk began more than an hour ago, and it is sorted by a key that changes.',
    remedy: 'Begin again without a cursor. Walks by creation time do not expire.',
  },
  full_text_disabled: {
    meaning: 'The operator has switched full-text search off.',
    remedy: 'Leave `q` out, or ask the operator to switch it on.',
  },
  internal_error: {
    meaning: 'A fault of the service. The cause is in its log under the `request_id`.',
    remedy: 'Retry with an idempotency key. If it happens again, report the `request_id` to the operator.',
  },
  queue_full: {
    meaning: 'The service holds as many writes as its memory allows.',
    remedy: 'Retry after `Retry-After` seconds, and wait longer each time.',
  },
  disk_full: {
    meaning:
      'Too little of the disk is free to take anything new. Nothing of the request was kept. Reads and deletions go on.',
    remedy: 'Retry after `Retry-After` seconds. The operator frees space, or deletes traces.',
  },
  storage_unavailable: {
    meaning: 'A store could not be read or written in time. `detail` says whether anything of the request was kept.',
    remedy:
      'Retry after `Retry-After` seconds, writes with an idempotency key. The cause is in the log of the service.',
  },
  storage_damaged: {
    meaning: 'Files that this answer needs are damaged on the disk of the service.',
    remedy: 'The operator finds in the log what is damaged, and restores a backup.',
  },
  starting: {
    meaning: 'The service is opening its stores.',
    remedy: 'Retry after `Retry-After` seconds. `/readyz` answers 200 when it is ready.',
  },
  shutting_down: {
    meaning: 'The service is stopping and takes no new requests.',
    remedy: 'Retry after `Retry-After` seconds on a new connection.',
  },
  misdirected_request: {
    meaning: 'The operator has listed the host names of this service, and the `Host` header names another one.',
    remedy: 'Use a listed host name, or have the operator add yours to `SPOOR_HOSTS`.',
  },
  head_too_large: {
    meaning: 'The request line and the headers together are over 16 KB, or there are too many headers.',
    remedy: 'Send fewer or shorter headers and query parameters.',
  },
  too_many_connections: {
    meaning: 'The service has as many connections open as it allows, in all or from your address.',
    remedy:
      'Close connections that you do not use, or wait for `Retry-After`. The operator can raise `SPOOR_MAX_CONNECTIONS`.',
  },
  too_many_reads: {
    meaning: 'More reads of this project are waiting for the store than it may have waiting.',
    remedy: 'Send fewer reads at a time, and wait for `Retry-After` before the next one.',
  },
}
