import { NAMED_SCHEMAS } from './openapi/named-schemas.ts'
import type { OpenApiDocument, PathItem } from './openapi/openapi-document.ts'
import { API_KEY_SCHEME, BEARER_SCHEME, SESSION_SCHEME, toOperationObject } from './openapi/operation-object.ts'
import { SchemaComponents } from './openapi/schema-components.ts'
import { buildWebhooks } from './openapi/webhook-items.ts'
import { OPERATIONS } from './operations.ts'
import { type Operation, OPERATION_TAGS } from './operations/operation.ts'
import { TailCommitted } from './schemas/traces/tail-event.ts'
import { SESSION_COOKIE } from './operations/session-operations.ts'

const DESCRIPTION = `Spoor records what software agents do, as traces of steps.

Every \`/v1\` request carries an API key in \`x-api-key\` or \`Authorization: Bearer\`, or the session cookie of a browser that has signed in. Exceptions are signing in and a \`PUT\` to a signed URL. A key needs one of the scopes that an operation lists. A request that changes something and is authenticated by cookie must have an \`Origin\` header that names this service. For a resource of another project, the answer is the same as for one that does not exist.

Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`. \`type\` is a page of this service that explains the code and what to do; \`/problems\` lists all codes. A query parameter that an operation does not define is refused (\`422\`), and so is an \`Accept\` header that excludes the answer (\`406\`). A path that does not exist answers \`404\` (\`not_found\`), a method that a path does not support \`405\` (\`method_not_allowed\`), a request line and headers of more than 16 KB together \`431\` (\`head_too_large\`). If the operator has listed the host names of the service (\`SPOOR_HOSTS\`), a request for another host name answers \`421\` (\`misdirected_request\`), except on \`/healthz\` and \`/readyz\`.

The schema of an \`application/x-ndjson\` body describes one line. Any body may be sent with \`Content-Encoding: gzip\`, \`deflate\` or \`zstd\`; limits count what comes out.

Times are ISO 8601, UTC, with milliseconds. A list answers \`next_cursor\`; pass it as \`cursor\` to get the next page.`

/** Builds the OpenAPI 3.1 document from the table of operations. The same input gives the same document. */
export function buildOpenApi(options: { readonly version: string; readonly serverUrl: string }): OpenApiDocument {
  const components = new SchemaComponents(NAMED_SCHEMAS)
  // The data of the stream, which an answer cannot refer to.
  components.resolve(TailCommitted)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Spoor',
      version: options.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    tags: Object.entries(OPERATION_TAGS).map(([name, description]) => ({ name, description })),
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
          description: `The cookie that \`POST /v1/session\` set. If the service is reached by a port, the name ends in the port: \`${SESSION_COOKIE}_4319\`.`,
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
