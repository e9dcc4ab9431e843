import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { Clock } from '../../../lib/time/clock.ts'
import { ifThere, syncPath } from '../../files.ts'

/** The identifying columns of a row that could not be read. */
export type LostRow = Readonly<Record<string, string | number>>

/** Project and id of a trace: the sorting key of `traces`. */
export type TraceRowKey = readonly [projectId: string, traceId: string]

/** Lost rows of `traces` that are not named lie between these keys, both inclusive. */
export interface LostRange {
  readonly from: TraceRowKey
  readonly to: TraceRowKey
  /** None of them has a greater version. */
  readonly ver: number
}

/** A damaged part, and the rows that were lost with it: none if other parts have them, or only its indexes are gone. */
export interface SetAsidePart {
  readonly table: string
  readonly part: string
  /** The error message of the engine. */
  readonly why: string
  readonly rowsLost: number
  /** The lost rows whose ids can still be read; at most the first 10,000. */
  readonly lost: readonly LostRow[]
  /** The ranges of the other lost rows, for a part of `traces`. */
  readonly unnamed: readonly LostRange[]
  /** The folder of its files. */
  readonly folder: string
}

/** The damage, in words for an operator. */
export interface DamageNotice {
  readonly text: string
  /** Whether rows cannot be read. The service is then not ready until the operator accepts the loss. */
  readonly isLoss: boolean
}

export interface DamageRecordOptions {
  readonly path: string
  readonly clock: Clock
  /** Called with each line that cannot be parsed; it stays in the file. */
  readonly onUnreadable: (line: string) => void
}

type Line = ({ readonly kind: 'set_aside' } & SetAsidePart) | { readonly kind: 'accepted' }

/**
 * Records the damage found in the engine: a file of JSON lines, each flushed. Whole lines stay. Loaded at the start, so
 * that a loss is reported until the operator accepts it.
 */
export class DamageRecord {
  readonly #options: DamageRecordOptions
  readonly #parts = new Map<string, SetAsidePart>()
  readonly #accepted = new Set<string>()
  readonly #lostVersions = new Map<string, number>()
  readonly #unnamed: LostRange[] = []
  /** Parts that could not be set aside, with the reason. */
  readonly #failing = new Map<string, string>()
  readonly #watchers: (() => void)[] = []
  #checksumFailures = 0

  static async open(options: DamageRecordOptions): Promise<DamageRecord> {
    const record = new DamageRecord(options)
    const bytes = await ifThere(readFile(options.path), Buffer.alloc(0))
    // A crash or a full disk has cut the last line off if it has no end: then nothing was done because of it.
    for (const line of bytes
      .toString('utf8', 0, bytes.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)) {
      const read = parse(line)
      if (read === null) options.onUnreadable(line)
      else record.#take(read)
    }
    return record
  }

  private constructor(options: DamageRecordOptions) {
    this.#options = options
  }

  /** `onChange` is called after each change of the notice or the figures. */
  watch(onChange: () => void): void {
    this.#watchers.push(onChange)
  }

  /** Durable when it resolves. MUST be called before the part is removed from the engine. */
  async setAside(part: SetAsidePart): Promise<void> {
    await this.#append({ kind: 'set_aside', ...part })
  }

  /** The operator accepts all recorded losses. Writes nothing when there is nothing to accept. */
  async accept(): Promise<void> {
    if ([...this.#parts.keys()].some((key) => !this.#accepted.has(key))) await this.#append({ kind: 'accepted' })
  }

  /** Counts a read that met damage. */
  countFailure(): void {
    this.#checksumFailures++
  }

  /** The part is damaged and could not be set aside; `why` null: it has been, or is gone. In memory only. */
  reportFailing({ table, name }: { readonly table: string; readonly name: string }, why: string | null): void {
    const key = `${table} ${name}`
    if (why === null ? !this.#failing.delete(key) : this.#failing.get(key) === why) return
    if (why !== null) this.#failing.set(key, why)
    this.#changed()
  }

  /** Parts that could not be set aside and are not among `active` have been merged away or dropped since. */
  dropGone(active: readonly { readonly table: string; readonly name: string }[]): void {
    const keys = new Set(active.map(({ table, name }) => `${table} ${name}`))
    const gone = [...this.#failing.keys()].filter((key) => !keys.has(key))
    for (const key of gone) this.#failing.delete(key)
    if (gone.length > 0) this.#changed()
  }

  /** Whether the rows of the part are known to be lost. Then its absence is expected. */
  isLost(table: string, part: string): boolean {
    return (this.#parts.get(`${table} ${part}`)?.rowsLost ?? 0) > 0
  }

  /**
   * The latest version of a trace whose row is, or may be, lost; null when none is. A later one may have been committed
   * since.
   */
  lostVersion(projectId: ProjectId, traceId: TraceId): number | null {
    const key: TraceRowKey = [projectId, traceId]
    const versions = this.#unnamed.flatMap(({ from, to, ver }) =>
      compareKeys(from, key) <= 0 && compareKeys(key, to) <= 0 ? [ver] : [],
    )
    const named = this.#lostVersions.get(traceId)
    if (named !== undefined) versions.push(named)
    return versions.length === 0 ? null : Math.max(...versions)
  }

  /** Reads that met damage since the start. */
  get checksumFailures(): number {
    return this.#checksumFailures
  }

  /** Parts ever set aside, accepted or not. */
  get damagedParts(): number {
    return this.#parts.size
  }

  /** Rows ever lost, accepted or not, by table. */
  lostRows(): ReadonlyMap<string, number> {
    return lostRowsOf([...this.#parts.values()])
  }

  /** The losses that are not accepted; null when there are none. */
  notice(): DamageNotice | null {
    const unaccepted = [...this.#parts].filter(([key]) => !this.#accepted.has(key)).map(([, part]) => part)
    const lost = [...lostRowsOf(unaccepted)].filter(([, rows]) => rows > 0)
    const sentences: string[] = []
    if (lost.length > 0) {
      const rows = lost.map(([table, count]) => `${counted(count, 'row')} of ${table}`).join(' and ')
      const parts = unaccepted.filter(({ rowsLost }) => rowsLost > 0).length
      sentences.push(`${rows} were set aside with ${counted(parts, 'damaged part')}: only a backup has them`)
    } else if (unaccepted.length > 0) {
      sentences.push(`${counted(unaccepted.length, 'damaged part')} had to be repaired, without losing a row`)
    }
    for (const [part, why] of this.#failing)
      sentences.push(`the part ${part} is damaged and could not be set aside: ${why}`)
    if (sentences.length === 0) return null
    return {
      text: `${sentences.join('; ')}; see damage.jsonl, run spoor check`,
      isLoss: lost.length > 0 || this.#failing.size > 0,
    }
  }

  async #append(line: Line): Promise<void> {
    const { path, clock } = this.#options
    await mkdir(dirname(path), { recursive: true })
    const { kind, ...fields } = line
    const file = await open(path, 'a', 0o600)
    try {
      await file.truncate((await readFile(path)).lastIndexOf('\n') + 1)
      await file.writeFile(`${JSON.stringify({ time: new Date(clock.now()).toISOString(), kind, ...fields })}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await syncPath(dirname(path))
    this.#take(line)
    this.#changed()
  }

  #take(line: Line): void {
    switch (line.kind) {
      case 'set_aside': {
        const key = `${line.table} ${line.part}`
        this.#parts.set(key, line)
        this.#accepted.delete(key)
        if (line.table === 'traces') for (const { id, ver } of line.lost) this.#lose(id as string, ver as number)
        this.#unnamed.push(...line.unnamed)
        return
      }
      case 'accepted':
        for (const key of this.#parts.keys()) this.#accepted.add(key)
    }
  }

  #lose(traceId: string, version: number): void {
    this.#lostVersions.set(traceId, Math.max(version, this.#lostVersions.get(traceId) ?? 0))
  }

  #changed(): void {
    for (const notify of this.#watchers) notify()
  }
}

function compareKeys(one: TraceRowKey, other: TraceRowKey): number {
  const at = one[0] === other[0] ? 1 : 0
  return one[at] < other[at] ? -1 : one[at] > other[at] ? 1 : 0
}

function lostRowsOf(parts: readonly SetAsidePart[]): Map<string, number> {
  const rows = new Map<string, number>()
  for (const { table, rowsLost } of parts) rows.set(table, (rows.get(table) ?? 0) + rowsLost)
  return rows
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

const KINDS: ReadonlySet<unknown> = new Set(['set_aside', 'accepted'])

function parse(line: string): Line | null {
  try {
    const read = JSON.parse(line) as Line
    return KINDS.has(read.kind) ? read : null
  } catch {
    return null
  }
}
