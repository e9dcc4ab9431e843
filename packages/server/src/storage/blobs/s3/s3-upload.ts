import { once } from 'node:events'
import type { Readable } from 'node:stream'
import {
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import { ChunkReader } from './chunk-reader.ts'
import { PartSpool, type SpooledPart } from './part-spool.ts'
import type { S3Connection } from './s3-connection.ts'
import { fromS3Error, isNotFound, onS3 } from './s3-error.ts'

/**
 * One object being sent to the bucket: small ones from memory, larger ones from a spool, the largest in parts, some
 * being sent while the next is received.
 */
export class S3Upload {
  readonly #connection: S3Connection
  readonly #object: { readonly Bucket: string; readonly Key: string }
  readonly #spoolPath: string
  readonly #abort = new AbortController()
  #begun = false

  constructor(connection: S3Connection, key: BlobKey, spoolPath: string) {
    this.#connection = connection
    this.#object = connection.object(key)
    this.#spoolPath = spoolPath
  }

  /** Whether the bucket may hold data of it. */
  get begun(): boolean {
    return this.#begun
  }

  /** Rejects with the source's own error, or with a DomainError; nothing is in flight any more then. */
  async run(source: AsyncIterable<Buffer>): Promise<void> {
    const { tuning } = this.#connection
    const reader = new ChunkReader(source)
    try {
      const front: Buffer[] = []
      for await (const chunk of reader.take(tuning.inMemoryBytes)) front.push(chunk)
      if (await reader.ended()) return await this.#putBytes(Buffer.concat(front))
      reader.unread(front)
      const spool = await PartSpool.open(this.#spoolPath, {
        partBytes: tuning.partBytes,
        places: tuning.partsInFlight + 1,
      })
      try {
        await this.#sendParts(reader, spool)
      } finally {
        await spool.close()
      }
    } catch (error) {
      // As in a loop over it: an error of closing the source does not replace the reason.
      await reader.close().catch(() => undefined)
      throw error
    }
  }

  async #putBytes(bytes: Buffer): Promise<void> {
    this.#begun = true
    await onS3(this.#connection.client.send(new PutObjectCommand({ ...this.#object, Body: bytes })))
  }

  async #sendParts(reader: ChunkReader, spool: PartSpool): Promise<void> {
    const { tuning } = this.#connection
    const first = await spool.fill(reader.take(tuning.partBytes))
    this.#begun = true
    if (await reader.ended()) return this.#putSpooled(first)

    const { client } = this.#connection
    const { UploadId } = await onS3(client.send(new CreateMultipartUploadCommand(this.#object)))
    const sent: Promise<CompletedPart>[] = []
    let totalBytes = 0
    const send = (part: SpooledPart) => {
      totalBytes += part.sizeBytes
      const sending = this.#sendPart(part, { UploadId, PartNumber: sent.length + 1 }).finally(() => part.release())
      // The next chunk or the end reports it; the others need not be sent then.
      sending.catch((error: unknown) => this.#abort.abort(error))
      sent.push(sending)
    }
    try {
      send(first)
      while (!(await reader.ended())) send(await spool.fill(this.#unlessFailed(reader.take(tuning.partBytes))))
      await this.#complete(UploadId, await Promise.all(sent), totalBytes)
    } catch (error) {
      throw this.#abort.signal.aborted ? this.#abort.signal.reason : error
    } finally {
      this.#abort.abort()
      await Promise.allSettled(sent)
    }
  }

  async #putSpooled(part: SpooledPart): Promise<void> {
    await this.#sendBody(part, (Body, options) =>
      this.#connection.client.send(
        new PutObjectCommand({ ...this.#object, Body, ContentLength: part.sizeBytes }),
        options,
      ),
    )
  }

  async #sendPart(
    part: SpooledPart,
    which: { UploadId: string | undefined; PartNumber: number },
  ): Promise<CompletedPart> {
    const { ETag } = await this.#sendBody(part, (Body, options) =>
      this.#connection.client.send(
        new UploadPartCommand({ ...this.#object, ...which, Body, ContentLength: part.sizeBytes }),
        options,
      ),
    )
    return { ETag, PartNumber: which.PartNumber }
  }

  /** Retries with a new stream; each has released the spool before this ends. */
  #sendBody<T>(part: SpooledPart, send: (body: Readable, options: SendOptions) => Promise<T>): Promise<T> {
    const attempt = async () => {
      const body = part.read()
      const unreadable = new AbortController()
      body.once('error', (error) => unreadable.abort(error))
      const abortSignal = AbortSignal.any([this.#abort.signal, unreadable.signal])
      try {
        return await send(body, { abortSignal, ...this.#connection.transfer })
      } finally {
        body.destroy()
        if (!body.closed) await once(body, 'close')
      }
    }
    return onS3(this.#connection.retrying(this.#abort.signal, attempt))
  }

  async *#unlessFailed(part: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of part) {
      if (this.#abort.signal.aborted) throw this.#abort.signal.reason
      yield chunk
    }
  }

  async #complete(UploadId: string | undefined, Parts: CompletedPart[], totalBytes: number): Promise<void> {
    const { client, transfer } = this.#connection
    try {
      await client.send(
        new CompleteMultipartUploadCommand({ ...this.#object, UploadId, MultipartUpload: { Parts } }),
        transfer,
      )
    } catch (error) {
      // The answer to a first try may have been lost: for the second, the upload no longer exists.
      const done =
        isNotFound(error) && (await onS3(client.send(new HeadObjectCommand(this.#object)))).ContentLength === totalBytes
      if (!done) throw fromS3Error(error)
    }
  }
}

interface SendOptions {
  readonly abortSignal: AbortSignal
  readonly requestTimeout: number
}
