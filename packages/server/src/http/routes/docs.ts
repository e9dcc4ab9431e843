import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { buildOpenApi } from '@spoor/contract/openapi'
import type { FastifyInstance } from 'fastify'

/** The page draws with inline styles and small images of its own; it runs no script and asks nothing but what comes from this service. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `/docs`: the OpenAPI document as a page, without a request to any other host. */
export async function registerDocs(app: FastifyInstance, version: string): Promise<void> {
  const document = buildOpenApi({ version, serverUrl: '/' })
  await app.register(swagger, { mode: 'static', specification: { document: document as never } })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    // Else the page would send the document to a validator elsewhere.
    uiConfig: { validatorUrl: null, docExpansion: 'list', defaultModelsExpandDepth: 0, layout: 'BaseLayout' },
    theme: { title: 'Spoor API' },
  })
}
