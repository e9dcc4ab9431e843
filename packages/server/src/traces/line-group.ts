import type { Limits } from '@spoor/contract/limits'
import type { ByteBudget } from '../lib/byte-budget.ts'
import { DomainError } from '../lib/domain-error.ts'
import { createLineSplitter, type SplitLine } from '../lib/ndjson.ts'
import type { FindMedia } from './linkable-media.ts'
import { parseStep } from './parse-step.ts'
import type { PreparedStep } from './prepared.ts'
import type { LineVerdict } from './use-cases.ts'

/** A group is full when it has reached either of these. */
const GROUP_BYTES = 1024 * 1024
const GROUP_LINES = 2000

/** A line that waits for its commit, or that has its verdict already. */
export type PendingLine = { readonly line: number; readonly step: PreparedStep } | LineVerdict

/** Lines read and not yet submitted. */
export class LineGroup {
  readonly #limits: Limits
  readonly #findMedia: FindMedia
  readonly #budget: ByteBudget
  /** Held as long as the stream is open. */
  readonly #ownBytes: number
  #charged = 0
  readonly #splitter
  #pending: PendingLine[] = []
  #bytes = 0
  #received = 0
  /** True once the request has grown past its limit: nothing after that is read. */
  stopped = false

  constructor(limits: Limits, findMedia: FindMedia, budget: ByteBudget, ownBytes: number) {
    this.#findMedia = findMedia
    this.#limits = limits
    this.#budget = budget
    this.#ownBytes = ownBytes
    this.#splitter = createLineSplitter(limits.lineBytes)
  }

  get lines(): number {
    return this.#pending.length
  }

  get full(): boolean {
    return this.#bytes >= GROUP_BYTES || this.#pending.length >= GROUP_LINES
  }

  add(chunk: Buffer): void {
    if (this.stopped) return
    const room = this.#limits.ndjsonRequestBytes - this.#received
    this.#received += chunk.length
    for (const line of this.#splitter.push(chunk.length > room ? chunk.subarray(0, room) : chunk)) this.#judge(line)
    if (chunk.length > room) {
      this.stopped = true
      this.#pending.push({
        line: this.#splitter.nextLine,
        status: 'error',
        code: 'request_too_large',
        detail: `The request is longer than ${this.#limits.ndjsonRequestBytes} bytes; this line and later ones were not read.`,
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

  take(): PendingLine[] {
    const taken = this.#pending
    this.#pending = []
    this.#bytes = 0
    this.charge()
    return taken
  }

  /** Gives back what is still charged, and takes nothing more: a read may still be under way. */
  letGo(): void {
    this.stopped = true
    this.#budget.release(this.#charged)
    this.#charged = 0
  }

  /** Keeps the shared budget in step with what is held. Throws when there is no room for more: the stream ends there. */
  charge(): void {
    const held = this.#ownBytes + this.#bytes + this.#splitter.heldBytes
    const more = held - this.#charged
    if (more < 0) this.#budget.release(-more)
    else if (!this.#budget.tryTake(more)) {
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
      const detail = `The line is longer than ${this.#limits.lineBytes} bytes.`
      this.#pending.push({ line: line.number, status: 'error', code: 'line_too_large', detail, pointer: null })
      return
    }
    try {
      const step = parseStep(line.bytes, this.#limits, this.#findMedia)
      this.#pending.push({ line: line.number, step })
      this.#bytes += line.bytes.length
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      this.#pending.push(toVerdict(line.number, error))
    }
  }
}

/** The first field error says more than the general one; the pointer names the field. */
export function toVerdict(line: number, error: DomainError): LineVerdict {
  const first = error.errors[0]
  if (first === undefined) return { line, status: 'error', code: error.code, detail: error.message, pointer: null }
  const detail = error.errors.map((field) => field.detail).join(' ')
  return { line, status: 'error', code: first.code, detail, pointer: first.pointer }
}
