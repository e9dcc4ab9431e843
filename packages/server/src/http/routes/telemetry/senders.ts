import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import { toSender } from '../../../wire/sender-to-wire.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'

export function registerSenderRoute(app: FastifyInstance, { senders }: Pick<HttpDependencies, 'senders'>): void {
  serve(app, OPERATIONS.listSenders, async ({ projectId, reply }) => {
    const found = await senders.list(projectId)
    return reply.send({ senders: found.senders.map(toSender), complete: found.complete })
  })
}
