import { buildOpenApi } from '@spoor/contract/openapi'
import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'

export function registerServiceRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { instruments, readiness, version } = dependencies
  /** Built at the first request: that would be a tenth of the start. */
  let openApi: string | null = null

  serve(app, OPERATIONS.getHealth, ({ reply }) => reply.send({ status: 'ok', version }))

  serve(app, OPERATIONS.getReadiness, ({ reply }) => {
    const { ready } = readiness
    if (!ready) reply.code(503).header('retry-after', '1')
    return reply.send({ status: ready ? 'ready' : 'unavailable', checks: readiness.parts() })
  })

  serve(app, OPERATIONS.getMetrics, async ({ reply }) =>
    reply.type(instruments.contentType).send(await instruments.print()),
  )

  serve(app, OPERATIONS.getOpenApi, ({ reply }) => {
    openApi ??= JSON.stringify(buildOpenApi({ version, serverUrl: '/' }))
    return reply.type('application/json; charset=utf-8').send(openApi)
  })
}
