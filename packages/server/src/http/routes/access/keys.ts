import type { ProjectId } from '@spoor/contract/ids'
import { OPERATIONS } from '@spoor/contract/operations'
import { KeyCreate } from '@spoor/contract/schemas/key'
import { ListQuery } from '@spoor/contract/schemas/list-query'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireKeyManagement } from '../../../ports/access/scopes.ts'
import type { AccessWatch } from '../../access/access-watch.ts'
import { principalOf } from '../../access/authentication.ts'
import { controlBodyRules } from '../../bodies/body-rules.ts'
import { readControlBody } from '../../bodies/control-body.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { pathId } from '../../kernel/path-id.ts'
import { compileQuery } from '../../kernel/query.ts'
import { bodyTime, pageLimit } from '../../kernel/query-values.ts'
import { serve } from '../../kernel/route.ts'
import { toKey } from '../../../wire/to-wire.ts'
import { compileValidator } from '../../kernel/validate.ts'

export function registerKeyRoutes(app: FastifyInstance, dependencies: HttpDependencies, access: AccessWatch): void {
  const { keys, limits } = dependencies
  const rules = controlBodyRules(dependencies)
  const validateKey = compileValidator(KeyCreate)
  const readQuery = compileQuery(ListQuery)

  serve(app, OPERATIONS.createKey, async (request, reply) => {
    const projectId = reachableProject(request)
    const { name, scopes, expires_at } = await readControlBody(request, rules, validateKey)
    const expiresAt = bodyTime('/expires_at', expires_at ?? null)
    const maker = principalOf(request)
    const { key, secret } = await keys.create({ projectId, name, scopes, expiresAt, maker })
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...toKey(key), secret })
  })

  serve(app, OPERATIONS.listKeys, async (request, reply) => {
    const projectId = reachableProject(request)
    const { limit, cursor } = readQuery(request.url)
    const page = await keys.list({ projectId, limit: pageLimit(limit, limits), cursor: cursor ?? null })
    return reply.send({ keys: page.items.map(toKey), next_cursor: page.nextCursor })
  })

  serve(app, OPERATIONS.revokeKey, async (request, reply) => {
    const projectId = reachableProject(request)
    await keys.revoke({ projectId, keyId: pathId(request, 'key_id', 'key'), mayRevokeAdmin: isAdmin(request) })
    await access.check()
    return reply.code(204).send()
  })
}

/** The project of the path: the sender's own, or any for an admin. Another one is answered as if it did not exist. */
function reachableProject(request: FastifyRequest): ProjectId {
  const projectId = pathId(request, 'id', 'proj')
  requireKeyManagement(principalOf(request), projectId)
  return projectId
}

function isAdmin(request: FastifyRequest): boolean {
  return principalOf(request).scopes.has('admin')
}
