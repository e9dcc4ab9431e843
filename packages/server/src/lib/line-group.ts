import type { ByteAccount } from './byte-budget.ts'
import { DomainError } from './domain-error.ts'
import { createLineSplitter, type SplitLine } from './ndjson.ts'

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
  /** Reads one line. What it returns MUST share no memory with `bytes`. Throws DomainError for a line that is refused. */
  parse(bytes: Buffer): T
  /** The verdict on a line that was refused so. */
  refuse(line: number, error: DomainError): RefusedLine
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

/** A chunk on its way in: room for it is taken before it is read. */
const CHUNK_BYTES = 64 * 1024

/** Lines read and not yet submitted. */
export class LineGroup<T> {
  readonly #rules: LineGroupRules<T>
  readonly #splitter
  #charged = 0
  #pending: PendingLine<T>[] = []
  #bytes = 0
  #received = 0
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

  add(chunk: Buffer): void {
    if (this.stopped) return
    const room = this.#rules.requestBytes - this.#received
    this.#received += chunk.length
    for (const line of this.#splitter.push(chunk.length > room ? chunk.subarray(0, room) : chunk)) this.#judge(line)
    if (chunk.length > room) {
      this.stopped = true
      this.#pending.push({
        line: this.#splitter.nextLine,
        status: 'error',
        code: 'request_too_large',
        detail: `The request is longer than ${this.#rules.requestBytes} bytes; this line and later ones were not read.`,
        pointer: null,
      })
    }
    this.charge()
  }

  /** A last line without its line end counts only when the body ended as it should. */
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
    this.#rules.budget.release(this.#charged)
    this.#charged = 0
  }

  /** Keeps the shared budget in step with what is held. Throws when there is no room for more: the stream ends there. */
  charge(): void {
    const held = CHUNK_BYTES + this.#rules.ownBytes + this.#bytes + this.#splitter.heldBytes
    const more = held - this.#charged
    if (more < 0) this.#rules.budget.release(-more)
    else if (!this.#rules.budget.tryTake(more)) {
      throw new DomainError(
        'queue_full',
        'More is being sent than the service may hold in memory; send the rest again.',
        {
          retryAfterSeconds: 1,
        },
      )
    }
    this.#charged = held
  }

  #judge(line: SplitLine): void {
    if (line.kind === 'too_large') {
      const detail = `The line is longer than ${this.#rules.lineBytes} bytes.`
      this.#pending.push({ line: line.number, status: 'error', code: 'line_too_large', detail, pointer: null })
      return
    }
    try {
      this.#pending.push({ line: line.number, parsed: this.#rules.parse(line.bytes) })
      this.#bytes += line.bytes.length
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      this.#pending.push(this.#rules.refuse(line.number, error))
    }
  }
}

/** The first field error says more than the general one; the pointer names the field. */
export function toRefusal(line: number, error: DomainError): RefusedLine {
  const first = error.errors[0]
  if (first === undefined) return { line, status: 'error', code: error.code, detail: error.message, pointer: null }
  const detail = error.errors.map((field) => field.detail).join(' ')
  return { line, status: 'error', code: first.code, detail, pointer: first.pointer }
}
