import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { DomainError } from '../../lib/domain-error.ts'

/** One part of a form, in the order sent. */
export type FormPart =
  /** `value` null: longer than FIELD_BYTES. */
  | { readonly type: 'field'; readonly name: string; readonly value: string | null }
  | {
      readonly type: 'file'
      readonly name: string
      readonly filename: string | null
      readonly contentType: string
      /** MUST be read to its end, or closed, before the next part is asked for. */
      readonly bytes: AsyncIterable<Buffer>
    }

/** Of a form with few short fields. What is longer is cut by the parser, and so refused or never seen. */
const FIELD_BYTES = 1024
const MOST_PARTS = 32
const HEADER_PAIRS = 16
const HEADER_BYTES = 16 * 1024
/** Boundaries, headers, fields, and whatever stands before and behind the parts. */
const FORM_BYTES = 1024 * 1024
/** The parser does everything within a turn or two; one that still owes an end then will never say it. */
const TURNS_TO_END = 20

/**
 * The parts of a `multipart/form-data` body as they arrive. The body is read on only when the consumer asks for more, so that memory does not grow with a file
 * however slow its store is. Throws whatever `source` throws, `malformed_multipart`, and `payload_too_large` for a body longer than a file of `fileBytes` needs.
 */
export async function* readForm(
  source: AsyncIterable<Buffer>,
  contentType: string,
  fileBytes: number,
): AsyncGenerator<FormPart, void, undefined> {
  const form = new FormReader(source, contentType, fileBytes + FORM_BYTES)
  try {
    for (let part = await form.nextPart(); part !== null; part = await form.nextPart()) yield part
  } finally {
    await form.close()
  }
}

/** Turns what the parser tells into what is asked for. Only ever reads when someone waits for it. */
class FormReader {
  readonly #input: AsyncIterator<Buffer>
  readonly #parser: BusboyInstance
  readonly #mostBytes: number
  readonly #parts: FormPart[] = []
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

  async nextPart(): Promise<FormPart | null> {
    for (;;) {
      const part = this.#parts.shift()
      if (part !== undefined) return part
      if (this.#failure !== null) throw this.#failure
      if (this.#finished && this.#inputEnded) return null
      await this.#readOn()
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
    // Its bytes are taken all the same: the parser waits for that.
    if (name === undefined) return this.#fail(nameless())
    const readOn = () => this.#readOn()
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
        await readOn()
      }
    }
    this.#parts.push({ type: 'file', name, filename: filename ?? null, contentType, bytes: bytes() })
  }

  /** Gives the parser one more chunk and lets it tell what it found in it. */
  async #readOn(): Promise<void> {
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
    if (++this.#idleTurns > TURNS_TO_END) this.#fail(malformed(new Error('the form has no end')))
  }

  #fail(error: Error): void {
    this.#failure ??= error
  }
}

function createParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Names are made fit to be shown by whoever keeps them.
      preservePath: true,
      // A field named as the file is one, whatever else it says of itself.
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
  return malformed(new Error('a part of it has no name'))
}

function tooManyParts(): DomainError {
  const detail = `A form has at most ${MOST_PARTS} parts.`
  return new DomainError('validation_failed', detail, { errors: [{ pointer: '', code: 'too_many', detail }] })
}
