import { type Item, takeFirst } from './queue.ts'
import { builtin, userId } from './runtime.ts'
import { SPANS_PATH, spansIn } from './span-text.ts'
import { randomHex } from './trace-ids.ts'

interface FileSystem {
  mkdirSync(path: string, options: { recursive: true; mode: number }): void
  readdirSync(path: string): string[]
  readFileSync(path: string, encoding: 'utf8'): string
  renameSync(from: string, to: string): void
  rmSync(path: string, options: { force: true }): void
  statSync(path: string): { readonly size: number; readonly mode: number; readonly uid: number }
  writeFileSync(path: string, text: string, options: { mode: number }): void
}

/** Kind and path of the requests that a recorder makes. A file must not call anything else. */
const CALLS = /^(metric \/v1\/metrics\/events|flag \/v1\/traces\/[0-9a-f]{32})$/

export interface SpooledFile {
  readonly name: string
  readonly items: readonly Item[]
}

export interface SpoolOptions {
  readonly folder: string
  /** By the program. Into any other one nobody else may write. */
  readonly isGiven: boolean
  readonly mostBytes: number
  /** About the size of a request, characters. */
  readonly batchSize: number
  /** The body of a request with these spans. */
  readonly exportOf: (spans: readonly Item[]) => string
  readonly warn: (message: string) => void
}

/**
 * A folder of JSONL files, each whole: it is written under another name first. So any process may send any of them,
 * also two at once: the service stores what is sent twice once. `spoor import` sends the same files.
 */
export class Spool {
  readonly #files: FileSystem
  readonly #options: SpoolOptions
  #isMade = false
  /** By name, oldest first. */
  readonly #known = new Map<string, { readonly bytes: number; readonly items: number }>()

  private constructor(files: FileSystem, options: SpoolOptions) {
    this.#files = files
    this.#options = options
    const { folder, isGiven } = options
    if (isGiven || this.#sizeOf(folder) !== null) this.#make()
    for (const name of this.#isMade ? files.readdirSync(folder).sort() : []) {
      const bytes = name.endsWith('.jsonl') ? this.#sizeOf(this.#path(name)) : null
      if (bytes !== null) this.#known.set(name, { bytes, items: 1 })
    }
  }

  /** Null if there is no such file, because another process has sent it. */
  #sizeOf(path: string): number | null {
    try {
      return this.#files.statSync(path).size
    } catch (error) {
      if (/ENOENT|ENOTDIR|EACCES/.test(String(error))) return null
      throw error
    }
  }

  /** A folder that nobody named is made when something is put there. */
  #make(): void {
    if (this.#isMade) return
    const { folder, isGiven } = this.#options
    this.#files.mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Another account could have what it likes sent with the key. Folders that we made above ours are ours too.
    const made = isGiven ? [folder] : [folder, folder.replace(/\/[^/]+$/, ''), folder.replace(/(\/[^/]+){2}$/, '')]
    const open = made.find((one) => this.#isOpenToOthers(one))
    if (open !== undefined && !isGiven) throw new Error(`others may write to ${open}`)
    if (open !== undefined) this.#options.warn(`others may write to the spool ${open}`)
    this.#isMade = true
  }

  /** Null, with a warning, where there are no files or the folder cannot be used. */
  static open(options: SpoolOptions): Spool | null {
    const files = builtin<FileSystem>('node:fs')
    try {
      if (files !== null) return new Spool(files, options)
      options.warn('there is no spool: this runtime has no files')
    } catch (error) {
      options.warn(`there is no spool: ${String(error)}`)
    }
    return null
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  /** About how many items are on disk: of an earlier process, the number of files. */
  get items(): number {
    return this.#sum('items')
  }

  /** The problem, or null if all of it is on disk. */
  add(items: readonly Item[]): string | null {
    try {
      this.#make()
      const { mostBytes, batchSize, exportOf } = this.#options
      let text = ''
      const spans = items.filter(({ kind }) => kind === 'span')
      while (spans.length > 0) text += `{"kind":"spans","body":${exportOf(takeFirst(spans, batchSize))}}\n`
      for (const { kind, path, body } of items) {
        if (kind !== 'span') text += `{"kind":"${kind}","path":${JSON.stringify(path)},"body":${body}}\n`
      }
      if (this.#sum('bytes') + text.length > mostBytes) return 'the spool is full'
      const name = `${Date.now()}-${String(this.#known.size).padStart(6, '0')}-${randomHex(4)}.jsonl`
      const unfinished = this.#path(`${name}.unfinished`)
      this.#files.writeFileSync(unfinished, text, { mode: 0o600 })
      this.#files.renameSync(unfinished, this.#path(name))
      this.#known.set(name, { bytes: text.length, items: items.length })
      return null
    } catch (error) {
      return `the spool cannot be written: ${String(error)}`
    }
  }

  /** The last record. */
  get newest(): Pick<SpooledFile, 'name'> | undefined {
    const name = [...this.#known.keys()].at(-1)
    return name === undefined ? undefined : { name }
  }

  /** Null when there is none. Files that another process has sent by now are passed over. */
  oldest(): SpooledFile | null {
    for (const name of this.#known.keys()) {
      try {
        const lines = this.#files.readFileSync(this.#path(name), 'utf8').split('\n')
        return { name, items: lines.flatMap((line) => this.#toItems(line)) }
      } catch (error) {
        this.#known.delete(name)
        if (!String(error).includes('ENOENT')) this.#options.warn(`left a file of the spool: ${String(error)}`)
      }
    }
    return null
  }

  remove({ name }: Pick<SpooledFile, 'name'>): void {
    this.#known.delete(name)
    try {
      this.#files.rmSync(this.#path(name), { force: true })
    } catch (error) {
      this.#options.warn(`could not remove a file of the spool, which will be sent again: ${String(error)}`)
    }
  }

  #isOpenToOthers(folder: string): boolean {
    const { mode, uid } = this.#files.statSync(folder)
    const own = userId()
    return own !== null && ((mode & 0o022) !== 0 || (uid !== 0 && uid !== own))
  }

  #toItems(line: string): readonly Item[] {
    if (line === '') return []
    try {
      const {
        kind,
        path,
        body: parsed,
      } = JSON.parse(line) as { kind: 'spans' | 'metric' | 'flag'; path: string; body: unknown }
      const body = JSON.stringify(parsed)
      if (kind === 'spans') return [{ kind: 'export', path: SPANS_PATH, body, count: spansIn(parsed) }]
      if (CALLS.test(`${kind} ${path}`)) return [{ kind, path, body, count: 1 }]
    } catch {
      // Said below.
    }
    this.#options.warn(`left out a line of the spool that cannot be read: ${line.slice(0, 100)}`)
    return []
  }

  #path(name: string): string {
    return `${this.#options.folder}/${name}`
  }

  #sum(of: 'bytes' | 'items'): number {
    return [...this.#known.values()].reduce((total, file) => total + file[of], 0)
  }
}
