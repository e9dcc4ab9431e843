import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ShownOnce } from '../../webhooks/subscriptions/use-cases.ts'
import { toDeliveryBody } from '../../wire/delivery-to-wire.ts'
import { toWebhookBody, toWebhookWithSecret } from '../../wire/webhook-to-wire.ts'
import { seesWebhookSecrets } from '../access/authentication.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { serve } from '../kernel/route.ts'

export function registerWebhookRoutes(app: FastifyInstance, { webhooks }: HttpDependencies): void {
  serve(app, OPERATIONS.createWebhook, async ({ projectId, body, reply }) => {
    const { format = 'json', description = '', enabled = true, secret = null, ...rest } = body
    return sendOnce(
      reply.code(201),
      await webhooks.create(projectId, { ...rest, format, description, enabled, secret }),
    )
  })

  serve(app, OPERATIONS.listWebhooks, async ({ projectId, page, principal, reply }) => {
    const { items, nextCursor } = await webhooks.list(projectId, page)
    const seesSecrets = seesWebhookSecrets(principal)
    return reply.send({
      webhooks: items.map((webhook) => toWebhookBody(webhook, seesSecrets)),
      next_cursor: nextCursor,
    })
  })

  serve(app, OPERATIONS.readWebhook, async ({ projectId, params, principal, reply }) =>
    reply.send(toWebhookBody(await webhooks.find(projectId, params.id), seesWebhookSecrets(principal))),
  )

  serve(app, OPERATIONS.patchWebhook, async ({ projectId, params, body, reply }) =>
    reply.send(toWebhookBody(await webhooks.change(projectId, params.id, body), true)),
  )

  serve(app, OPERATIONS.deleteWebhook, async ({ projectId, params, reply }) => {
    await webhooks.remove(projectId, params.id)
    return reply.code(204).send()
  })

  serve(app, OPERATIONS.rotateWebhookSecret, async ({ projectId, params, body, reply }) =>
    sendOnce(reply, await webhooks.rotateSecret(projectId, params.id, body.secret ?? null)),
  )

  serve(app, OPERATIONS.pingWebhook, async ({ projectId, params, reply }) =>
    reply.code(202).send(toDeliveryBody(await webhooks.ping(projectId, params.id))),
  )
}

/** No cache may store a secret. */
function sendOnce(reply: FastifyReply, shown: ShownOnce): FastifyReply {
  return reply.header('cache-control', 'no-store').send(toWebhookWithSecret(shown))
}
