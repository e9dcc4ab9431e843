import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { ByteRange } from '../../../ports/media/blob-store.ts'
import { freePassing, markPassing, pipeFreeing } from '../../../lib/flow/passing-bytes.ts'
import type { S3Connection } from './s3-connection.ts'
import { fromS3Error } from './s3-error.ts'

/** How much is read ahead of a reader that does not take. */
const HIGH_WATER_BYTES = 128 * 1024

/** Returns the bytes from `start` on. */
export type OpenRange = (start: number, signal: AbortSignal) => Promise<Readable>

/**
 * The bytes of a range of an object that never changes. A connection that is cut, ends early or stalls is replaced by
 * another that continues there. If that fails too often at one place, the stream fails. While its reader does not take,
 * the store is not expected to send anything.
 */
export class S3ObjectStream extends Readable {
  readonly #connection: S3Connection
  readonly #open: OpenRange
  readonly #end: number
  readonly #abort = new AbortController()
  #position: number
  #body: Readable | null = null
  #failures = 0
  /** Whether a byte that arrived now would be taken. */
  #wanted = false
  #cancelWait: () => void = () => undefined
  readonly #stopWatch: () => void
  #watchedPosition = -1

  constructor(connection: S3Connection, body: Readable, { start, end }: ByteRange, open: OpenRange) {
    super({ highWaterMark: HIGH_WATER_BYTES })
    this.#connection = connection
    this.#open = open
    this.#position = start
    this.#end = end
    this.#stopWatch = connection.timers.every(connection.tuning.stallTimeoutMs, () => this.#look())
    this.#follow(body)
  }

  override _read(): void {
    this.#wanted = true
    if (this.#position > this.#end) this.push(null)
    else this.#body?.resume()
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    pipeFreeing(this, destination, options)
    return destination
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stopWatch()
    this.#cancelWait()
    this.#abort.abort()
    const body = this.#body
    this.#body = null
    // A body that was read to its end returns its connection by itself.
    if (this.#position > this.#end) body?.resume()
    else body?.destroy()
    done(error)
  }

  #follow(body: Readable): void {
    this.#body = body
    freeReceived(body)
    const lost = (error: Error) => {
      if (this.#body === body && this.#position <= this.#end) this.#lose(error)
    }
    body.on('data', (chunk: Buffer) => {
      if (this.#body === body) this.#take(chunk)
    })
    body.on('error', lost)
    body.on('end', () => lost(new Error('the object ended early')))
    body.on('close', () => lost(new Error('the connection was closed')))
    if (!this.#wanted) body.pause()
  }

  #take(chunk: Buffer): void {
    const wanted = chunk.subarray(0, this.#end + 1 - this.#position)
    this.#position += wanted.length
    markPassing(wanted)
    this.#failures = 0
    this.#wanted = this.push(wanted)
    if (this.#position > this.#end) this.push(null)
    else if (!this.#wanted) this.#body?.pause()
  }

  #lose(error: Error): void {
    const body = this.#body
    this.#body = null
    body?.destroy()
    this.#failures += 1
    if (this.#failures >= this.#connection.tuning.attempts) {
      this.destroy(fromS3Error(error))
      return
    }
    const delayMs = this.#connection.retryDelayMs(this.#failures)
    this.#cancelWait = this.#connection.timers.after(delayMs, () => void this.#reopen())
  }

  async #reopen(): Promise<void> {
    try {
      const body = await this.#open(this.#position, this.#abort.signal)
      if (this.destroyed) body.destroy()
      else this.#follow(body)
    } catch (error) {
      // The request was retried often enough by itself.
      if (!this.destroyed) this.destroy(fromS3Error(error))
    }
  }

  /** Nothing arrived since the last check, though it was wanted all the time. */
  #look(): void {
    if (this.#wanted && this.#body !== null && this.#watchedPosition === this.#position) {
      this.#body.destroy(new Error('the store stopped giving bytes'))
    }
    this.#watchedPosition = this.#wanted ? this.#position : -1
  }
}

/** The parser of answers copies what a socket delivers: once it has seen a piece, nothing reads it again. */
function freeReceived(body: Readable): void {
  if (!(body instanceof IncomingMessage)) return
  const { socket } = body
  const free = (piece: Buffer) => {
    markPassing(piece)
    freePassing(piece)
  }
  // After the parser's own listener, which exists as long as the body does.
  socket.on('data', free)
  body.once('close', () => socket.off('data', free))
}
