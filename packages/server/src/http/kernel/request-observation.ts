import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from './dependencies.ts'

/** A request that took longer is worth a line in the log. */
const SLOW_MS = 2000

/** Counts every request; logs only what failed on our side or was slow, and everything at level debug. */
export function observeRequests(app: FastifyInstance, { instruments, logger }: HttpDependencies): void {
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode: status, elapsedTime: durationMs } = reply
    const { url, config } = request.routeOptions
    const route = url ?? 'unmatched'
    if (config.endless !== true) {
      instruments.requests.observeRequest({ route, method: request.method, status, seconds: durationMs / 1000 })
    }
    const slow = durationMs > SLOW_MS && config.endless !== true
    // A refusal that asks to try again is what an overloaded service is meant to say: the metrics count it, a line for each would be one more load.
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
