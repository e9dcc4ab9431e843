import * as fs from 'node:fs'
import { OperatorError } from '../../lib/operator-error.ts'
import { writeOut } from '../write-out.ts'

const READ_BYTES = 1024 * 1024
const LINE_END = 10

/** The rows so far. */
export interface Sink {
  write(bytes: Buffer): void | Promise<void>
  /** Forgets all rows; false if they cannot be taken back. */
  restart(): boolean
  /** The rows are complete. */
  finish(): void | Promise<void>
  close(): void
}

/**
 * `FILE.part`, which becomes FILE when it is complete. `FILE.part.query` names the export that it belongs to. Throws
 * OperatorError when FILE exists, or when the part is of another export.
 */
export class PartFile implements Sink {
  readonly #path: string
  readonly #file: number
  #size: number

  constructor(path: string, query: string) {
    this.#path = path
    if (fs.existsSync(path)) throw new OperatorError(`${path} exists already; choose another file, or delete it.`)
    const [part, owner] = [`${path}.part`, `${path}.part.query`]
    const isNew = !fs.existsSync(part)
    if (!isNew && (!fs.existsSync(owner) || fs.readFileSync(owner, 'utf8') !== query)) {
      throw new OperatorError(`${part} belongs to another export; delete it to begin this one.`)
    }
    // Not written again: a full disk would leave the part without its owner.
    if (isNew) fs.writeFileSync(owner, query)
    this.#file = fs.openSync(part, isNew ? 'w+' : 'r+')
    this.#size = fs.statSync(part).size
  }

  /** Cuts off a line without its end. Returns how many lines there are, and the last one. */
  readLines(): { readonly count: number; readonly last: string | null } {
    let count = 0
    let [lastStart, end] = [0, 0]
    const bytes = Buffer.alloc(READ_BYTES)
    for (let at = 0; at < this.#size;) {
      const read = fs.readSync(this.#file, bytes, 0, READ_BYTES, at)
      if (read === 0) break
      for (let of = bytes.indexOf(LINE_END); of !== -1 && of < read; of = bytes.indexOf(LINE_END, of + 1)) {
        count += 1
        lastStart = end
        end = at + of + 1
      }
      at += read
    }
    fs.ftruncateSync(this.#file, end)
    this.#size = end
    if (count === 0) return { count, last: null }
    const last = Buffer.alloc(end - lastStart)
    fs.readSync(this.#file, last, 0, last.length, lastStart)
    return { count, last: last.toString() }
  }

  write(bytes: Buffer): void {
    for (let written = 0; written < bytes.length;) {
      written += fs.writeSync(this.#file, bytes, written, bytes.length - written, this.#size + written)
    }
    this.#size += bytes.length
  }

  restart(): boolean {
    fs.ftruncateSync(this.#file, 0)
    this.#size = 0
    return true
  }

  finish(): void {
    fs.fsyncSync(this.#file)
    fs.renameSync(`${this.#path}.part`, this.#path)
    fs.rmSync(`${this.#path}.part.query`)
  }

  close(): void {
    fs.closeSync(this.#file)
  }
}

/** Standard output, whose bytes cannot be taken back. */
export class OutputSink implements Sink {
  #isEmpty = true

  async write(bytes: Buffer): Promise<void> {
    this.#isEmpty = false
    if (!writeOut(bytes)) await new Promise<void>((resolve) => process.stdout.once('drain', resolve))
  }

  restart(): boolean {
    return this.#isEmpty
  }

  finish(): void {}

  close(): void {}
}
