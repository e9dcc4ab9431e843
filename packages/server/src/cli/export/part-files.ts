import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Sink } from './part-file.ts'

/** A folder, or a bucket with a prefix. `write` replaces what has the name, as a whole or not at all. */
export interface PartTarget {
  read(name: string): Promise<Buffer | null>
  write(name: string, bytes: Buffer): Promise<void>
  close(): void
}

export function openFolder(path: string): PartTarget {
  mkdirSync(path, { recursive: true })
  return {
    read: async (name) => (existsSync(join(path, name)) ? readFileSync(join(path, name)) : null),
    async write(name, bytes) {
      const waiting = join(path, `.${name}.part`)
      writeFileSync(waiting, bytes, { flush: true })
      renameSync(waiting, join(path, name))
    },
    close: () => undefined,
  }
}

/** `export.json`, written after each part: an export goes on behind its last row. */
interface Manifest {
  /** The list, its format and its parameters. */
  readonly query: string
  readonly complete: boolean
  readonly rows: number
  readonly parts: readonly { readonly name: string; readonly rows: number; readonly bytes: number }[]
  /** The last row, as a line. Null before the first part and once all is written. */
  readonly last: string | null
}

const MANIFEST = 'export.json'
const PART_DIGITS = 5

/**
 * Rows of an export as JSON lines in files of about a size, `traces-00001.jsonl` and so on, each with whole rows. The
 * last one ends as the export does. Memory: one file.
 */
export class PartFiles implements Sink {
  readonly #target: PartTarget
  readonly #name: string
  readonly #partBytes: number
  #manifest: Manifest
  #waiting: Buffer[] = []
  #waitingBytes = 0

  /** Throws OperatorError if the export is complete, or if the target has another one. */
  static async open(target: PartTarget, name: string, query: string, partBytes: number): Promise<PartFiles> {
    const found = await target.read(MANIFEST)
    const manifest =
      found === null
        ? { query, complete: false, rows: 0, parts: [], last: null }
        : (JSON.parse(found.toString()) as Manifest)
    if (manifest.query !== query)
      throw new OperatorError('The target has the files of another export; choose another one.')
    if (manifest.complete) throw new OperatorError('The target has this export already, and it is complete.')
    return new PartFiles(target, name, manifest, partBytes)
  }

  private constructor(target: PartTarget, name: string, manifest: Manifest, partBytes: number) {
    this.#target = target
    this.#name = name
    this.#manifest = manifest
    this.#partBytes = partBytes
  }

  /** What an earlier run has written. */
  get written(): { readonly rows: number; readonly last: string | null } {
    return this.#manifest
  }

  async write(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= this.#partBytes) await this.#flush()
  }

  /** Nothing that is written is taken back; what waits is. */
  restart(): boolean {
    this.#waiting = []
    this.#waitingBytes = 0
    return this.#manifest.parts.length === 0
  }

  finish(): Promise<void> {
    return this.#flush()
  }

  close(): void {
    this.#target.close()
  }

  async #flush(): Promise<void> {
    if (this.#waitingBytes === 0) return
    const bytes = Buffer.concat(this.#waiting)
    const lines = bytes.toString().split('\n').slice(0, -1)
    const rows = lines.filter((line) => !line.startsWith(LAST_LINE))
    const complete = rows.length < lines.length
    const { parts, rows: before, last } = this.#manifest
    const name = `${this.#name}-${String(parts.length + 1).padStart(PART_DIGITS, '0')}.jsonl`
    await this.#target.write(name, bytes)
    await this.#record({
      ...this.#manifest,
      complete,
      rows: before + rows.length,
      parts: [...parts, { name, rows: rows.length, bytes: bytes.length }],
      last: complete ? null : (rows.at(-1) ?? last),
    })
    this.restart()
  }

  async #record(manifest: Manifest): Promise<void> {
    await this.#target.write(MANIFEST, Buffer.from(`${JSON.stringify(manifest)}\n`))
    this.#manifest = manifest
  }
}

/** With which the end of an export begins. */
export const LAST_LINE = '{"complete":true,"rows":'
