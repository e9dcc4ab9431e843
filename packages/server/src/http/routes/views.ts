import { OPERATIONS } from '@spoor/contract/operations'
import type { DashboardPatch } from '@spoor/contract/schemas/dashboard'
import type { ViewPatch } from '@spoor/contract/schemas/view'
import type { FastifyInstance } from 'fastify'
import { toDashboard, toView } from '../../wire/view-to-wire.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { bodyTime } from '../kernel/request-times.ts'
import { serve } from '../kernel/route.ts'

export function registerViewRoutes(app: FastifyInstance, { views, dashboards }: HttpDependencies): void {
  serve(app, OPERATIONS.createView, async ({ principal, body, reply }) => {
    checkTimes(body)
    return reply.code(201).send(toView(await views.create(principal, body)))
  })

  serve(app, OPERATIONS.listViews, async ({ projectId, page, reply }) => {
    const { items, nextCursor } = await views.list(projectId, page)
    return reply.send({ views: items.map(toView), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.patchView, async ({ principal, params, body, reply }) => {
    checkTimes(body)
    return reply.send(toView(await views.change(principal, params.id, body)))
  })

  serve(app, OPERATIONS.deleteView, async ({ principal, params, reply }) => {
    await views.remove(principal, params.id)
    return reply.code(204).send()
  })

  serve(app, OPERATIONS.createDashboard, async ({ principal, body, reply }) => {
    checkTileTimes(body)
    return reply.code(201).send(toDashboard(await dashboards.create(principal, body)))
  })

  serve(app, OPERATIONS.listDashboards, async ({ projectId, page, reply }) => {
    const { items, nextCursor } = await dashboards.list(projectId, page)
    return reply.send({ dashboards: items.map(toDashboard), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.patchDashboard, async ({ principal, params, body, reply }) => {
    checkTileTimes(body)
    return reply.send(toDashboard(await dashboards.change(principal, params.id, body)))
  })

  serve(app, OPERATIONS.deleteDashboard, async ({ principal, params, reply }) => {
    await dashboards.remove(principal, params.id)
    return reply.code(204).send()
  })
}

/** Times are stored as they were sent. Throws `validation_failed` for a day that does not exist. */
function checkTimes({ query = {} }: Pick<ViewPatch, 'query'>, at = ''): void {
  for (const name of ['start_time', 'end_time', 'event_start_time', 'event_end_time'] as const)
    bodyTime(`${at}/query/${name}`, query[name] ?? null)
}

function checkTileTimes({ tiles = [] }: DashboardPatch): void {
  for (const [at, { view }] of tiles.entries()) checkTimes(view ?? {}, `/tiles/${at}/view`)
}
