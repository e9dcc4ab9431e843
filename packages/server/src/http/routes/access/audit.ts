import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import { toAuditEntry } from '../../../wire/audit-to-wire.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'

export function registerAuditRoute(app: FastifyInstance, { audit }: HttpDependencies): void {
  serve(app, OPERATIONS.listAudit, async ({ principal, projectId, query, page, reply }) => {
    const filters = {
      projectId,
      alsoOfNone: principal.scopes.has('admin'),
      action: query.action ?? null,
      actorId: query.actor ?? null,
      targetId: query.target ?? null,
      startTime: query.start_time ?? null,
      endTime: query.end_time ?? null,
    }
    const { items, nextCursor } = await audit.list(filters, page)
    return reply.send({ entries: items.map(toAuditEntry), next_cursor: nextCursor })
  })
}
