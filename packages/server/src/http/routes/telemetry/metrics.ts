import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import { toMetric } from '../../../wire/metric-to-wire.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'
import { sendExportResponse } from '../../otlp/otlp-answers.ts'
import { metricsAnswer } from '../../otlp/metrics-answer.ts'
import { ownProject } from '../../kernel/own-project.ts'

export function registerMetricRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { metrics } = dependencies
  serve(
    app,
    OPERATIONS.defineMetric,
    async ({ projectId, body, reply }) => {
      const { metric, created } = await metrics.define(projectId, body)
      return reply.code(created ? 201 : 200).send(toMetric(metric))
    },
    {
      otlp: 'shared',
      answerExport: (encoding, request, reply) =>
        sendExportResponse(reply, encoding, 'rejectedDataPoints', 0, metricsAnswer(dependencies, ownProject(request))),
    },
  )

  serve(app, OPERATIONS.listMetrics, async ({ projectId, page, reply }) => {
    const { items, nextCursor } = await metrics.list({ projectId, ...page })
    return reply.send({ metrics: items.map(toMetric), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.getMetric, async ({ projectId, params, reply }) =>
    reply.send(toMetric(await metrics.find(projectId, params.name))),
  )

  serve(app, OPERATIONS.patchMetric, async ({ projectId, params, body, reply }) =>
    reply.send(toMetric(await metrics.change(projectId, params.name, body))),
  )
}
