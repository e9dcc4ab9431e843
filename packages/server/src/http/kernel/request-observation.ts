import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from './dependencies.ts'

/** A request that takes longer is logged. */
const SLOW_MS = 2000

/** Counts all requests but tails. Logs only failures of the service and slow requests; at level debug, all of them. */
export function observeRequests(app: FastifyInstance, { instruments, logger }: HttpDependencies): void {
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode: status, elapsedTime: durationMs } = reply
    const { url, config } = request.routeOptions
    const route = url ?? 'unmatched'
    if (config.endless !== true) {
      instruments.requests.observeRequest({ route, method: request.method, status, seconds: durationMs / 1000 })
    }
    const slow = durationMs > SLOW_MS && config.endless !== true
    // An overloaded service answers 503 on purpose. The metrics count it; logging each one would add load.
    const failed = status >= 500 && status !== 503
    if (!failed && !slow && !logger.isLevelEnabled('debug')) return
    const fields = {
      method: request.method,
      route,
      status,
      duration_ms: Math.round(durationMs),
      project_id: request.principal?.projectId,
    }
    if (failed) request.log.error(fields, 'request failed')
    else if (slow) request.log.info(fields, 'slow request')
    else request.log.debug(fields, 'request')
  })
}
