import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import type { KeyStore, StoredKey } from '../ports/access/key-store.ts'
import { listPage, type Page, type PageRequest } from '../lib/list-page.ts'
import type { ProjectStore } from '../ports/access/project-store.ts'

export interface ListKeysRequest extends PageRequest {
  readonly projectId: ProjectId
}

/**
 * The project's keys that are not revoked, the oldest first; an expired one shows by its `expiresAt`. Throws
 * DomainError `not_found` for the project, `invalid_cursor`.
 */
export async function listKeys(
  { projects, keys }: { readonly projects: Pick<ProjectStore, 'find'>; readonly keys: Pick<KeyStore, 'listLive'> },
  { projectId, cursor, limit }: ListKeysRequest,
): Promise<Page<StoredKey>> {
  if ((await projects.find(projectId)) === undefined) throw new DomainError('not_found', 'There is no such project.')
  return listPage('key', cursor, limit, (after, count) => keys.listLive(projectId, after, count))
}
