import { open, type FileHandle } from 'node:fs/promises'
import type { TestContext } from 'node:test'

/** A call of a file that can be made to fail. */
export type FaultyCall = 'writev' | 'datasync' | 'truncate' | 'sync'

/**
 * Lets calls of all files fail that are listed, each once, in the order in which they are made; a failing write leaves
 * half of its first part behind.
 */
export class FileFaults {
  readonly #waiting: FaultyCall[] = []

  static async install(context: TestContext): Promise<FileFaults> {
    const handle = await open(import.meta.filename, 'r')
    const shared = Object.getPrototypeOf(handle) as FileHandle
    await handle.close()
    const faults = new FileFaults()
    for (const call of ['datasync', 'truncate', 'sync'] as const) {
      const real = Reflect.get(shared, call) as (this: FileHandle, ...given: unknown[]) => Promise<void>
      context.mock.method(shared, call, async function (this: FileHandle, ...given: unknown[]) {
        if (faults.#meets(call)) throw systemError('EIO', call)
        await real.apply(this, given)
      })
    }
    const realWrite = Reflect.get(shared, 'writev') as FileHandle['writev']
    context.mock.method(shared, 'writev', async function (this: FileHandle, parts: Buffer[], position: number) {
      if (!faults.#meets('writev')) return realWrite.call(this, parts, position)
      const [first = Buffer.alloc(0)] = parts
      await realWrite.call(this, [first.subarray(0, first.length / 2)], position)
      throw systemError('ENOSPC', 'writev')
    })
    return faults
  }

  failNext(...calls: FaultyCall[]): void {
    this.#waiting.push(...calls)
  }

  clear(): void {
    this.#waiting.length = 0
  }

  #meets(call: FaultyCall): boolean {
    if (this.#waiting[0] !== call) return false
    this.#waiting.shift()
    return true
  }
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: made to fail, ${syscall}`), { code, syscall })
}
