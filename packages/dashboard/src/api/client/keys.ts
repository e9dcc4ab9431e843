import type { CreatedKey, Key, KeyCreate, KeyPatch } from '@spoor/contract/schemas/key'
import { allQuery } from './queries.ts'
import { patch, post, remove } from './request.ts'

const pathOf = (projectId: string) => `/v1/projects/${projectId}/keys`

/** The active keys of a project, oldest first. */
export const keysQuery = (projectId: string) => allQuery<Key>(['keys', projectId], pathOf(projectId), 'keys')

export const createKey = (projectId: string, body: KeyCreate) => post<CreatedKey>(pathOf(projectId), body)
export const changeKey = (projectId: string, id: string, body: KeyPatch) =>
  patch<Key>(`${pathOf(projectId)}/${id}`, body)
export const revokeKey = (projectId: string, id: string) => remove(`${pathOf(projectId)}/${id}`)
