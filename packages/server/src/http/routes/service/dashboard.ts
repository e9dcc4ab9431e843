import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import fastifyStatic from '@fastify/static'

/** Shown in a checkout in which the dashboard was not built. */
const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Spoor</title>
<h1>The dashboard is not built</h1>
<p>Start the service by <code>npm start</code>, which builds it, or build it by <code>npm run build</code> and start again.</p>
<p>The API answers all the same: <a href="/docs">its documentation</a>.</p>
</html>
`

/** The placeholder for the nonce of styles in the built page. */
const NONCE_PLACE = '%STYLE_NONCE%'

/**
 * The page sends requests only to this service and runs only its own script. Open dialogs add a style element with the
 * nonce; messages may contain images as `data:` URLs.
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
  /** The folder of the build: `index.html` and `assets/`. */
  readonly directory: string
  /** The nonce for the style elements of one page; unpredictable. */
  readonly newNonce: () => string
}

/**
 * The dashboard: one page at `/` and below `/app`, which routes by path itself, and its files, whose names change with
 * their content.
 */
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
