import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { NOT_BUILT_PAGE } from './not-built-page.ts'

/** Where the build puts what stands for the nonce of styles. */
const NONCE_PLACE = '%STYLE_NONCE%'

/**
 * The page asks this service and nobody else, and runs its own script alone. Dialogs add a style element while they are open, which carries the nonce;
 * messages may hold images themselves, as `data:` URLs.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export interface DashboardFiles {
  /** The folder that `npm start` builds it into: `index.html` and `assets/`. */
  readonly directory: string
  /** For the style elements of one page: nobody can foretell it. */
  readonly newNonce: () => string
}

/** The dashboard: one page at `/` and below `/app`, which finds its own way by the path, and its files, whose names change with their content. */
export async function registerDashboard(app: FastifyInstance, { directory, newNonce }: DashboardFiles): Promise<void> {
  const pagePath = join(directory, 'index.html')
  const page = existsSync(pagePath) ? readFileSync(pagePath, 'utf8') : NOT_BUILT_PAGE
  for (const url of ['/', '/app', '/app/*']) {
    app.get(url, { exposeHeadRoute: true }, (_request, reply) => {
      const nonce = newNonce()
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', contentSecurityPolicy(nonce))
        .header('cache-control', 'no-store')
        .send(page.replace(NONCE_PLACE, nonce))
    })
  }
  if (page === NOT_BUILT_PAGE) return
  await app.register(fastifyStatic, {
    root: join(directory, 'assets'),
    prefix: '/assets/',
    index: false,
    decorateReply: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
  })
}
