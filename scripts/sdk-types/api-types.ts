import { format } from 'prettier'
import { buildOpenApi } from '../../packages/contract/src/openapi.ts'
import type { OperationObject } from '../../packages/contract/src/openapi/openapi-document.ts'
import { docComment, type Schema, schemaType } from './schema-type.ts'

/** Pages for people, and sessions of browsers: not for clients with a key. */
const LEFT_OUT = new Set(['session', 'service'])
const HEADER = '// Written by npm run sdk-types from the contract.\n\n'

const document = buildOpenApi({ version: '0.0.0', serverUrl: 'http://127.0.0.1:4319' })

/** The generated files of the client, by name. */
export async function sdkTypeFiles(): Promise<Readonly<Record<string, string>>> {
  const prettier = {
    parser: 'typescript',
    printWidth: 120,
    semi: false,
    singleQuote: true,
    trailingComma: 'all',
  } as const
  return {
    'api-types.ts': await format(apiTypes(), prettier),
    'operations.ts': await format(operations(), prettier),
  }
}

function apiTypes(): string {
  const declarations = Object.entries(document.components.schemas).map(([name, definition]) => {
    const schema = definition as Schema
    const type = schemaType(schema)
    const declaration =
      type.startsWith('{') && type.endsWith('}') ? `interface ${name} ${type}` : `type ${name} = ${type}`
    return `${docComment(schema.description)}export ${declaration}\n`
  })
  return `${HEADER}${declarations.join('\n')}`
}

function operations(): string {
  const routes: string[] = []
  const types: string[] = []
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.tags.some((tag) => LEFT_OUT.has(tag))) continue
      routes.push(`${operation.operationId}: ['${method.toUpperCase()}', '${path}'],`)
      const { summary } = operation
      types.push(
        `${docComment(summary)}readonly ${operation.operationId}: {\n${inputs(operation)}${answer(operation)}}`,
      )
    }
  }
  const body = types.join('\n')
  const code = body.replace(/\/\*\*[^]*?\*\//g, '')
  const names = Object.keys(document.components.schemas).filter((name) => new RegExp(`\\b${name}\\b`).test(code))
  return `${HEADER}import type { ${names.join(', ')} } from './api-types.ts'

/** Method and path of each operation. */
export const ROUTES = {
  ${routes.join('\n')}
} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>

/** What each operation takes and answers. */
export interface Operations {
  ${body}
}

export type OperationId = keyof Operations
`
}

function inputs(operation: OperationObject): string {
  const path = parameters(operation, 'path')
  const query = parameters(operation, 'query')
  const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const one = (content?.schema ?? {}) as Schema
  const body = contentType === 'application/x-ndjson' ? { type: 'array', items: one } : one
  return [
    path && `readonly path: ${schemaType(path)}\n`,
    query && `readonly query${query.required?.length === 0 ? '?' : ''}: ${schemaType(query)}\n`,
    operation.requestBody && `readonly body: ${contentType === '*/*' ? 'Blob' : schemaType(body)}\n`,
  ]
    .filter((line) => typeof line === 'string')
    .join('')
}

function parameters(operation: OperationObject, place: 'path' | 'query'): Schema | undefined {
  const all = (operation.parameters ?? []).filter((parameter) => parameter.in === place)
  if (all.length === 0) return undefined
  return {
    type: 'object',
    required: all.filter((parameter) => parameter.required).map(({ name }) => name),
    properties: Object.fromEntries(
      all.map(({ name, schema, description }) => [
        name,
        { ...(schema as Schema), ...(description && { description }) },
      ]),
    ),
  }
}

/** JSON answers of 2xx, except for those to OpenTelemetry, which also come as protobuf. */
function answer(operation: OperationObject): string {
  const contents = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => response.content ?? {})
  const types = contents
    .filter((content) => !('application/x-protobuf' in content))
    .flatMap((content) => {
      const schema = content['application/json']?.schema as Schema | undefined
      return (schema?.anyOf ?? (schema === undefined ? [] : [schema])).map(schemaType)
    })
  return `readonly answer: ${types.length === 0 ? 'undefined' : [...new Set(types)].join(' | ')}\n`
}
