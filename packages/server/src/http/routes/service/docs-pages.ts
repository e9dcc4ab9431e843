import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { buildOpenApi } from '@spoor/contract/openapi'
import { fastify, type FastifyInstance } from 'fastify'

/** The page uses inline styles and its own small images; it loads scripts and data only from this service. */
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

const WORDMARK =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="40" viewBox="0 0 96 40">' +
  '<text x="0" y="28" font-family="sans-serif" font-size="26" font-weight="700" fill="#fff">Spoor</text></svg>'

/** The page shows only the document of this service. */
const NO_ADDRESS_BAR =
  '.swagger-ui .topbar .download-url-wrapper form, .swagger-ui .topbar .download-url-input, .swagger-ui .topbar .download-url-button { display: none !important }'

/**
 * An app that answers `/docs` and the paths below it: the OpenAPI document as a page. It sends no request to another
 * host.
 */
export async function openDocsPages(version: string): Promise<FastifyInstance> {
  const app = fastify()
  // The page loads its document relative to its own URL, which must have no query.
  app.addHook('onRequest', async ({ url }, reply) => {
    if (/^\/docs\/?\?/.test(url)) return reply.redirect('/docs')
  })
  await app.register(swagger, {
    openapi: {},
    hideUntagged: true,
    transformObject: () => buildOpenApi({ version, serverUrl: '/' }) as never,
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    uiConfig: {
      // Otherwise the page would send the document to an external validator.
      validatorUrl: null,
      // Collapsed groups, a filter by group, and links to open operations.
      docExpansion: 'none',
      filter: true,
      deepLinking: true,
      defaultModelsExpandDepth: 0,
    },
    logo: { type: 'image/svg+xml', content: WORDMARK, href: '/docs', target: '_self' },
    theme: { title: 'Spoor API', css: [{ filename: 'spoor.css', content: NO_ADDRESS_BAR }] },
  })
  return app
}
