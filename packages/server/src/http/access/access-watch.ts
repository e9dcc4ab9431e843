import type { ProjectId } from '@spoor/contract/ids'
import type { Timers } from '../../lib/time/timers.ts'
import { type Credential, isStillAuthorized } from './authentication.ts'
import type { Authenticator } from '../connections/ports.ts'

interface Watched {
  readonly credential: Credential
  readonly projectId: ProjectId
  readonly ends: Set<() => void>
}

export interface AccessWatchDependencies {
  readonly authenticator: Authenticator
  readonly timers: Timers
  /** Called if a look-up fails. All answers stay open then. */
  readonly onError: (error: unknown) => void
}

/** The longest time until a key that expires, or that another process revokes, is noticed. */
const CHECK_MS = 15_000

/** Ends open answers when their key or session ends, or when the session switches to another project. */
export class AccessWatch {
  readonly #dependencies: AccessWatchDependencies
  readonly #watched = new Map<string, Watched>()
  readonly #cancel: () => void

  constructor(dependencies: AccessWatchDependencies) {
    this.#dependencies = dependencies
    this.#cancel = dependencies.timers.every(CHECK_MS, () => void this.check())
  }

  /**
   * Calls `end` when `credential`, which was valid for the project a moment ago, no longer is. Returns a function that
   * MUST be called when the answer has ended; further calls have no effect.
   */
  watch(credential: Credential, projectId: ProjectId, end: () => void): () => void {
    const name = JSON.stringify([credential, projectId])
    const watched = this.#watched.get(name) ?? { credential, projectId, ends: new Set() }
    this.#watched.set(name, watched)
    watched.ends.add(end)
    return () => {
      if (watched.ends.delete(end) && watched.ends.size === 0) this.#watched.delete(name)
    }
  }

  /** Checks at once, after a key or session of this process has changed. One look-up for each key or session. */
  async check(): Promise<void> {
    try {
      for (const { credential, projectId, ends } of this.#watched.values()) {
        if (await isStillAuthorized(this.#dependencies.authenticator, credential, projectId)) continue
        for (const end of ends) end()
      }
    } catch (error) {
      this.#dependencies.onError(error)
    }
  }

  close(): void {
    this.#cancel()
  }
}
