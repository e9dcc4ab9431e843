import type { ProjectId } from '@spoor/contract/ids'
import { OPERATIONS } from '@spoor/contract/operations'
import type { ProjectPatch } from '@spoor/contract/schemas/project'
import type { FastifyInstance } from 'fastify'
import { camelKeys } from '../../../lib/camel-keys.ts'
import type { Page } from '../../../lib/list-page.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import { requireKeyManagement, requireScope } from '../../../ports/access/scopes.ts'
import type { Project, SettingsChange } from '../../../ports/access/project-store.ts'
import { checkMasking } from '../../../projects/check-masking.ts'
import { toProject } from '../../../wire/to-wire.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'

export function registerProjectRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { projects, retention } = dependencies
  serve(app, OPERATIONS.createProject, async ({ body, reply }) =>
    reply.code(201).send(toProject(await projects.create({ name: body.name }))),
  )

  serve(app, OPERATIONS.listProjects, async ({ principal, projectId, page, reply }) => {
    const isAdmin = principal.scopes.has('admin')
    const { items, nextCursor } = isAdmin ? await projects.list(page) : await onlyProject(projectId)
    return reply.send({ projects: items.map(toProject), next_cursor: nextCursor })
  })

  serve(
    app,
    OPERATIONS.changeProject,
    async ({ params, body, reply }) =>
      reply.send(toProject(await projects.change({ projectId: params.id, ...toSettings(body) }))),
    { authorize: ({ principal, params }) => requireKeyManagement(principal, params.id) },
  )

  serve(
    app,
    OPERATIONS.previewRetention,
    async ({ params, query, reply }) => {
      const times = { days: null, flaggedDays: null, mediaDays: null, ...camelKeys(query) }
      const { traces, flaggedTraces, attachments } = await retention.preview(params.id, times)
      return reply.send({ traces, flagged_traces: flaggedTraces, attachments })
    },
    { authorize: ({ principal, params }) => requireKeyManagement(principal, params.id) },
  )

  serve(
    app,
    OPERATIONS.previewMasking,
    async ({ params, body, reply }) => {
      await checkMasking(body.masking)
      return reply.send(await dependencies.traces.previewMasking(params.id, body.masking, body.traces ?? 20))
    },
    {
      authorize: ({ principal, params }) => {
        if (principal.projectId !== params.id) throw new DomainError('not_found', 'There is no such project.')
        requireKeyManagement(principal, params.id)
        requireScope(principal, 'read')
      },
    },
  )

  async function onlyProject(projectId: ProjectId): Promise<Page<Project>> {
    const own = await projects.find(projectId)
    return { items: own === undefined ? [] : [own], nextCursor: null }
  }
}

/** Fields that are not given are left out: they do not change. */
function toSettings({ retention, ...settings }: ProjectPatch): SettingsChange {
  return { ...camelKeys(settings), ...(retention !== undefined && { retention: camelKeys(retention) }) }
}
