import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../../../lib/error-code.ts'
import { syncPath } from '../../files.ts'

/** Makes folders, and ensures that they survive a power loss. */
export class DurableFolders {
  readonly #root: string
  /** In progress or done, by path. */
  readonly #made = new Map<string, Promise<void>>()

  /** @param root exists, and is durable itself */
  constructor(root: string) {
    this.#root = root
  }

  /**
   * Resolves when the folder, which must be below the root, and all above it are on the disk. Called often; only the
   * first call costs.
   */
  make(path: string): Promise<void> {
    if (path === this.#root) return Promise.resolve()
    let made = this.#made.get(path)
    if (made === undefined) {
      made = this.#make(path)
      this.#made.set(path, made)
      made.catch(() => this.#made.delete(path))
    }
    return made
  }

  /** Folders may have been removed: the next `make` checks again. */
  forget(): void {
    this.#made.clear()
  }

  async #make(path: string): Promise<void> {
    const parent = dirname(path)
    await this.make(parent)
    try {
      await mkdir(path, { mode: 0o700 })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    // Also when it existed: its maker may have crashed before this.
    await syncPath(parent)
  }
}
