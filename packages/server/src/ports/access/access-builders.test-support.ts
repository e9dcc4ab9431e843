import type { KeyId, ProjectId } from '@spoor/contract/ids'
import { type KeyStore, NO_LIMITS, type StoredKey } from './key-store.ts'
import { NEW_PROJECT, type Project, type ProjectStore } from './project-store.ts'
import type { SessionStore, StoredSession } from './session-store.ts'

/** Projects, keys and sessions refer to one another, so one adapter has all three. */
export interface AccessStores {
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
}

/** Numbers are single digits; ids are greater for greater ones. */
export const projectId = (number: number) => `proj_01h2xcejqtf2nbrexx3vqjhp4${number}` as ProjectId
export const keyId = (number: number) => `key_01h2xcejqtf2nbrexx3vqjhp4${number}` as KeyId
export const hashOf = (number: number) => new Uint8Array(32).fill(number)

export function aProject(number: number, fields: Partial<Project> = {}): Project {
  return { id: projectId(number), name: `project ${number}`, createdAt: number, ...NEW_PROJECT, ...fields }
}

/** Of the first project, in force for ever. */
export function aKey(number: number, fields: Partial<StoredKey> = {}): StoredKey {
  return {
    id: keyId(number),
    projectId: projectId(1),
    name: `key ${number}`,
    scopes: ['ingest', 'media:sign'],
    secretHash: hashOf(100 + number),
    lastFour: 'abcd',
    createdAt: 5,
    expiresAt: null,
    revokedAt: null,
    limits: NO_LIMITS,
    ...fields,
  }
}

/** Of the first key, from 10 to 100. */
export function aSession(number: number, fields: Partial<StoredSession> = {}): StoredSession {
  return { tokenHash: hashOf(number), keyId: keyId(1), projectId: null, createdAt: 10, expiresAt: 100, ...fields }
}
