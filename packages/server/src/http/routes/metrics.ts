import { OPERATIONS } from '@spoor/contract/operations'
import { ListQuery } from '@spoor/contract/schemas/list-query'
import { MetricCreate, MetricPatch } from '@spoor/contract/schemas/metrics/metric'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../access/authentication.ts'
import { controlBodyRules } from '../bodies/body-rules.ts'
import { readControlBody } from '../bodies/control-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { toMetric } from '../../wire/metric-to-wire.ts'
import { compileQuery } from '../kernel/query.ts'
import { pageLimit } from '../kernel/query-values.ts'
import { serve } from '../kernel/route.ts'
import { compileValidator } from '../kernel/validate.ts'

/** Definitions of metrics. */
export function registerMetricRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { metrics, limits } = dependencies
  const rules = controlBodyRules(dependencies)
  const validateCreate = compileValidator(MetricCreate)
  const validatePatch = compileValidator(MetricPatch)
  const readQuery = compileQuery(ListQuery)

  serve(app, OPERATIONS.defineMetric, async (request, reply) => {
    const body = await readControlBody(request, rules, validateCreate)
    const { metric, created } = await metrics.define(principalOf(request).projectId, body)
    return reply.code(created ? 201 : 200).send(toMetric(metric))
  })

  serve(app, OPERATIONS.listMetrics, async (request, reply) => {
    const { limit, cursor } = readQuery(request.url)
    const { projectId } = principalOf(request)
    const page = await metrics.list({ projectId, limit: pageLimit(limit, limits), cursor: cursor ?? null })
    return reply.send({ metrics: page.items.map(toMetric), next_cursor: page.nextCursor })
  })

  serve(app, OPERATIONS.getMetric, async (request, reply) => {
    return reply.send(toMetric(await metrics.find(principalOf(request).projectId, nameOf(request))))
  })

  serve(app, OPERATIONS.patchMetric, async (request, reply) => {
    const body = await readControlBody(request, rules, validatePatch)
    return reply.send(toMetric(await metrics.change(principalOf(request).projectId, nameOf(request), body)))
  })
}

/** Percent-encoding is undone already. */
function nameOf(request: FastifyRequest): string {
  return (request.params as { readonly name: string }).name
}
