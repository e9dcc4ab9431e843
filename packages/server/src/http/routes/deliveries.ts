import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import { toDeliveryBody, toDeliveryDetail } from '../../wire/delivery-to-wire.ts'
import { seesWebhookSecrets } from '../access/authentication.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { serve } from '../kernel/route.ts'

export function registerDeliveryRoutes(app: FastifyInstance, { webhooks }: HttpDependencies): void {
  serve(app, OPERATIONS.listDeliveries, async ({ projectId, params, query, page, reply }) => {
    const { items, nextCursor } = await webhooks.deliveries(projectId, params.id, {
      eventType: query.event ?? null,
      status: query.status ?? null,
      startTime: query.start_time ?? null,
      endTime: query.end_time ?? null,
      ...page,
    })
    return reply.send({ deliveries: items.map(toDeliveryBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readDelivery, async ({ projectId, params, principal, reply }) => {
    const delivery = await webhooks.findDelivery(projectId, params.id, params.delivery_id)
    return reply.send(toDeliveryDetail(delivery, seesWebhookSecrets(principal)))
  })

  serve(app, OPERATIONS.redeliver, async ({ projectId, params, reply }) =>
    reply.code(202).send(toDeliveryBody(await webhooks.redeliver(projectId, params.id, params.delivery_id))),
  )

  serve(app, OPERATIONS.redeliverFailed, async ({ projectId, params, body, reply }) => {
    const count = await webhooks.redeliverFailed(projectId, params.id, body.since)
    return reply.code(202).send({ count })
  })
}
