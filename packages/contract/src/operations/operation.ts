import type { TObject, TSchema } from 'typebox'
import type { RequestErrorCode } from '../errors.ts'
import type { Scope } from '../scopes.ts'

/** A group of operations in the document. */
export type OperationTag =
  | 'traces'
  | 'steps'
  | 'media'
  | 'metrics'
  | 'monitors'
  | 'clusters'
  | 'webhooks'
  | 'prices'
  | 'projects'
  | 'session'
  | 'service'

/**
 * The body of a request or answer. For `application/x-ndjson` the schema describes one line;
 * for `text/event-stream` and other text it is a string. Of artifacts, which have any type, nothing is said.
 */
export type ContentByType = Readonly<Record<string, TSchema>>

/** One form that a request body can have. */
export interface RequestContent {
  /** Where it names no type, any well-formed one is taken. */
  readonly contentType: 'application/json' | 'application/x-ndjson' | 'multipart/form-data' | '*/*'
  readonly schema: TSchema
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface OperationRequest extends RequestContent {
  readonly description: string
  /**
   * Who reads it. `json`: `serve` parses it, validates it by `schema` and hands it to the handler typed. `bytes`: the
   * handler gets the request and has a parser of its own (NDJSON, forms, large bodies); `schema` only documents it.
   */
  readonly kind: 'json' | 'bytes'
  /** Of kind `json`: bytes taken, where it is less than the limit `controlBodyBytes`. */
  readonly mostBytes?: number
  /** Of kind `json`: what to say of fields that are not in `schema` but that clients look for here, by name. */
  readonly fieldHints?: Readonly<Record<string, string>>
  /** Further content types that are taken, each once; any other is `unsupported_media_type`. */
  readonly alternatives?: readonly RequestContent[]
}

export interface OperationResponse {
  readonly description: string
  /** Empty when the answer has no body. */
  readonly content: ContentByType
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: TSchema }>>
}

/**
 * What a request under `/v1` is let in by, where it is not, as everywhere else, a key in `x-api-key` or a session
 * cookie. `key`: a key alone. `session`: a session alone. `signed_url`: the URL itself, which the service signed, says
 * what may be done with it. `key_in_body`: see `signIn`.
 */
export type Admission = 'key' | 'session' | 'signed_url' | 'key_in_body'

/**
 * One thing a client can do. The table of these is the single source for routing, authorisation, validation and the
 * OpenAPI document: the name of an entry is its `operationId`.
 */
export interface Operation {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters as `:name`. */
  readonly path: `/${string}`
  readonly tag: OperationTag
  readonly summary: string
  readonly description: string
  /**
   * `null`: public, or by its `admission`. Empty: any live key. Else a live key with at least one of these. A session
   * has the scopes of its key.
   */
  readonly scopes: readonly Scope[] | null
  readonly admission?: Admission
  /** Those of the path, as they are once percent-encoding is undone. A value that does not fit is `not_found`. */
  readonly pathParameters?: TObject
  /** Other query parameters are refused; so are all where this is absent. */
  readonly query?: TObject
  /** Neither query nor `Accept` is checked: probes and links to pages add their own. */
  readonly takesAnyHead?: true
  /** Header names as they are documented; matched without regard to case. Other headers are ignored. */
  readonly headers?: TObject
  readonly request?: OperationRequest
  /** Successful answers (and the not-ready one of the readiness check) by status. */
  readonly responses: Readonly<Record<number, OperationResponse>>
  /** Every code a whole request can fail with, beyond those of `accessErrors` and `COMMON_ERRORS`. */
  readonly errors: readonly RequestErrorCode[]
}

/** The types that the answers of an operation have; empty when there is no body, or when it can be of any type. */
export function contentTypesOf({ responses }: Operation): readonly string[] {
  const types = Object.values(responses).flatMap(({ content }) => Object.keys(content))
  return types.includes('*/*') ? [] : [...new Set(types)]
}

/** What checking the query and the `Accept` header can answer. */
export function headErrors(operation: Operation): readonly RequestErrorCode[] {
  if (operation.takesAnyHead === true) return []
  return contentTypesOf(operation).length === 0 ? ['validation_failed'] : ['validation_failed', 'not_acceptable']
}

/** Any request can meet these. */
export const COMMON_ERRORS = [
  'bad_request',
  'internal_error',
  'too_many_connections',
  'starting',
  'shutting_down',
] as const satisfies readonly RequestErrorCode[]

/** Methods that change nothing: a page elsewhere gains nothing by having a browser send them. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** What authentication can answer, and every store that is read behind it. */
export function accessErrors({ scopes, admission, method }: Operation): readonly RequestErrorCode[] {
  if (scopes === null) return []
  const codes: RequestErrorCode[] = ['unauthorized']
  if (scopes.length > 0) codes.push('insufficient_scope')
  if (admission !== 'key' && !SAFE_METHODS.has(method)) codes.push('foreign_origin')
  if (SAFE_METHODS.has(method)) codes.push('too_many_reads')
  return [...codes, 'storage_unavailable', 'storage_damaged']
}

/** What reading and validating a JSON body can answer. */
export const JSON_BODY_ERRORS = [
  'malformed_json',
  'invalid_encoding',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'queue_full',
] as const satisfies readonly RequestErrorCode[]

/** What a list with `limit` and `cursor` can answer. */
export const LIST_ERRORS = ['validation_failed', 'invalid_cursor'] as const satisfies readonly RequestErrorCode[]
