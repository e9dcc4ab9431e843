import type { ByteAccount } from '../flow/byte-budget.ts'
import { DomainError } from '../domain-error.ts'
import { createLineSplitter, type SplitLine, type WholeLine } from './ndjson.ts'
import type { Outcome, Refusal } from '../validation/refusal.ts'

/** A line that was refused. Other lines are not affected. */
export interface RefusedLine {
  readonly line: number
  readonly status: 'error'
  readonly code: string
  readonly detail: string
  /** JSON pointer into the line; null for the line itself. */
  readonly pointer: string | null
}

/** A line that waits to be written, or that has been refused. */
export type PendingLine<T> = { readonly line: number; readonly parsed: T } | RefusedLine

export interface LineGroupRules<T> {
  /** Parses one line. The result MUST NOT share memory with `bytes`. */
  parse(bytes: Buffer): Outcome<T>
  /** Parses lines asynchronously. Without it, `parse` parses every line. */
  readonly deferred?: DeferredLines<T>
  refuse(line: number, refusal: Refusal): RefusedLine
  /** The longest allowed line, bytes without its line end. */
  readonly lineBytes: number
  readonly requestBytes: number
  /** A group is full when it reaches either limit. */
  readonly groupBytes: number
  readonly groupLines: number
  /** Charged with the bytes in memory. */
  readonly budget: ByteAccount
  /** Bytes to charge for the open stream, in addition to its lines. */
  readonly ownBytes: number
}

interface DeferredLines<T> {
  /** Whether a line is deferred, because it is too long for the event loop or needs a look-up. */
  takes(bytes: Buffer): boolean
  /** Like `LineGroupRules.parse`, for one line at a time. If it rejects, the stream ends. It may consume `bytes`. */
  parse(bytes: Buffer): Promise<Outcome<T>>
}

/** The size charged for an incoming chunk, before it is read. */
const CHUNK_BYTES = 64 * 1024

/**
 * Lines that were read and not yet submitted. `add` takes a chunk and `readLine` reads it line by line, until the group
 * is full or the chunk is consumed, so the caller decides how many lines it reads at once. `readLine` stops before a
 * deferred line, which the caller reads by `readDeferred`. The next chunk may be added only when the last is consumed.
 */
export class LineGroup<T> {
  readonly #rules: LineGroupRules<T>
  readonly #splitter
  #charged = 0
  #pending: PendingLine<T>[] = []
  #bytes = 0
  #received = 0
  /** The unread rest of the last chunk. */
  #unread: Iterator<unknown> | null = null
  #deferred: WholeLine | null = null
  #released = false
  /** True once the request has exceeded its limit: nothing after that is read. */
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

  /** Whether the last chunk has unread lines. */
  get hasUnread(): boolean {
    return this.#unread !== null
  }

  get hasDeferred(): boolean {
    return this.#deferred !== null
  }

  add(chunk: Buffer): void {
    if (!this.stopped) this.#unread = this.#read(chunk)
  }

  /** Reads one line. False if the group is full, the chunk is consumed, or the next line is deferred. */
  readLine(): boolean {
    if (this.full || this.#deferred !== null || this.#unread === null) return false
    if (this.#unread.next().done === true) this.#unread = null
    return this.#unread !== null && this.#deferred === null
  }

  /**
   * Reads the deferred line, if one is next. It is charged until its parse has ended, even if the stream ends before.
   */
  async readDeferred(): Promise<void> {
    const line = this.#deferred
    const rules = this.#rules.deferred
    if (line === null || rules === undefined) return
    this.#deferred = null
    // The splitter no longer holds it.
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
    const bytesLeft = this.#rules.requestBytes - this.#received
    this.#received += chunk.length
    for (const line of this.#splitter.push(chunk.length > bytesLeft ? chunk.subarray(0, bytesLeft) : chunk)) {
      this.#parse(line)
      yield
    }
    if (chunk.length <= bytesLeft) return
    this.stopped = true
    this.#pending.push({
      line: this.#splitter.nextLine,
      status: 'error',
      code: 'request_too_large',
      detail: `The request is longer than ${this.#rules.requestBytes} bytes; this line and later ones were not read.`,
      pointer: null,
    })
  }

  /** A last line without line end counts only if the body is complete. It may be deferred. */
  end(): void {
    if (this.stopped) return
    for (const line of this.#splitter.end()) this.#parse(line)
  }

  take(): PendingLine<T>[] {
    const taken = this.#pending
    this.#pending = []
    this.#bytes = 0
    this.charge()
    return taken
  }

  /** Releases the charged bytes and charges nothing more, even if a read is still in progress. */
  release(): void {
    this.stopped = true
    this.#released = true
    this.#unread = null
    this.#rules.budget.release(this.#charged)
    this.#charged = 0
  }

  /** Updates the shared budget to the bytes in memory. Throws if the budget is exhausted, which ends the stream. */
  charge(): void {
    if (this.#released) return
    const held = CHUNK_BYTES + this.#rules.ownBytes + this.#bytes + this.#splitter.heldBytes
    const more = held - this.#charged
    if (more < 0) this.#rules.budget.release(-more)
    else this.#take(more)
    this.#charged = held
  }

  #take(bytes: number): void {
    if (this.#rules.budget.tryTake(bytes)) return
    const detail = 'The service has no memory for more lines at the moment; send the rest again.'
    throw new DomainError('queue_full', detail, { retryAfterSeconds: 1 })
  }

  #parse(line: SplitLine): void {
    if (line.kind === 'too_large') {
      const detail = `The line is longer than ${this.#rules.lineBytes} bytes.`
      this.#pending.push({ line: line.number, status: 'error', code: 'line_too_large', detail, pointer: null })
      return
    }
    if (this.#rules.deferred?.takes(line.bytes) === true) this.#deferred = line
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

/** Uses the code and pointer of the first field error, if any: it is more specific. */
export function toRefusal(line: number, { code, detail: whole, errors }: Refusal): RefusedLine {
  const first = errors[0]
  if (first === undefined) return { line, status: 'error', code, detail: whole, pointer: null }
  const detail = errors.map((field) => field.detail).join(' ')
  return { line, status: 'error', code: first.code, detail, pointer: first.pointer }
}
