import { OPERATIONS } from '@spoor/contract/operations'
import { ListQuery } from '@spoor/contract/schemas/list-query'
import { WebhookCreate, WebhookPatch, WebhookRotate } from '@spoor/contract/schemas/webhook'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ShownOnce } from '../../webhooks/subscriptions/use-cases.ts'
import { controlBodyRules } from '../bodies/body-rules.ts'
import { readControlBody } from '../bodies/control-body.ts'
import { toDeliveryBody } from '../../wire/delivery-to-wire.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { ownProject } from '../access/own-project.ts'
import { pathId } from '../kernel/path-id.ts'
import { compileQuery } from '../kernel/query.ts'
import { pageLimit } from '../kernel/query-values.ts'
import { serve } from '../kernel/route.ts'
import { compileValidator, invalid } from '../kernel/validate.ts'
import { seesWebhookSecrets } from '../access/authentication.ts'
import { toWebhookBody, toWebhookWithSecret } from '../../wire/webhook-to-wire.ts'

export function registerWebhookRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { webhooks } = dependencies
  const rules = controlBodyRules(dependencies)
  const validateCreate = compileValidator(WebhookCreate)
  const validateFields = compileValidator(WebhookPatch)
  const validateRotate = compileValidator(WebhookRotate)
  const readQuery = compileQuery(ListQuery)
  const place = (request: FastifyRequest) => [ownProject(request), pathId(request, 'id', 'wh')] as const

  serve(app, OPERATIONS.createWebhook, async (request, reply) => {
    const projectId = ownProject(request)
    const {
      description = '',
      enabled = true,
      secret = null,
      ...body
    } = await readControlBody(request, rules, validateCreate)
    return sendOnce(reply.code(201), await webhooks.create(projectId, { ...body, description, enabled, secret }))
  })

  serve(app, OPERATIONS.listWebhooks, async (request, reply) => {
    const projectId = ownProject(request)
    const { limit, cursor } = readQuery(request.url)
    const page = { limit: pageLimit(limit, dependencies.limits), cursor: cursor ?? null }
    const { items, nextCursor } = await webhooks.list(projectId, page)
    const seesSecrets = seesWebhookSecrets(request)
    return reply.send({
      webhooks: items.map((webhook) => toWebhookBody(webhook, seesSecrets)),
      next_cursor: nextCursor,
    })
  })

  serve(app, OPERATIONS.readWebhook, async (request, reply) =>
    reply.send(toWebhookBody(await webhooks.find(...place(request)), seesWebhookSecrets(request))),
  )

  serve(app, OPERATIONS.patchWebhook, async (request, reply) => {
    const [projectId, id] = place(request)
    const change = await readControlBody(request, rules, validatePatch)
    return reply.send(toWebhookBody(await webhooks.change(projectId, id, change), true))
  })

  serve(app, OPERATIONS.deleteWebhook, async (request, reply) => {
    await webhooks.remove(...place(request))
    return reply.code(204).send()
  })

  serve(app, OPERATIONS.rotateWebhookSecret, async (request, reply) => {
    const [projectId, id] = place(request)
    const { secret } = await readControlBody(request, rules, validateRotate)
    return sendOnce(reply, await webhooks.rotateSecret(projectId, id, secret ?? null))
  })

  serve(app, OPERATIONS.pingWebhook, async (request, reply) =>
    reply.code(202).send(toDeliveryBody(await webhooks.ping(...place(request)))),
  )

  /** Whoever looks for the secret here is told where it is. */
  function validatePatch(body: unknown): WebhookPatch {
    if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'secret')) return validateFields(body)
    const detail = 'A secret is changed with POST …/rotate-secret, so that the old one signs too for a while.'
    throw invalid([{ pointer: '/secret', code: 'unknown_field', detail }])
  }
}

/** Nobody between here and the client keeps a secret. */
function sendOnce(reply: FastifyReply, shown: ShownOnce): FastifyReply {
  return reply.header('cache-control', 'no-store').send(toWebhookWithSecret(shown))
}
