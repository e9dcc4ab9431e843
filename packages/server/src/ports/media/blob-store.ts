import type { Readable } from 'node:stream'

/** Names one object of a blob store: `<project id>/<random>`, made by the service; never text of a client. */
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
   * Stores the bytes as they arrive and resolves once they are durable under `key`, which MUST be new; they are not
   * readable before. A chunk belongs to the store once it is yielded: the source MUST NOT read or write it again. When
   * `source` throws, this rejects with its error; when the store fails, a source that has begun is closed. When this
   * rejects, nothing is stored, unless the store could not be reached: then `remove` deletes it later. Memory does not
   * grow with the length of the source.
   */
  write(key: BlobKey, source: AsyncIterable<Buffer>): Promise<void>
  /**
   * The object's bytes, all or a range; the caller MUST consume or destroy them. Null if there is no such object,
   * RangeError if the range is not within it. The stream fails if the store goes away in the middle; it never ends
   * early as if it were whole.
   */
  read(key: BlobKey, range: ByteRange | null): Promise<Readable | null>
  /** Length in bytes, or null when there is no such object. */
  size(key: BlobKey): Promise<number | null>
  /**
   * Does nothing when there is no such object. Also removes what an interrupted write left under this key.
   */
  remove(key: BlobKey): Promise<void>
  /**
   * Gives the object another key, durably; the old one is gone when this resolves. A client that may write to the old
   * one cannot change the new one. May be repeated after an interruption. Rejects when there is no such object. The
   * client can change the object under the old key until then: read the new one to know its bytes.
   */
  promote(from: BlobKey, to: BlobKey): Promise<void>
  /**
   * Where the client may put the object itself, or null when clients cannot reach the store: then the service takes it.
   */
  directTarget(upload: DirectUpload): Promise<DirectUploadTarget | null>
  /**
   * Removes what writes interrupted by a crash left without a key. Call it at the start, before any write.
   */
  removeLeftovers(): Promise<void>
}
