import { NAMED_SCHEMAS } from './openapi/named-schemas.ts'
import type { OpenApiDocument, PathItem } from './openapi/openapi-document.ts'
import { API_KEY_SCHEME, SESSION_SCHEME, toOperationObject } from './openapi/operation-object.ts'
import { SchemaComponents } from './openapi/schema-components.ts'
import { OPERATIONS } from './operations.ts'
import type { Operation } from './operations/operation.ts'
import { SESSION_COOKIE } from './operations/session-operations.ts'

const DESCRIPTION = `Spoor records what software agents do, as traces of steps.

Every \`/v1\` request, but for a \`PUT\` to a signed URL and signing in, carries an API key in \`x-api-key\` or, from a browser that has signed in, a session cookie; the scopes beside an operation are alternatives. A request by cookie that changes something must have an \`Origin\` header that names this service. Whatever belongs to another project is answered like something that does not exist.

Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`. A path that does not exist answers \`404\` (\`not_found\`), a method that a path does not take \`405\` (\`method_not_allowed\`), a head of more than 16 KB \`431\` (\`head_too_large\`). Where the operator has listed the service's host names (\`SPOOR_HOSTS\`), a request for another one is answered \`421\` (\`misdirected_request\`), but for \`/healthz\` and \`/readyz\`.

Where a content type is \`application/x-ndjson\`, its schema describes one line.

Times are ISO 8601, UTC, with milliseconds. Lists answer \`next_cursor\`; pass it back as \`cursor\`.`

/** The OpenAPI 3.1 document of the service, made from the table of operations. The same input gives the same document. */
export function buildOpenApi(options: { readonly version: string; readonly serverUrl: string }): OpenApiDocument {
  const components = new SchemaComponents(NAMED_SCHEMAS)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Spoor',
      version: options.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    tags: [
      { name: 'traces', description: 'Record, list, read, mark and follow traces.' },
      { name: 'steps', description: 'Append steps to a trace and read them by page.' },
      { name: 'media', description: 'Upload artifacts and read them back through the service.' },
      {
        name: 'metrics',
        description: 'Define what good means, record judgements of traces and steps, and see how they go over time.',
      },
      { name: 'prices', description: 'What tokens of each model cost.' },
      { name: 'monitors', description: 'Watch metrics and traces, and tell when a value crosses its threshold.' },
      { name: 'webhooks', description: 'Send signed events to a URL, and look at what became of each.' },
      { name: 'projects', description: 'Projects and their API keys.' },
      {
        name: 'session',
        description: 'Sessions of browsers, which cannot send a key with images, videos and streams.',
      },
      { name: 'service', description: 'Health, figures and this document.' },
    ],
    paths: buildPaths(components),
    components: {
      schemas: components.definitions(),
      securitySchemes: {
        [API_KEY_SCHEME]: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key of a project.' },
        [SESSION_SCHEME]: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: `What \`POST /v1/session\` set. Where the service is reached by a port, the name ends in it: \`${SESSION_COOKIE}_4319\`.`,
        },
      },
    },
  }
}

function buildPaths(components: SchemaComponents): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {}
  for (const [operationId, operation] of Object.entries<Operation>(OPERATIONS)) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const method = operation.method.toLowerCase() as Lowercase<Operation['method']>
    paths[path] = { ...paths[path], [method]: toOperationObject(operationId, operation, components) }
  }
  return paths
}
