import { OPERATIONS } from '@spoor/contract/operations'
import { ListQuery } from '@spoor/contract/schemas/list-query'
import { MonitorCreate, MonitorPatch, MonitorPreview } from '@spoor/contract/schemas/monitor'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageRequest } from '../../lib/list-page.ts'
import { principalOf } from '../access/authentication.ts'
import { controlBodyRules } from '../bodies/body-rules.ts'
import { readControlBody } from '../bodies/control-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { toMonitorChange, toMonitorDraft } from '../bodies/monitor-from-wire.ts'
import { toHistoryBody, toMonitorBody, toPreviewBody } from '../../wire/monitor-to-wire.ts'
import { pathId } from '../kernel/path-id.ts'
import { compileQuery } from '../kernel/query.ts'
import { bodyTime, pageLimit } from '../kernel/query-values.ts'
import { serve } from '../kernel/route.ts'
import { compileValidator } from '../kernel/validate.ts'

export function registerMonitorRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { monitors, limits } = dependencies
  const rules = controlBodyRules(dependencies)
  const validateCreate = compileValidator(MonitorCreate)
  const validatePatch = compileValidator(MonitorPatch)
  const validatePreview = compileValidator(MonitorPreview)
  const readQuery = compileQuery(ListQuery)
  const place = (request: FastifyRequest) => [principalOf(request).projectId, pathId(request, 'id', 'mon')] as const

  function page(request: FastifyRequest): PageRequest {
    const { limit, cursor } = readQuery(request.url)
    return { limit: pageLimit(limit, limits), cursor: cursor ?? null }
  }

  serve(app, OPERATIONS.createMonitor, async (request, reply) => {
    const draft = toMonitorDraft(await readControlBody(request, rules, validateCreate))
    return reply.code(201).send(toMonitorBody(await monitors.create(principalOf(request).projectId, draft)))
  })

  serve(app, OPERATIONS.listMonitors, async (request, reply) => {
    const { items, nextCursor } = await monitors.list(principalOf(request).projectId, page(request))
    return reply.send({ monitors: items.map(toMonitorBody), next_cursor: nextCursor })
  })

  serve(app, OPERATIONS.readMonitor, async (request, reply) =>
    reply.send(toMonitorBody(await monitors.find(...place(request)))),
  )

  serve(app, OPERATIONS.patchMonitor, async (request, reply) => {
    const [projectId, id] = place(request)
    const change = toMonitorChange(await readControlBody(request, rules, validatePatch))
    return reply.send(toMonitorBody(await monitors.patch(projectId, id, change)))
  })

  serve(app, OPERATIONS.deleteMonitor, async (request, reply) => {
    await monitors.remove(...place(request))
    return reply.code(204).send()
  })

  serve(app, OPERATIONS.readMonitorHistory, async (request, reply) => {
    const { items, nextCursor } = await monitors.history(...place(request), page(request))
    return reply.send({ history: items.map(toHistoryBody), next_cursor: nextCursor })
  })

  const preview = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = await readControlBody(request, rules, validatePreview)
    const found = await monitors.preview(principalOf(request).projectId, {
      draft: toMonitorDraft({ ...body, name: body.name ?? 'preview' }),
      startTime: bodyTime('/start_time', body.start_time ?? null),
      endTime: bodyTime('/end_time', body.end_time ?? null),
    })
    return reply.send(toPreviewBody(found))
  }
  serve(app, OPERATIONS.previewMonitor, preview, { reads: true })
}
