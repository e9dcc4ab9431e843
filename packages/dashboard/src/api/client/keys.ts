import type { CreatedKey, Key, KeyCreate } from '@spoor/contract/schemas/key'
import { queryOptions } from '@tanstack/react-query'
import { listAll } from './list-all.ts'
import { request } from './request.ts'

/** The active keys of a project, oldest first. */
export function keysQuery(projectId: string) {
  return queryOptions({
    queryKey: ['keys', projectId],
    queryFn: ({ signal }) => listAll<Key>(`/v1/projects/${projectId}/keys`, 'keys', signal),
  })
}

export function createKey(projectId: string, body: KeyCreate): Promise<CreatedKey> {
  return request(`/v1/projects/${projectId}/keys`, { method: 'POST', body })
}

export function revokeKey(projectId: string, id: string): Promise<void> {
  return request(`/v1/projects/${projectId}/keys/${id}`, { method: 'DELETE' })
}
