import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { KeyStore, StoredKey } from './key-store.ts'
import { NEW_PROJECT, type Project, type ProjectStore } from './project-store.ts'
import type { SessionStore, StoredSession } from './session-store.ts'

/** For tests: projects, keys and sessions in arrays. */
export class MemoryAccess {
  #projects: Project[] = []
  #keys: StoredKey[] = []
  /** In the order in which they were made. */
  #sessions: StoredSession[] = []

  readonly projects: ProjectStore = {
    create: async (project, keys) => {
      if (this.#hasProject(project.id)) throw new Error('the project exists')
      const before = this.#keys
      this.#projects.push({ ...project, ...NEW_PROJECT })
      try {
        for (const key of keys) this.#addKey(key)
      } catch (error) {
        this.#keys = before
        this.#projects.pop()
        throw error
      }
    },
    find: async (id) => this.#projects.find((project) => project.id === id),
    change: async (id, { retention, masking, ...others }) => {
      const at = this.#projects.findIndex((project) => project.id === id)
      const found = this.#projects[at]
      if (found === undefined) return undefined
      return (this.#projects[at] = {
        ...found,
        ...others,
        retention: { ...found.retention, ...retention },
        masking: { ...found.masking, ...masking },
      })
    },
    list: async (after, limit) => page(this.#projects, after, limit),
    findByName: async (name) => this.#projects.filter((project) => project.name === name).toSorted(byId),
  }

  readonly keys: KeyStore = {
    create: async (key) => this.#addKey(key),
    revoke: async (id, revokedAt) => {
      this.#keys = this.#keys.map((key) => (key.id === id && key.revokedAt === null ? { ...key, revokedAt } : key))
    },
    setLimits: async (id, limits) => {
      this.#keys = this.#keys.map((key) => (key.id === id ? { ...key, limits } : key))
    },
    find: async (id) => this.#key(id),
    listLive: async (projectId, after, limit) =>
      page(
        this.#keys.filter((key) => key.projectId === projectId && key.revokedAt === null),
        after,
        limit,
      ),
    findBySecretHash: async (hash) => this.#keys.find(({ secretHash }) => isSame(secretHash, hash)),
  }

  readonly sessions: SessionStore = {
    create: async (session, replaced, mostOfKey) => {
      if (this.#key(session.keyId) === undefined) throw new Error('the key does not exist')
      if (replaced !== null) this.#removeSession(replaced)
      const ofKey = [...this.#sessions.filter(({ keyId }) => keyId === session.keyId), session]
      const dropped = new Set(ofKey.slice(0, Math.max(0, ofKey.length - mostOfKey)))
      this.#sessions = [...this.#sessions, session].filter((one) => !dropped.has(one))
    },
    find: async (tokenHash) => {
      const session = this.#sessions.find((one) => isSame(one.tokenHash, tokenHash))
      const key = session && this.#key(session.keyId)
      return session && key && { session, key }
    },
    moveTo: async (tokenHash, projectId) => {
      const at = this.#sessions.findIndex((one) => isSame(one.tokenHash, tokenHash))
      const session = this.#sessions[at]
      if (session === undefined) return
      if (!this.#hasProject(projectId)) throw new Error('the project does not exist')
      this.#sessions[at] = { ...session, projectId }
    },
    remove: async (tokenHash) => this.#removeSession(tokenHash),
    prune: async (endedBy, limit) => {
      const ended = new Set(this.#sessions.filter(({ expiresAt }) => expiresAt <= endedBy).slice(0, limit))
      this.#sessions = this.#sessions.filter((session) => !ended.has(session))
    },
  }

  #addKey(key: StoredKey): void {
    if (!this.#hasProject(key.projectId)) throw new Error('the project does not exist')
    if (this.#keys.some(({ id, secretHash }) => id === key.id || isSame(secretHash, key.secretHash))) {
      throw new Error('the key exists')
    }
    this.#keys = [...this.#keys, key]
  }

  #key(id: KeyId): StoredKey | undefined {
    return this.#keys.find((key) => key.id === id)
  }

  #hasProject(id: ProjectId): boolean {
    return this.#projects.some((project) => project.id === id)
  }

  #removeSession(tokenHash: Uint8Array): void {
    this.#sessions = this.#sessions.filter((session) => !isSame(session.tokenHash, tokenHash))
  }
}

function page<Row extends { readonly id: string }>(rows: readonly Row[], after: string | null, limit: number): Row[] {
  return rows
    .filter(({ id }) => after === null || id > after)
    .toSorted(byId)
    .slice(0, limit)
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
