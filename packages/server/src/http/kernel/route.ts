import type { Limits } from '@spoor/contract/limits'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { OTEL_TRACE_ID } from '@spoor/contract/otlp'
import { type Admission, contentTypesOf, type Operation, SAFE_METHODS } from '@spoor/contract/operations/operation'
import type { Scope } from '@spoor/contract/scopes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { DomainError } from '../../lib/domain-error.ts'
import { FieldErrors } from '../../lib/validation/field-errors.ts'
import { invalidFields, MOST_ERRORS } from '../../lib/validation/validation-failed.ts'
import { compileValidator } from '../../lib/validation/validator.ts'
import { type JsonBodyRules, readJsonBody } from '../bodies/json-body.ts'
import { refuseUnacceptable } from '../bodies/media-types.ts'
import type { OtlpEncoding } from '../../traces/otlp/otlp-encoding.ts'
import { forClient } from '../connections/for-client.ts'
import { compileHeaders } from './headers.ts'
import type { OperationHead, OperationInput } from './operation-input.ts'
import { compilePathParameters } from './path-parameters.ts'
import { compileQuery } from './query.ts'
import { pageLimit } from './query-values.ts'
import { compileTimes } from './request-times.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** As `Operation.scopes`; a route without it is public. */
    scopes?: readonly Scope[] | null
    /** As `Operation.admission`. */
    admission?: Admission | null
    /** Stays open as long as the client wants, so its duration is not measured. */
    endless?: boolean
  }
  interface FastifyInstance {
    /** The rules by which `serve` reads requests. Set before any operation is served. */
    readonly requestRules: RequestRules
  }
}

interface RequestRules {
  readonly json: JsonBodyRules
  readonly limits: Limits
  /** See `TraceUseCases.findOtelTrace`. */
  readonly findOtelTrace: (projectId: ProjectId, otelTraceId: string) => Promise<TraceId | null>
}

export interface RouteOptions<O extends Operation> {
  readonly endless?: boolean
  /** Whether the route takes exports of OpenTelemetry: nothing else, or beside its own requests. */
  readonly otlp?: 'only' | 'shared'
  /** Answers a request that is an export by its head, in place of the handler. */
  readonly answerExport?: (encoding: OtlpEncoding, request: FastifyRequest, reply: FastifyReply) => unknown
  /** Whether any node handles it: it commits nothing, and its bytes are many. */
  readonly runsAnywhere?: boolean
  /** Whether it only reads, if its method does not say so. */
  readonly reads?: boolean
  /** Throws if the sender is not allowed to do this. Runs before the body is read. */
  readonly authorize?: (head: OperationHead<O>) => void
}

/**
 * Serves an operation of the contract, which defines method, path, scopes, parameters, query, headers, content types
 * and the JSON body. The handler gets them validated and typed. The checks run in this order, each with its error:
 * `Accept`, query, path, headers, `authorize`, body.
 */
export function serve<const O extends Operation>(
  app: FastifyInstance,
  operation: O,
  handler: (input: OperationInput<O>) => unknown,
  options: RouteOptions<O> = {},
): void {
  const readHead = compileHead(operation, app.requestRules.limits)
  const readBody = compileBody(operation, app.requestRules.json)
  /** Puts our own id of the trace in the place of that of OpenTelemetry. */
  const named = async (head: OperationHead<O>) => {
    const { params, projectId } = head as unknown as { params: { id: string }; projectId: ProjectId }
    const id = await app.requestRules.findOtelTrace(projectId, params.id)
    if (id === null) throw new DomainError('not_found', `There is no trace ${params.id} in this project.`)
    params.id = id
  }
  const isRead = options.reads ?? (SAFE_METHODS.has(operation.method) && options.endless !== true)
  app.route({
    method: operation.method,
    url: operation.path,
    // Load balancers check health with HEAD.
    exposeHeadRoute: operation.scopes === null && operation.method === 'GET',
    config: {
      scopes: operation.scopes,
      admission: operation.admission ?? null,
      endless: options.endless ?? false,
      ...(operation.audit === undefined ? {} : { audit: operation.audit }),
      ...(options.otlp === undefined ? {} : { otlp: options.otlp }),
      ...(options.runsAnywhere === true ? { runsAnywhere: true } : {}),
    },
    handler: (request, reply) => {
      if (request.otlp !== null && options.answerExport !== undefined)
        return options.answerExport(request.otlp, request, reply)
      if (operation.audit !== undefined) request.audited = { body: undefined, answerId: undefined }
      const head = readHead(request, reply)
      options.authorize?.(head)
      const own = () => {
        if (readBody === null) return handler({ ...head, body: undefined } as OperationInput<O>)
        return readBody(request).then((body) => {
          if (request.audited !== null) request.audited.body = body
          return handler({ ...head, body } as OperationInput<O>)
        })
      }
      const answer = () => (isOtelId(head.params) ? named(head).then(own) : own())
      return isRead ? forClient(request, reply, answer) : answer()
    },
  })
}

function isOtelId(params: object): boolean {
  return 'id' in params && typeof params.id === 'string' && OTEL_TRACE_ID.test(params.id)
}

const NOTHING = Type.Object({}, { additionalProperties: false })

/** Runs after authentication and before any of the body is read. */
function compileHead<O extends Operation>(
  operation: O,
  limits: Limits,
): (request: FastifyRequest, reply: FastifyReply) => OperationHead<O> {
  const { query: querySchema = NOTHING, pathParameters = NOTHING, takesAnyHead = false } = operation
  const readQuery = takesAnyHead ? () => ({}) : compileQuery(querySchema)
  const checkAccept = takesAnyHead ? () => {} : refuseUnacceptable(contentTypesOf(operation))
  const readParams = compilePathParameters(pathParameters)
  const checkHeaders = compileHeaders(operation)
  const isList = 'cursor' in querySchema.properties
  return (request, reply) => {
    checkAccept(request.headers.accept)
    const query = readQuery(request.url) as Readonly<Record<string, unknown>>
    const params = readParams(request.params) as Readonly<Record<string, unknown>>
    const { principal } = request
    requireOwnProject(params['project_id'], request)
    checkHeaders(request.headers)
    const head = {
      request,
      reply,
      params,
      query,
      headers: request.headers,
      page: isList ? toPage(query, limits) : null,
      principal,
      projectId: principal?.projectId ?? null,
    }
    return head as OperationHead<O>
  }
}

/** For another project than the sender's, the answer is `not_found`, whatever the scopes of the key. */
function requireOwnProject(projectId: unknown, { principal }: FastifyRequest): void {
  if (projectId === undefined || projectId === principal?.projectId) return
  throw new DomainError('not_found', 'There is no such project.')
}

function toPage({ limit, cursor }: { readonly limit?: number; readonly cursor?: string }, limits: Limits) {
  return { limit: pageLimit(limit, limits), cursor: cursor ?? null }
}

function compileBody(
  { request }: Operation,
  rules: JsonBodyRules,
): ((request: FastifyRequest) => Promise<unknown>) | null {
  if (request?.kind !== 'json') return null
  const validate = compileValidator(request.schema, { hints: request.fieldHints ?? {} })
  const readTimes = compileTimes(request.schema)
  const read = (value: unknown) => {
    const body = validate(value)
    const errors = new FieldErrors(MOST_ERRORS)
    readTimes(body, errors)
    if (!errors.isEmpty) throw invalidFields(errors)
    return body
  }
  const ofThis = { ...rules, limitBytes: Math.min(rules.limitBytes, request.mostBytes ?? Infinity) }
  return (sent) => readJsonBody(sent, ofThis, read)
}
