import { Readable } from 'node:stream'
import { checkBlobKey } from './blob-key.ts'
import { checkRange } from './blob-range.ts'
import type { BlobKey, BlobStore, ByteRange, DirectUpload, DirectUploadTarget } from './blob-store.ts'

const PIECE_BYTES = 64 * 1024

/**
 * For tests: a BlobStore in memory. Clients cannot reach it, unless `directUrl` says where they would put an object.
 */
export class MemoryBlobStore implements BlobStore {
  readonly objects = new Map<BlobKey, Buffer>()
  /** The bytes that unfinished writes have taken so far. */
  readonly unfinished = new Set<BlobKey>()
  /** Thrown by every operation while set: the store is gone. */
  failure: Error | null = null
  /** Streams being read fail behind this many bytes. */
  failReadsAfterBytes = Number.POSITIVE_INFINITY
  directUrl: ((key: BlobKey) => string) | null = null

  async write(key: BlobKey, source: AsyncIterable<Buffer>): Promise<void> {
    this.#check(key)
    if (this.objects.has(key)) throw new TypeError(`written before: ${key}`)
    this.unfinished.add(key)
    const chunks: Buffer[] = []
    try {
      // A copy: the source may use its buffer again.
      for await (const chunk of source) chunks.push(Buffer.from(chunk))
      this.#check(key)
    } finally {
      this.unfinished.delete(key)
    }
    this.objects.set(key, Buffer.concat(chunks))
  }

  async read(key: BlobKey, range: ByteRange | null): Promise<Readable | null> {
    this.#check(key)
    const object = this.objects.get(key)
    if (object === undefined) return null
    if (range !== null) checkRange(range, object.length)
    return Readable.from(this.#pieces(range === null ? object : object.subarray(range.start, range.end + 1)), {
      objectMode: false,
    })
  }

  async *#pieces(bytes: Buffer): AsyncGenerator<Buffer> {
    for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
      if (this.failure !== null) throw this.failure
      if (offset + PIECE_BYTES > this.failReadsAfterBytes) {
        yield bytes.subarray(offset, this.failReadsAfterBytes)
        throw new Error('the store went away')
      }
      yield bytes.subarray(offset, offset + PIECE_BYTES)
    }
  }

  async size(key: BlobKey): Promise<number | null> {
    this.#check(key)
    return this.objects.get(key)?.length ?? null
  }

  async remove(key: BlobKey): Promise<void> {
    this.#check(key)
    this.objects.delete(key)
  }

  async promote(from: BlobKey, to: BlobKey): Promise<void> {
    this.#check(from)
    this.#check(to)
    const object = this.objects.get(from)
    if (object === undefined) throw new TypeError(`no such object: ${from}`)
    this.objects.set(to, object)
    this.objects.delete(from)
  }

  async directTarget(upload: DirectUpload): Promise<DirectUploadTarget | null> {
    this.#check(upload.key)
    if (this.directUrl === null) return null
    return { url: this.directUrl(upload.key), headers: { 'content-type': upload.contentType } }
  }

  async removeLeftovers(): Promise<void> {
    if (this.failure !== null) throw this.failure
  }

  #check(key: BlobKey): void {
    checkBlobKey(key)
    if (this.failure !== null) throw this.failure
  }
}
