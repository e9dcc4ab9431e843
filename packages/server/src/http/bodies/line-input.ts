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
 * An incoming NDJSON body. Counts its lines and stops reading when there are too many for the answer. The lines before
 * are processed; the rest is not read, so that no line is written without a verdict.
 */
export class LineInput {
  readonly #maxLines: number
  /** Line ends that were read. */
  #lines = 0
  #cut: InputCut | null = null

  /** `maxLines` counts physical lines, including blank ones. */
  constructor(maxLines: number) {
    this.#maxLines = maxLines
  }

  /** The line where reading stopped. */
  get nextLine(): number {
    return this.#lines + 1
  }

  /** Nothing is read after this call. */
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

  /** The part of the chunk within the allowed number of lines. */
  #fitting(chunk: Buffer): Buffer {
    // Byte by byte: a chunk may have only line ends, and a call for each would take thirty times as long.
    for (let at = 0; at < chunk.length; at++) {
      if (this.#lines === this.#maxLines) {
        const detail = `One JSON answer has at most ${this.#maxLines} lines: this and later lines were not read. Send Accept: application/x-ndjson for more.`
        this.stop('too_many_lines', detail)
        return chunk.subarray(0, at)
      }
      if (chunk[at] === LINE_FEED) this.#lines++
    }
    return chunk
  }
}

const LINE_FEED = 0x0a

/** The verdict that stands for all lines that were not read. */
export function verdictOnRest(line: number, code: string, detail: string): RefusedLine {
  return { line, status: 'error', code, detail, pointer: null }
}
