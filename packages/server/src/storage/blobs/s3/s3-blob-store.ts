import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Timers } from '../../../lib/time/timers.ts'
import type {
  BlobKey,
  BlobStore,
  ByteRange,
  DirectUpload,
  DirectUploadTarget,
} from '../../../ports/media/blob-store.ts'
import { checkBucket } from './check-bucket.ts'
import { emptyFolder, makeFolder } from '../folder/media-folder.ts'
import { createS3Client, S3Connection } from './s3-connection.ts'
import { signDirectTarget } from './s3-direct-target.ts'
import { fromS3Error, isNotFound } from './s3-error.ts'
import { copyInS3 } from './s3-promote.ts'
import { readFromS3 } from './s3-read.ts'
import { abortUploadsBefore, removeFromS3 } from './s3-remove.ts'
import { S3_TUNING, type S3Settings, type S3Tuning } from './s3-settings.ts'
import { S3Upload } from './s3-upload.ts'

/**
 * Uploads that began earlier have no writer any more: other services may be writing to the same bucket, but not for so
 * long.
 */
const LONGEST_UPLOAD_MS = 48 * 3_600_000

export interface S3BlobStoreOptions {
  readonly settings: S3Settings
  /** For upload parts that wait to be sent, of this process alone. Made if it does not exist. */
  readonly spoolFolder: string
  readonly clock: Clock
  readonly timers: Timers
  /** Called with the reason why data of a failed write could not be removed: `remove` has to do it later. */
  readonly onLeftover: (error: unknown, key: BlobKey) => void
  readonly tuning?: Partial<S3Tuning>
}

/** The store on a bucket, after a check that it is usable. Throws OperatorError when it is not. */
export async function openS3BlobStore(options: S3BlobStoreOptions): Promise<S3BlobStore> {
  const store = new S3BlobStore(options)
  try {
    await store.open()
  } catch (error) {
    store.close()
    throw error
  }
  return store
}

/** Objects of a bucket, which must not keep versions: a removed object would stay. */
export class S3BlobStore implements BlobStore {
  readonly #connection: S3Connection
  /** Signs for clients; sends nothing itself. */
  readonly #publicClient: S3Client
  readonly #options: S3BlobStoreOptions

  constructor(options: S3BlobStoreOptions) {
    const { settings, timers } = options
    const tuning = { ...S3_TUNING, ...options.tuning }
    this.#options = options
    this.#connection = new S3Connection(settings, tuning, timers)
    this.#publicClient = createS3Client(settings, settings.publicEndpoint ?? settings.endpoint, tuning)
  }

  /** Await this before anything else: see openS3BlobStore. */
  async open(): Promise<void> {
    await checkBucket(this.#connection)
    await makeFolder(this.#options.spoolFolder)
  }

  async write(key: BlobKey, source: AsyncIterable<Buffer>): Promise<void> {
    const upload = new S3Upload(this.#connection, key, join(this.#options.spoolFolder, key.replace('/', '.')))
    try {
      await upload.run(source)
    } catch (error) {
      if (upload.begun) {
        await removeFromS3(this.#connection, key).catch((failure: unknown) => this.#options.onLeftover(failure, key))
      }
      throw error
    }
  }

  async read(key: BlobKey, range: ByteRange | null): Promise<Readable | null> {
    return readFromS3(this.#connection, key, range)
  }

  async size(key: BlobKey): Promise<number | null> {
    const object = this.#connection.object(key)
    try {
      return (await this.#connection.client.send(new HeadObjectCommand(object))).ContentLength ?? 0
    } catch (error) {
      if (isNotFound(error)) return null
      throw fromS3Error(error)
    }
  }

  async remove(key: BlobKey): Promise<void> {
    await removeFromS3(this.#connection, key)
  }

  async promote(from: BlobKey, to: BlobKey): Promise<void> {
    this.#connection.object(to)
    const sizeBytes = await this.size(from)
    if (sizeBytes === null) {
      if ((await this.size(to)) !== null) return
      throw new Error(`there is no object ${from}`)
    }
    await copyInS3(this.#connection, from, to, sizeBytes)
    await removeFromS3(this.#connection, from)
  }

  async directTarget(upload: DirectUpload): Promise<DirectUploadTarget | null> {
    if (!this.#options.settings.directUploads) return null
    return signDirectTarget(this.#connection, this.#publicClient, upload)
  }

  async removeLeftovers(): Promise<void> {
    const { spoolFolder, clock } = this.#options
    await emptyFolder(spoolFolder)
    await abortUploadsBefore(this.#connection, clock.now() - LONGEST_UPLOAD_MS)
  }

  /** Closes idle connections. Requests in flight end first, by themselves. */
  close(): void {
    this.#connection.close()
    this.#publicClient.destroy()
  }
}
