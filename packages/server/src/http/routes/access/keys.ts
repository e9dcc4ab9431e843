import { OPERATIONS } from '@spoor/contract/operations'
import type { ProjectId } from '@spoor/contract/ids'
import type { FastifyInstance } from 'fastify'
import { camelKeys } from '../../../lib/camel-keys.ts'
import { requireKeyManagement } from '../../../ports/access/scopes.ts'
import { toKey } from '../../../wire/to-wire.ts'
import type { AccessWatch } from '../../access/access-watch.ts'
import type { Principal } from '../../connections/ports.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { bodyTime } from '../../kernel/request-times.ts'
import { serve } from '../../kernel/route.ts'

export function registerKeyRoutes(app: FastifyInstance, { keys }: HttpDependencies, access: AccessWatch): void {
  /** The project of the path: the sender's own, or any for an admin. Others are `not_found`. */
  const authorize = ({ principal, params }: { principal: Principal; params: { id: ProjectId } }) =>
    requireKeyManagement(principal, params.id)

  serve(
    app,
    OPERATIONS.createKey,
    async ({ params, body, principal: maker, reply }) => {
      const { name, scopes, expires_at, ...limited } = body
      const expiresAt = bodyTime('/expires_at', expires_at ?? null)
      const limits = camelKeys(limited)
      const { key, secret } = await keys.create({ projectId: params.id, name, scopes, expiresAt, limits, maker })
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...toKey(key), secret })
    },
    { authorize },
  )

  serve(
    app,
    OPERATIONS.listKeys,
    async ({ params, page, reply }) => {
      const { items, nextCursor } = await keys.list({ projectId: params.id, ...page })
      return reply.send({ keys: items.map(toKey), next_cursor: nextCursor })
    },
    { authorize },
  )

  serve(
    app,
    OPERATIONS.changeKey,
    async ({ params, body, principal: changer, reply }) => {
      const { id: projectId, key_id: keyId } = params
      return reply.send(toKey(await keys.change({ projectId, keyId, limits: camelKeys(body), changer })))
    },
    { authorize },
  )

  serve(
    app,
    OPERATIONS.revokeKey,
    async ({ params, principal, reply }) => {
      const mayRevokeAdmin = principal.scopes.has('admin')
      await keys.revoke({ projectId: params.id, keyId: params.key_id, mayRevokeAdmin })
      await access.check()
      return reply.code(204).send()
    },
    { authorize },
  )
}
