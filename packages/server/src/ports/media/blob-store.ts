import type { Readable } from 'node:stream'

/** Names one object of a blob store: `<project id>/<random>`, made by whoever stores it; never a word of a client's. */
export type BlobKey = string & { readonly brand: 'BlobKey' }

/** Bytes from `start` to `end`, both inclusive, as in HTTP. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * What a direct upload is bound to: an object of any other type, length or hash is refused, by the store or before it
 * counts. Until it expires the client may send it again, also after the object was promoted or removed: the key has to
 * be removed once more then.
 */
export interface DirectUpload {
  readonly key: BlobKey
  readonly contentType: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
  readonly expiresInSeconds: number
}

/** Where a client sends the bytes of a direct upload, and the headers that it must send. */
export interface DirectUploadTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The bytes of media: a folder or an S3 bucket. Objects are written once and never changed. Failures of the store
 * itself are DomainErrors: `storage_unavailable`, `disk_full`.
 */
export interface BlobStore {
  /**
   * Stores the bytes as they arrive and resolves once they are durable under `key`, which MUST be new; nobody sees them
   * before. Chunks belong to the store once they are given: the source MUST NOT look at them or write to them again.
   * When `source` throws, that error is thrown on; when the store fails, a source that was begun is closed. Whenever
   * this rejects, nothing is kept, unless the store could not be told: `remove` takes that away later. Memory does not
   * grow with the length of the source.
   */
  write(key: BlobKey, source: AsyncIterable<Buffer>): Promise<void>
  /**
   * The object's bytes, all or those of a range, which the caller MUST consume or destroy. Null when there is no such
   * object, RangeError when the range is not within it. The stream fails when the store goes away in the middle; it
   * never ends early as if it were whole.
   */
  read(key: BlobKey, range: ByteRange | null): Promise<Readable | null>
  /** Length in bytes, or null when there is no such object. */
  size(key: BlobKey): Promise<number | null>
  /**
   * Harmless when the object is not there, in part or at all: what an interrupted write left under this key goes too.
   */
  remove(key: BlobKey): Promise<void>
  /**
   * Gives the object another key, durably; the old one is gone when it resolves. Whoever could write to the old one
   * cannot change the new one. May be done again after it was cut off. Rejects when there is no such object. What a
   * client put under the old key can change until now: whoever wants to know it, reads the new one.
   */
  promote(from: BlobKey, to: BlobKey): Promise<void>
  /**
   * Where the client may put the object itself, or null when the store cannot be reached by clients: the service takes
   * it then.
   */
  directTarget(upload: DirectUpload): Promise<DirectUploadTarget | null>
  /**
   * Removes what writes that were cut off by a crash left behind and no key leads to. To be called at start, before any
   * write.
   */
  removeLeftovers(): Promise<void>
}
