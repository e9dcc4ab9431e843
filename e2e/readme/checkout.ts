import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './pages.ts'

/** Not part of a clone, or created by the reader. */
const LEFT_OUT = new Set(['.git', 'data'])

/** A folder that looks like a clone of this repository, with a `data` folder and files of its own. */
export class Checkout {
  readonly #parent = mkdtempSync(join(tmpdir(), 'spoor-reader-'))
  readonly path = join(this.#parent, 'spoor')

  constructor() {
    mkdirSync(this.path)
    for (const name of readdirSync(ROOT)) {
      if (!LEFT_OUT.has(name)) symlinkSync(join(ROOT, name), join(this.path, name))
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#parent, { recursive: true, force: true, maxRetries: 5 })
  }
}
