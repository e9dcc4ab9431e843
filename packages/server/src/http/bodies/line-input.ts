import type { ErrorCode } from '@spoor/contract/errors'
import type { RefusedLine } from '../../lib/lines/line-group.ts'

/** Why the rest of a body was not read. */
export class InputCut extends Error {
  override readonly name = 'InputCut'
  readonly code: ErrorCode

  constructor(code: ErrorCode, detail: string) {
    super(detail)
    this.code = code
  }
}

/**
 * An NDJSON body on its way in: counts its lines and stops reading when there are too many for the answer. The lines before go in; the rest is
 * not read, so that no line is ever written without a verdict.
 */
export class LineInput {
  readonly #maxLines: number
  /** Line ends that went in. */
  #lines = 0
  #cut: InputCut | null = null

  /** `maxLines` counts physical lines, blank ones included. */
  constructor(maxLines: number) {
    this.#maxLines = maxLines
  }

  /** The line at which reading stopped. */
  get nextLine(): number {
    return this.#lines + 1
  }

  /** From now on nothing is read. */
  stop(code: ErrorCode, detail: string): void {
    this.#cut ??= new InputCut(code, detail)
  }

  async *read(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      if (this.#cut !== null) throw this.#cut
      const fitting = this.#fitting(chunk)
      if (fitting.length > 0) yield fitting
      if (this.#cut !== null) throw this.#cut
    }
  }

  /** What of the chunk lies within the allowed number of lines. */
  #fitting(chunk: Buffer): Buffer {
    // Byte by byte: a chunk may hold nothing but line ends, and a call for each costs thirty times as much.
    for (let at = 0; at < chunk.length; at++) {
      if (this.#lines === this.#maxLines) {
        const detail = `One JSON answer holds ${this.#maxLines} lines: this and later lines were not read. Send Accept: application/x-ndjson for more.`
        this.stop('too_many_lines', detail)
        return chunk.subarray(0, at)
      }
      if (chunk[at] === LINE_FEED) this.#lines++
    }
    return chunk
  }
}

const LINE_FEED = 0x0a

/** The verdict that stands for everything behind a cut. */
export function verdictOnRest(line: number, code: string, detail: string): RefusedLine {
  return { line, status: 'error', code, detail, pointer: null }
}
