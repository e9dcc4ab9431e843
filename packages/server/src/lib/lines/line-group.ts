import type { ByteAccount } from '../work/byte-budget.ts'
import { DomainError } from '../domain-error.ts'
import { createLineSplitter, type SplitLine, type WholeLine } from './ndjson.ts'
import type { Outcome, Refusal } from '../validation/refusal.ts'

/** A line that was refused; it changes no other line. */
export interface RefusedLine {
  readonly line: number
  readonly status: 'error'
  readonly code: string
  readonly detail: string
  /** JSON pointer into the line; null for the line itself. */
  readonly pointer: string | null
}

/** A line that waits to be written, or that has its verdict already. */
export type PendingLine<T> = { readonly line: number; readonly parsed: T } | RefusedLine

export interface LineGroupRules<T> {
  /** Reads one line. What it returns MUST share no memory with `bytes`. */
  parse(bytes: Buffer): Outcome<T>
  /** Reads lines that cannot be read at once. Without it, `parse` reads every line. */
  readonly apart?: LinesApart<T>
  /** The verdict on a line that was refused so. */
  refuse(line: number, refusal: Refusal): RefusedLine
  /** The longest line taken, bytes without its line end. */
  readonly lineBytes: number
  readonly requestBytes: number
  /** A group is full when it has reached either of these. */
  readonly groupBytes: number
  readonly groupLines: number
  /** Charged with what is held. */
  readonly budget: ByteAccount
  /** Held as long as the stream is open, beside its lines; bytes. */
  readonly ownBytes: number
}

interface LinesApart<T> {
  /** Whether a line is read by this instead: it is too long for the event loop, or asks for something to be looked up. */
  takes(bytes: Buffer): boolean
  /** As `LineGroupRules.parse`. Called for one line at a time. When it rejects, the stream ends. May use `bytes` up. */
  parse(bytes: Buffer): Promise<Outcome<T>>
}

/** A chunk on its way in: room for it is taken before it is read. */
const CHUNK_BYTES = 64 * 1024

/**
 * Lines read and not yet submitted. A chunk goes in by `add` and is read line by line by `readLine`, until the group is
 * full or the chunk is used up: the caller decides how many lines it reads in one go. `readLine` stops in front of a line
 * that is read apart, which the caller reads by `readApart`. Only a chunk that is used up may be followed by the next one.
 */
export class LineGroup<T> {
  readonly #rules: LineGroupRules<T>
  readonly #splitter
  #charged = 0
  #pending: PendingLine<T>[] = []
  #bytes = 0
  #received = 0
  /** What of the last chunk is still to be read. */
  #unread: Iterator<unknown> | null = null
  #apart: WholeLine | null = null
  #left = false
  /** True once the request has grown past its limit: nothing after that is read. */
  stopped = false

  constructor(rules: LineGroupRules<T>) {
    this.#rules = rules
    this.#splitter = createLineSplitter(rules.lineBytes)
  }

  get lines(): number {
    return this.#pending.length
  }

  get full(): boolean {
    return this.#bytes >= this.#rules.groupBytes || this.#pending.length >= this.#rules.groupLines
  }

  /** Whether a chunk is not used up. */
  get hasUnread(): boolean {
    return this.#unread !== null
  }

  /** Whether the next line is read apart. */
  get hasApart(): boolean {
    return this.#apart !== null
  }

  add(chunk: Buffer): void {
    if (!this.stopped) this.#unread = this.#read(chunk)
  }

  /** Reads one line. False when the group is full, the chunk is used up, or the next line is read apart. */
  readLine(): boolean {
    if (this.full || this.#apart !== null || this.#unread === null) return false
    if (this.#unread.next().done === true) this.#unread = null
    return this.#unread !== null && this.#apart === null
  }

  /** Reads the line that is read apart, if one is next. It is charged until its parse has ended, even when the stream is left before. */
  async readApart(): Promise<void> {
    const line = this.#apart
    const rules = this.#rules.apart
    if (line === null || rules === undefined) return
    this.#apart = null
    // The splitter does not hold it any more.
    this.charge()
    const { length } = line.bytes
    this.#take(length)
    try {
      this.#settle(line.number, length, await rules.parse(line.bytes))
    } finally {
      this.#rules.budget.release(length)
    }
    this.charge()
  }

  *#read(chunk: Buffer): Generator<void, void, undefined> {
    const room = this.#rules.requestBytes - this.#received
    this.#received += chunk.length
    for (const line of this.#splitter.push(chunk.length > room ? chunk.subarray(0, room) : chunk)) {
      this.#judge(line)
      yield
    }
    if (chunk.length <= room) return
    this.stopped = true
    this.#pending.push({
      line: this.#splitter.nextLine,
      status: 'error',
      code: 'request_too_large',
      detail: `The request is longer than ${this.#rules.requestBytes} bytes; this line and later ones were not read.`,
      pointer: null,
    })
  }

  /** A last line without its line end counts only when the body ended as it should. It may be read apart. */
  end(): void {
    if (this.stopped) return
    for (const line of this.#splitter.end()) this.#judge(line)
  }

  take(): PendingLine<T>[] {
    const taken = this.#pending
    this.#pending = []
    this.#bytes = 0
    this.charge()
    return taken
  }

  /** Gives back what is still charged, and takes nothing more: a read may still be under way. */
  letGo(): void {
    this.stopped = true
    this.#left = true
    this.#unread = null
    this.#rules.budget.release(this.#charged)
    this.#charged = 0
  }

  /** Keeps the shared budget in step with what is held. Throws when there is no room for more: the stream ends there. */
  charge(): void {
    if (this.#left) return
    const held = CHUNK_BYTES + this.#rules.ownBytes + this.#bytes + this.#splitter.heldBytes
    const more = held - this.#charged
    if (more < 0) this.#rules.budget.release(-more)
    else this.#take(more)
    this.#charged = held
  }

  #take(bytes: number): void {
    if (this.#rules.budget.tryTake(bytes)) return
    const detail = 'More is being sent than the service may hold in memory; send the rest again.'
    throw new DomainError('queue_full', detail, { retryAfterSeconds: 1 })
  }

  #judge(line: SplitLine): void {
    if (line.kind === 'too_large') {
      const detail = `The line is longer than ${this.#rules.lineBytes} bytes.`
      this.#pending.push({ line: line.number, status: 'error', code: 'line_too_large', detail, pointer: null })
      return
    }
    if (this.#rules.apart?.takes(line.bytes) === true) this.#apart = line
    else this.#settle(line.number, line.bytes.length, this.#rules.parse(line.bytes))
  }

  #settle(line: number, length: number, outcome: Outcome<T>): void {
    if ('refusal' in outcome) {
      this.#pending.push(this.#rules.refuse(line, outcome.refusal))
    } else {
      this.#pending.push({ line, parsed: outcome.value })
      this.#bytes += length
    }
  }
}

/** The first field error says more than the general one; the pointer names the field. */
export function toRefusal(line: number, { code, detail: whole, errors }: Refusal): RefusedLine {
  const first = errors[0]
  if (first === undefined) return { line, status: 'error', code, detail: whole, pointer: null }
  const detail = errors.map((field) => field.detail).join(' ')
  return { line, status: 'error', code: first.code, detail, pointer: first.pointer }
}
