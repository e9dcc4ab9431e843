import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import { toHistoryBody, toMonitorBody, toPreviewBody } from '../../wire/monitor-to-wire.ts'
import { toMonitorChange, toMonitorDraft } from '../bodies/monitor-from-wire.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { serve } from '../kernel/route.ts'

export function registerMonitorRoutes(app: FastifyInstance, { monitors }: HttpDependencies): void {
  serve(app, OPERATIONS.createMonitor, async ({ projectId, body, reply }) =>
    reply.code(201).send(toMonitorBody(await monitors.create(projectId, toMonitorDraft(body)))),
  )

  serve(app, OPERATIONS.listMonitors, async ({ projectId, page, reply }) => {
    const { items, nextCursor } = await monitors.list(projectId, page)
    return reply.send({ monitors: items.map(toMonitorBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readMonitor, async ({ projectId, params, reply }) =>
    reply.send(toMonitorBody(await monitors.find(projectId, params.id))),
  )

  serve(app, OPERATIONS.patchMonitor, async ({ projectId, params, body, reply }) =>
    reply.send(toMonitorBody(await monitors.patch(projectId, params.id, toMonitorChange(body)))),
  )

  serve(app, OPERATIONS.deleteMonitor, async ({ projectId, params, reply }) => {
    await monitors.remove(projectId, params.id)
    return reply.code(204).send()
  })

  serve(app, OPERATIONS.readMonitorHistory, async ({ projectId, params, page, reply }) => {
    const { items, nextCursor } = await monitors.history(projectId, params.id, page)
    return reply.send({ history: items.map(toHistoryBody), next_cursor: nextCursor })
  })

  serve(
    app,
    OPERATIONS.previewMonitor,
    async ({ projectId, body, reply }) => {
      const found = await monitors.preview(projectId, {
        draft: toMonitorDraft({ ...body, name: body.name ?? 'preview' }),
        startTime: body.start_time ?? null,
        endTime: body.end_time ?? null,
      })
      return reply.send(toPreviewBody(found))
    },
    { reads: true },
  )
}
