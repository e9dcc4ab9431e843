import type { TObject, TSchema } from 'typebox'
import type { AuditRule } from '../audit.ts'
import type { RequestErrorCode } from '../errors.ts'
import type { Scope } from '../scopes.ts'

/** Every group of operations, in the order of the OpenAPI document. */
export const OPERATION_TAGS = {
  traces: 'Record, list, read, mark and follow traces.',
  steps: 'Append steps to a trace and read them in pages.',
  media: 'Upload artifacts and read them through the service.',
  clusters: 'Find groups of similar traces and see how they change.',
  metrics: 'Define metrics, record metric events for traces and steps, and read both over time.',
  views: 'Filters, order and form under a name, and dashboards of them.',
  prices: 'What the tokens of each model cost.',
  monitors: 'Watch metrics and traces, and emit an event when a value crosses its threshold.',
  webhooks: 'Send signed events to a URL, and see every delivery.',
  projects: 'Projects and their API keys.',
  session: 'Sessions for browsers, which cannot send a key with images, videos and streams.',
  service: 'Health, metrics, errors and this document.',
} as const

type OperationTag = keyof typeof OPERATION_TAGS

/** The group of an operation: below `/v1` the last part of its path that names one. */
export function tagOf({ tag, path }: Pick<Operation, 'tag' | 'path'>): OperationTag {
  const parts = path.startsWith('/v1/') ? path.split('/') : []
  return tag ?? (parts.findLast((part) => Object.hasOwn(OPERATION_TAGS, part)) as OperationTag | undefined) ?? 'service'
}

/**
 * The body of a request or answer. For `application/x-ndjson` the schema describes one line, for `text/event-stream`
 * and other text it is a string. Artifacts have any type and no schema.
 */
export type ContentByType = Readonly<Record<string, TSchema>>

export interface RequestContent {
  /** A wildcard allows any well-formed content type. */
  readonly contentType: 'application/json' | 'application/x-ndjson' | 'multipart/form-data' | '*/*'
  readonly schema: TSchema
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface OperationRequest extends RequestContent {
  readonly description: string
  /**
   * Who reads the body. `json`: `serve` parses it, validates it against `schema` and passes it to the handler typed.
   * `bytes`: the handler has its own parser (NDJSON, forms, large bodies); `schema` is only documentation.
   */
  readonly kind: 'json' | 'bytes'
  /** For kind `json`: the largest body in bytes, if less than the limit `controlBodyBytes`. */
  readonly mostBytes?: number
  /** For kind `json`: hints for fields that clients may expect but that `schema` does not have, by name. */
  readonly fieldHints?: Readonly<Record<string, string>>
  /** Further content types, each once; any other is `unsupported_media_type`. */
  readonly alternatives?: readonly RequestContent[]
}

/** A JSON body that `serve` reads. */
export function jsonBody<Schema extends TSchema, const Examples extends RequestContent['examples']>(
  schema: Schema,
  description: string,
  examples: Examples,
) {
  return { kind: 'json', contentType: 'application/json', schema, description, examples } as const
}

export interface OperationResponse {
  readonly description: string
  /** Empty when the answer has no body. */
  readonly content: ContentByType
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: TSchema }>>
}

/**
 * How a request under `/v1` is authenticated, if not by a key or a session cookie like all others. `key`: only a key.
 * `session`: only a session. `signed_url`: the URL is signed by the service and says what it allows. `key_in_body`: see
 * `signIn`.
 */
export type Admission = 'key' | 'session' | 'signed_url' | 'key_in_body'

/**
 * One operation of the HTTP API. The table of operations is the single source for routing, authorization, validation
 * and the OpenAPI document. The name of an entry is its `operationId`.
 */
export interface Operation {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters as `:name`. */
  readonly path: `/${string}`
  /** Its group, if its path does not name it: see `tagOf`. */
  readonly tag?: OperationTag
  readonly summary: string
  readonly description: string
  /**
   * `null`: public, or authenticated by its `admission`. Empty: any valid key. Otherwise a valid key with at least one
   * of these scopes. A session has the scopes of its key.
   */
  readonly scopes: readonly Scope[] | null
  readonly admission?: Admission
  /** How it is recorded in the audit log; absent: it is not. */
  readonly audit?: AuditRule
  /** Path parameters after percent-decoding. A value that does not match is `not_found`. */
  readonly pathParameters?: TObject
  /** Other query parameters are refused. Absent: all are. */
  readonly query?: TObject
  /** Neither query nor `Accept` is checked: probes and links to pages add their own. */
  readonly takesAnyHead?: true
  /** Headers by their documented names, matched without regard to case. Other headers are ignored. */
  readonly headers?: TObject
  /** The code for headers that do not match, one of `errors`. Absent: `validation_failed`. */
  readonly headerError?: RequestErrorCode
  readonly request?: OperationRequest
  /** Successful answers, and the not-ready answer of the readiness check, by status. */
  readonly responses: Readonly<Record<number, OperationResponse>>
  /** Error codes of a whole request, without `headErrors`, `requestErrors`, `accessErrors` and `COMMON_ERRORS`. */
  readonly errors?: readonly RequestErrorCode[]
}

/** The content types of the answers; empty when there is no body or any type is possible. */
export function contentTypesOf({ responses }: Operation): readonly string[] {
  const types = Object.values(responses).flatMap(({ content }) => Object.keys(content))
  return types.includes('*/*') ? [] : [...new Set(types)]
}

/** Error codes of the checks of query and headers. */
export function headErrors(operation: Operation): readonly RequestErrorCode[] {
  if (operation.takesAnyHead === true) return []
  return contentTypesOf(operation).length === 0 ? ['validation_failed'] : ['validation_failed', 'not_acceptable']
}

/** Error codes of what the request has: ids in its path, a cursor, a JSON body. */
export function requestErrors({ pathParameters, query, request }: Operation): readonly RequestErrorCode[] {
  return [
    ...(request?.kind === 'json' ? JSON_BODY_ERRORS : []),
    ...(pathParameters === undefined ? [] : (['not_found'] as const)),
    ...(query !== undefined && 'cursor' in query.properties ? LIST_ERRORS : []),
  ]
}

/** Error codes of any request. */
export const COMMON_ERRORS = [
  'bad_request',
  'internal_error',
  'too_many_connections',
  'starting',
  'shutting_down',
] as const satisfies readonly RequestErrorCode[]

/** Methods that change nothing, so a foreign page gains nothing by making a browser send them. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Error codes of authentication and of the stores that are read after it. */
export function accessErrors({ scopes, admission, method }: Operation): readonly RequestErrorCode[] {
  if (scopes === null) return []
  const codes: RequestErrorCode[] = ['unauthorized', 'rate_limited']
  if (scopes.length > 0) codes.push('insufficient_scope')
  if (admission !== 'key' && !SAFE_METHODS.has(method)) codes.push('foreign_origin')
  if (SAFE_METHODS.has(method)) codes.push('too_many_reads')
  return [...codes, 'storage_unavailable', 'storage_damaged']
}

/** Error codes of reading and validating a JSON body. */
export const JSON_BODY_ERRORS = [
  'malformed_json',
  'invalid_encoding',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'queue_full',
] as const satisfies readonly RequestErrorCode[]

/** Error codes of a list with `limit` and `cursor`. */
export const LIST_ERRORS = ['validation_failed', 'invalid_cursor'] as const satisfies readonly RequestErrorCode[]
