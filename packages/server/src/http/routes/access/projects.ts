import type { ProjectId } from '@spoor/contract/ids'
import { OPERATIONS } from '@spoor/contract/operations'
import { ListQuery } from '@spoor/contract/schemas/list-query'
import { ProjectCreate } from '@spoor/contract/schemas/project'
import type { FastifyInstance } from 'fastify'
import type { Page } from '../../../lib/list-page.ts'
import type { Project } from '../../../ports/access/project-store.ts'
import { principalOf } from '../../access/authentication.ts'
import { controlBodyRules } from '../../bodies/body-rules.ts'
import { readControlBody } from '../../bodies/control-body.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { compileQuery } from '../../kernel/query.ts'
import { pageLimit } from '../../kernel/query-values.ts'
import { serve } from '../../kernel/route.ts'
import { toProject } from '../../../wire/to-wire.ts'
import { compileValidator } from '../../kernel/validate.ts'

export function registerProjectRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { projects, limits } = dependencies
  const rules = controlBodyRules(dependencies)
  const validateProject = compileValidator(ProjectCreate)
  const readQuery = compileQuery(ListQuery)

  serve(app, OPERATIONS.createProject, async (request, reply) => {
    const { name } = await readControlBody(request, rules, validateProject)
    return reply.code(201).send(toProject(await projects.create({ name })))
  })

  serve(app, OPERATIONS.listProjects, async (request, reply) => {
    const { limit, cursor } = readQuery(request.url)
    const { scopes, projectId } = principalOf(request)
    const page = { limit: pageLimit(limit, limits), cursor: cursor ?? null }
    const { items, nextCursor } = scopes.has('admin') ? await projects.list(page) : await onlyProject(projectId)
    return reply.send({ projects: items.map(toProject), next_cursor: nextCursor })
  })

  async function onlyProject(projectId: ProjectId): Promise<Page<Project>> {
    const own = await projects.find(projectId)
    return { items: own === undefined ? [] : [own], nextCursor: null }
  }
}
