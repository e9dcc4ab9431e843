import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { DomainError } from '../../lib/domain-error.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { UploadPart } from '../../media/use-cases.ts'

/** Limits for a form with few short fields. The parser cuts longer values, which are then refused or ignored. */
const FIELD_BYTES = 1024
const MOST_PARTS = 32
const HEADER_PAIRS = 16
const HEADER_BYTES = 16 * 1024
/** Boundaries, headers, fields, and bytes before and after the parts. */
const FORM_BYTES = 1024 * 1024
/** The parser needs one or two turns; if it has not reported an end after these, it never will. */
const TURNS_TO_END = 20

/**
 * The parts of a `multipart/form-data` body as they arrive. The body is only read when the consumer needs more, so that
 * memory does not grow with the file, however slow the store is. Throws the errors of `source`, `malformed_multipart`,
 * and `payload_too_large` for a body longer than a file of `fileBytes` needs.
 */
export async function* readForm(
  source: AsyncIterable<Buffer>,
  contentType: string,
  fileBytes: number,
): AsyncGenerator<UploadPart, void, undefined> {
  const form = new FormReader(source, contentType, fileBytes + FORM_BYTES)
  try {
    for (let part = await form.nextPart(); part !== null; part = await form.nextPart()) yield part
  } finally {
    await form.close()
  }
}

/** Converts the events of the parser to parts on demand. Reads only when a consumer waits. */
class FormReader {
  readonly #input: AsyncIterator<Buffer>
  readonly #parser: BusboyInstance
  readonly #mostBytes: number
  readonly #parts: UploadPart[] = []
  #bytes = 0
  #inputEnded = false
  #finished = false
  #idleTurns = 0
  #failure: Error | null = null

  constructor(source: AsyncIterable<Buffer>, contentType: string, mostBytes: number) {
    this.#input = source[Symbol.asyncIterator]()
    this.#mostBytes = mostBytes
    this.#parser = createParser(contentType)
    this.#parser
      .on('field', (name: string | undefined, value, _nameCut, valueCut) => {
        if (name === undefined) this.#fail(nameless())
        else this.#parts.push({ type: 'field', name, value: valueCut ? null : value })
      })
      .on('file', (name, stream, filename, _encoding, type) => this.#addFile(name, stream, filename, type))
      .on('partsLimit', () => this.#fail(tooManyParts()))
      .on('error', (error) => this.#fail(malformed(error)))
      .on('finish', () => (this.#finished = true))
  }

  async nextPart(): Promise<UploadPart | null> {
    for (;;) {
      const part = this.#parts.shift()
      if (part !== undefined) return part
      if (this.#failure !== null) throw this.#failure
      if (this.#finished && this.#inputEnded) return null
      await this.#readMore()
    }
  }

  async close(): Promise<void> {
    await this.#input.return?.()
  }

  #addFile(
    name: string | undefined,
    stream: BusboyFileStream,
    filename: string | undefined,
    contentType: string,
  ): void {
    const chunks: Buffer[] = []
    let ended = false
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => (ended = true))
    stream.on('error', (error) => this.#fail(malformed(error)))
    // Its bytes are still consumed, because the parser waits for that.
    if (name === undefined) return this.#fail(nameless())
    const readMore = () => this.#readMore()
    const failure = () => this.#failure
    async function* bytes(): AsyncGenerator<Buffer, void, undefined> {
      for (;;) {
        const chunk = chunks.shift()
        if (chunk !== undefined) {
          yield chunk
          continue
        }
        const error = failure()
        if (error !== null) throw error
        if (ended) return
        await readMore()
      }
    }
    this.#parts.push({ type: 'file', name, filename: filename ?? null, contentType, bytes: bytes() })
  }

  /** Passes one more chunk to the parser, which emits what it finds. */
  async #readMore(): Promise<void> {
    if (this.#inputEnded) return this.#awaitEnd()
    const { done, value } = await this.#input.next()
    if (done === true) {
      this.#inputEnded = true
      this.#parser.end()
      return
    }
    this.#bytes += value.length
    if (this.#bytes > this.#mostBytes) {
      throw new DomainError('payload_too_large', `The body is larger than ${this.#mostBytes} bytes.`)
    }
    await new Promise<void>((resolve) => this.#parser.write(value, () => resolve()))
  }

  async #awaitEnd(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    if (++this.#idleTurns > TURNS_TO_END) this.#fail(malformed(new Error('the form is incomplete')))
  }

  #fail(error: Error): void {
    this.#failure ??= error
  }
}

function createParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // The code that stores names cleans them.
      preservePath: true,
      // A part with the name of the file field is a file, whatever its headers say.
      isPartAFile: (name, _type, filename) => name === 'file' || filename !== undefined,
      limits: { parts: MOST_PARTS, fieldSize: FIELD_BYTES, headerPairs: HEADER_PAIRS, headerSize: HEADER_BYTES },
    })
  } catch (error) {
    throw malformed(error)
  }
}

function malformed(cause: unknown): DomainError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DomainError('malformed_multipart', `The form could not be read: ${reason}.`, { cause })
}

function nameless(): DomainError {
  return malformed(new Error('a part has no name'))
}

function tooManyParts(): DomainError {
  const detail = `A form can have at most ${MOST_PARTS} parts.`
  return invalid({ pointer: '', code: 'too_many', detail })
}
