import type { ProjectId } from '@spoor/contract/ids'
import type { Timers } from '../../lib/time/timers.ts'
import { type Credential, isStillLetIn } from './authentication.ts'
import type { Authenticator } from '../connections/ports.ts'

interface Watched {
  readonly credential: Credential
  readonly projectId: ProjectId
  readonly ends: Set<() => void>
}

export interface AccessWatchDependencies {
  readonly authenticator: Authenticator
  readonly timers: Timers
  /** Told why it cannot be known now who may stay: everyone does. */
  readonly onError: (error: unknown) => void
}

/** What another process revokes, and what expires, is noticed after this long at most. */
const CHECK_MS = 15_000

/** Ends answers that stay open when the key or session that they were asked for with ends or goes on in another project. */
export class AccessWatch {
  readonly #dependencies: AccessWatchDependencies
  readonly #watched = new Map<string, Watched>()
  readonly #cancel: () => void

  constructor(dependencies: AccessWatchDependencies) {
    this.#dependencies = dependencies
    this.#cancel = dependencies.timers.every(CHECK_MS, () => void this.check())
  }

  /** Calls `end` when `credential`, which was good for the project a moment ago, does not let into it any more. Returns what MUST be called when the answer has ended, and may be again. */
  watch(credential: Credential, projectId: ProjectId, end: () => void): () => void {
    const name = JSON.stringify([credential, projectId])
    const watched = this.#watched.get(name) ?? { credential, projectId, ends: new Set() }
    this.#watched.set(name, watched)
    watched.ends.add(end)
    return () => {
      if (watched.ends.delete(end) && watched.ends.size === 0) this.#watched.delete(name)
    }
  }

  /** At once, after something was ended or moved here. Asks once for each key or session, however many answers it has open. */
  async check(): Promise<void> {
    try {
      for (const { credential, projectId, ends } of this.#watched.values()) {
        if (await isStillLetIn(this.#dependencies.authenticator, credential, projectId)) continue
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
