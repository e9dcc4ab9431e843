import { NAMED_SCHEMAS } from './openapi/named-schemas.ts'
import type { OpenApiDocument, PathItem } from './openapi/openapi-document.ts'
import { API_KEY_SCHEME, BEARER_SCHEME, SESSION_SCHEME, toOperationObject } from './openapi/operation-object.ts'
import { SchemaComponents } from './openapi/schema-components.ts'
import { buildWebhooks } from './openapi/webhook-items.ts'
import { OPERATIONS } from './operations.ts'
import type { Operation, OperationTag } from './operations/operation.ts'
import { SESSION_COOKIE } from './operations/session-operations.ts'

const DESCRIPTION = `Spoor records what software agents do, as traces of steps.

Every \`/v1\` request, but for a \`PUT\` to a signed URL and signing in, carries an API key in \`x-api-key\` or \`Authorization: Bearer\`, or, from a browser that has signed in, a session cookie; the scopes beside an operation are alternatives. A request by cookie that changes something must have an \`Origin\` header that names this service. Whatever belongs to another project is answered like something that does not exist.

Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`; \`type\` is a page of this service that says what it means and what to do, \`/problems\` lists them all. A query parameter that an operation does not name is refused (\`422\`), and so is an \`Accept\` header that excludes its answer (\`406\`). A path that does not exist answers \`404\` (\`not_found\`), a method that a path does not take \`405\` (\`method_not_allowed\`), a head of more than 16 KB \`431\` (\`head_too_large\`). Where the operator has listed the service's host names (\`SPOOR_HOSTS\`), a request for another one is answered \`421\` (\`misdirected_request\`), but for \`/healthz\` and \`/readyz\`.

Where a content type is \`application/x-ndjson\`, its schema describes one line.

Times are ISO 8601, UTC, with milliseconds. Lists answer \`next_cursor\`; pass it back as \`cursor\`.`

/** Every group of operations, in the order of pages. */
const TAGS: Readonly<Record<OperationTag, string>> = {
  traces: 'Record, list, read, mark and follow traces.',
  steps: 'Append steps to a trace and read them by page.',
  media: 'Upload artifacts and read them back through the service.',
  clusters: 'Find groups of similar traces and see how they change.',
  metrics: 'Define what good means, record judgements of traces and steps, and see how they go over time.',
  prices: 'What tokens of each model cost.',
  monitors: 'Watch metrics and traces, and emit an event when a value crosses its threshold.',
  webhooks: 'Send signed events to a URL, and see every delivery.',
  projects: 'Projects and their API keys.',
  session: 'Sessions of browsers, which cannot send a key with images, videos and streams.',
  service: 'Health, metrics, errors and this document.',
}

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
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: buildPaths(components),
    webhooks: buildWebhooks(components),
    components: {
      schemas: components.definitions(),
      securitySchemes: {
        [API_KEY_SCHEME]: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key of a project.' },
        [BEARER_SCHEME]: {
          type: 'http',
          scheme: 'bearer',
          description: 'The same key as `Authorization: Bearer`. Two different keys are refused (`400`).',
        },
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
