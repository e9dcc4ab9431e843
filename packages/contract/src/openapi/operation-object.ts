import type { TObject } from 'typebox'
import { ERRORS, type RequestErrorCode } from '../errors.ts'
import { errorCodesOf } from '../operations.ts'
import { type ContentByType, type Operation, type OperationResponse, tagOf } from '../operations/operation.ts'
import { Problem } from '../schemas/problem.ts'
import type { MediaType, OperationObject, Parameter, RequestBody, ResponseObject } from './openapi-document.ts'
import type { SchemaComponents } from './schema-components.ts'

/** The names of the security schemes in the document. */
export const API_KEY_SCHEME = 'apiKey'
export const BEARER_SCHEME = 'bearer'
export const SESSION_SCHEME = 'session'

/** OpenAPI ignores a parameter with this name: the content types of the answers say what can be accepted. */
const IGNORED_HEADER = 'Accept'

export function toOperationObject(
  operationId: string,
  operation: Operation,
  components: SchemaComponents,
): OperationObject {
  const parameters = [
    ...toParameters('path', operation.pathParameters, components),
    ...toParameters('query', operation.query, components),
    ...toParameters('header', operation.headers, components),
  ]
  return {
    operationId,
    tags: [tagOf(operation)],
    summary: operation.summary,
    description: operation.description,
    security: toSecurity(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.request && { requestBody: toRequestBody(operation.request, components) }),
    responses: toResponses(operation, components),
  }
}

function toSecurity({ scopes, admission }: Operation): OperationObject['security'] {
  if (scopes === null) return []
  const schemes = [
    ...(admission === 'session' ? [] : [API_KEY_SCHEME, BEARER_SCHEME]),
    ...(admission === 'key' ? [] : [SESSION_SCHEME]),
  ]
  return schemes.flatMap((scheme) =>
    scopes.length === 0 ? [{ [scheme]: [] }] : scopes.map((scope) => ({ [scheme]: [scope] })),
  )
}

function toParameters(place: Parameter['in'], schema: TObject | undefined, components: SchemaComponents): Parameter[] {
  const entries = Object.entries(schema?.properties ?? {})
  const required: readonly string[] = schema?.required ?? []
  return entries
    .filter(([name]) => place !== 'header' || name !== IGNORED_HEADER)
    .map(([name, property]) => {
      const { description, ...rest } = components.resolve(property)
      if (typeof description !== 'string') throw new Error(`${place} parameter ${name} has no description`)
      const parameter: Parameter = { name, in: place, required: required.includes(name), description, schema: rest }
      return rest.type === 'object' ? ofKeys(parameter) : parameter
    })
}

/** An object in a query: each member is a parameter, by the name of the object, a dot and the key. */
function ofKeys(parameter: Parameter): Parameter {
  const { name, schema } = parameter
  return {
    ...parameter,
    style: 'form',
    explode: true,
    schema: { ...schema, propertyNames: { pattern: `^${name}[.]` } },
  }
}

function toRequestBody(request: NonNullable<Operation['request']>, components: SchemaComponents): RequestBody {
  const contents = [request, ...(request.alternatives ?? [])].map(({ contentType, schema, examples }) => {
    const media: MediaType = { schema: components.resolve(schema), examples: { ...examples } }
    return [contentType, media] as const
  })
  return { required: true, description: request.description, content: Object.fromEntries(contents) }
}

function toResponses(operation: Operation, components: SchemaComponents): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {}
  for (const [status, response] of Object.entries(operation.responses)) {
    responses[status] = toResponse(response, components)
  }
  const codesByStatus = Map.groupBy(errorCodesOf(operation), (code) => ERRORS[code].status)
  for (const [status, codes] of codesByStatus) {
    responses[status] = merge(responses[status], toErrorResponse(status, codes, components))
  }
  for (const status of RETRIED) {
    const { [status]: response } = responses
    if (response === undefined) continue
    const { description, headers, ...rest } = response
    responses[status] = { description, headers: { ...headers, 'Retry-After': RETRY_AFTER }, ...rest }
  }
  return responses
}

function toResponse(response: OperationResponse, components: SchemaComponents): ResponseObject {
  const headers = Object.entries(response.headers ?? {}).map(([name, { description, schema }]) => [
    name,
    { description, schema: components.resolve(schema) },
  ])
  const content = toContent(response.content, components)
  return {
    description: response.description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) as NonNullable<ResponseObject['headers']> }),
    ...(Object.keys(content).length > 0 && { content }),
  }
}

function toContent(content: ContentByType, components: SchemaComponents): Record<string, MediaType> {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [type, { schema: components.resolve(schema) }]),
  )
}

/** The problem document, narrowed to the codes of this operation and status. */
function toErrorResponse(
  status: number,
  codes: readonly RequestErrorCode[],
  components: SchemaComponents,
): ResponseObject {
  const narrowed = { properties: { status: { const: status }, code: { enum: codes } } }
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n\n'),
    ...(status === 401 && { headers: { 'WWW-Authenticate': CHALLENGE } }),
    content: { 'application/problem+json': { schema: { allOf: [components.resolve(Problem), narrowed] } } },
  }
}

/** Every answer with one of these says when to try again. */
const RETRIED = [429, 503] as const
const RETRY_AFTER = { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 1 } }
const CHALLENGE = { description: 'How to authenticate.', schema: { const: 'Bearer realm="spoor"' } }

function merge(expected: ResponseObject | undefined, error: ResponseObject): ResponseObject {
  if (expected === undefined) return error
  return {
    description: `${expected.description}\n\n${error.description}`,
    headers: { ...expected.headers, ...error.headers },
    content: { ...expected.content, ...error.content },
  }
}
