import { OPERATIONS } from '@spoor/contract/operations'
import type { DeletionBody } from '@spoor/contract/schemas/deletion'
import type { FastifyInstance } from 'fastify'
import { toJob } from '../../../wire/job-to-wire.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'
import { toFeedFilters } from './feed-filters.ts'

export function registerDeletionRoutes(app: FastifyInstance, { deletions }: HttpDependencies): void {
  serve(app, OPERATIONS.deleteTraces, async ({ projectId, body, request, reply }) => {
    const { dry_run = false, all = false, ...given } = body
    const asked = { projectId, filters: toFeedFilters(given, metadataPairs(given)), all }
    if (dry_run) {
      // Nothing is deleted, so nothing is recorded.
      request.audited = null
      return reply.send({ count: await deletions.count(asked) })
    }
    const { id } = await deletions.create(asked)
    return reply.code(202).header('location', `/v1/jobs/${id}`).send({ job_id: id })
  })

  serve(app, OPERATIONS.deleteUser, async ({ projectId, params, reply }) => {
    const { id } = await deletions.createOfUser(projectId, params.user_id)
    return reply.code(202).header('location', `/v1/jobs/${id}`).send({ job_id: id })
  })

  serve(app, OPERATIONS.getJob, async ({ projectId, params, reply }) =>
    reply.send(toJob(await deletions.find(projectId, params.id))),
  )

  serve(app, OPERATIONS.cancelJob, async ({ projectId, params, reply }) =>
    reply.send(toJob(await deletions.cancel(projectId, params.id))),
  )
}

/** As a query has them: each value after its key. */
function metadataPairs({ meta_key = [], meta_value = [] }: Pick<DeletionBody, 'meta_key' | 'meta_value'>) {
  const pairs = new URLSearchParams()
  for (let at = 0; at < Math.max(meta_key.length, meta_value.length); at++) {
    if (meta_key[at] !== undefined) pairs.append('meta_key', meta_key[at] ?? '')
    if (meta_value[at] !== undefined) pairs.append('meta_value', meta_value[at] ?? '')
  }
  return pairs
}
