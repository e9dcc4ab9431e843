import type { ProjectId } from '@spoor/contract/ids'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { principalOf } from './authentication.ts'
import { pathId } from '../kernel/path-id.ts'

/** The project of the path, which must be the one the sender is in. Another one is answered as if it did not exist, whatever the key may do. */
export function ownProject(request: FastifyRequest): ProjectId {
  const projectId = pathId(request, 'project_id', 'proj')
  if (projectId === principalOf(request).projectId) return projectId
  throw new DomainError('not_found', 'There is no such project.')
}
