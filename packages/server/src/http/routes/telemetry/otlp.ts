import { OTLP_BASES } from '@spoor/contract/otlp'
import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { ownProject } from '../../kernel/own-project.ts'
import { exportHandler } from '../../otlp/export-handler.ts'
import { metricsAnswer } from '../../otlp/metrics-answer.ts'
import { sendExportResponse } from '../../otlp/otlp-answers.ts'

const config = { scopes: ['ingest'], admission: 'key', otlp: 'only' } as const

/**
 * Routes that only exporters of OpenTelemetry call. The protocol defines them, so they are no operations of the API;
 * `commitTrace`, which takes exports too, describes them.
 */
export function registerOtlpRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { read } = exportHandler(dependencies)
  for (const base of ['', ...OTLP_BASES]) {
    app.post(`${base}/v1/logs`, { config }, (request, reply) =>
      read({ projectId: ownProject(request), request, reply }, 'logs'),
    )
  }
  for (const base of OTLP_BASES) {
    app.post(`${base}/v1/traces`, { config }, (request, reply) =>
      read({ projectId: ownProject(request), request, reply }),
    )
    app.post(`${base}/v1/metrics`, { config }, (request, reply) => {
      const warning = metricsAnswer(dependencies, ownProject(request))
      return sendExportResponse(reply, request.otlp ?? 'json', 'rejectedDataPoints', 0, warning)
    })
  }
}
