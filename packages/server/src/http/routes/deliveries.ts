import { OPERATIONS } from '@spoor/contract/operations'
import { DeliveryQuery, RedeliverFailed } from '@spoor/contract/schemas/delivery'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { controlBodyRules } from '../bodies/body-rules.ts'
import { readControlBody } from '../bodies/control-body.ts'
import { toDeliveryBody, toDeliveryDetail } from '../../wire/delivery-to-wire.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { ownProject } from '../access/own-project.ts'
import { pathId } from '../kernel/path-id.ts'
import { compileQuery } from '../kernel/query.ts'
import { pageLimit, parseTime, queryTime } from '../kernel/query-values.ts'
import { serve } from '../kernel/route.ts'
import { compileValidator } from '../kernel/validate.ts'
import { seesWebhookSecrets } from '../access/authentication.ts'

export function registerDeliveryRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { webhooks } = dependencies
  const rules = controlBodyRules(dependencies)
  const validateSince = compileValidator(RedeliverFailed)
  const readQuery = compileQuery(DeliveryQuery)
  const place = (request: FastifyRequest) => [ownProject(request), pathId(request, 'id', 'wh')] as const
  const deliveryId = (request: FastifyRequest) => pathId(request, 'delivery_id', 'dlv')

  serve(app, OPERATIONS.listDeliveries, async (request, reply) => {
    const [projectId, id] = place(request)
    const query = readQuery(request.url)
    const { items, nextCursor } = await webhooks.deliveries(projectId, id, {
      eventType: query.event ?? null,
      status: query.status ?? null,
      startTime: queryTime('start_time', query.start_time),
      endTime: queryTime('end_time', query.end_time),
      limit: pageLimit(query.limit, dependencies.limits),
      cursor: query.cursor ?? null,
    })
    return reply.send({ deliveries: items.map(toDeliveryBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readDelivery, async (request, reply) =>
    reply.send(
      toDeliveryDetail(
        await webhooks.findDelivery(...place(request), deliveryId(request)),
        seesWebhookSecrets(request),
      ),
    ),
  )

  serve(app, OPERATIONS.redeliver, async (request, reply) =>
    reply.code(202).send(toDeliveryBody(await webhooks.redeliver(...place(request), deliveryId(request)))),
  )

  serve(app, OPERATIONS.redeliverFailed, async (request, reply) => {
    const [projectId, id] = place(request)
    const { since } = await readControlBody(request, rules, validateSince)
    const count = await webhooks.redeliverFailed(projectId, id, parseTime('/since', since))
    return reply.code(202).send({ count })
  })
}
