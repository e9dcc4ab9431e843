import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { S3Server } from '../../../../../../e2e/lib/media/s3-server.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { systemTimers } from '../../../lib/time/timers.ts'
import { S3BlobStore, type S3BlobStoreOptions } from './s3-blob-store.ts'
import { createS3Client } from './s3-connection.ts'
import { S3_TUNING, type S3Settings } from './s3-settings.ts'

/** Sizes that a test reaches, times that it can wait for. */
const SMALL_TUNING = { partBytes: 5 * 1024 * 1024, copyPartBytes: 8 * 1024 * 1024, firstRetryMs: 20 }

type StoreOptions = Partial<Omit<S3BlobStoreOptions, 'settings'>> & { readonly settings?: Partial<S3Settings> }

/** All objects of a bucket, at most a thousand, into another one that exists. */
export async function copyBucket(server: S3Server, from: string, to: string): Promise<void> {
  using bucket = TestBucket.of(server, from)
  const { Contents = [] } = await bucket.client.send(new ListObjectsV2Command({ Bucket: from }))
  for (const { Key } of Contents)
    await bucket.client.send(new CopyObjectCommand({ Bucket: to, Key, CopySource: `${from}/${Key}` }))
}

/** For tests: a bucket of its own on a real S3 service, and stores on it. */
export class TestBucket implements Disposable {
  readonly settings: S3Settings
  readonly client: S3Client
  readonly folder = mkdtempSync(join(tmpdir(), 'spoor-spool-'))
  readonly #stores: S3BlobStore[] = []

  private constructor(settings: S3Settings) {
    this.settings = settings
    this.client = createS3Client(settings, settings.endpoint, S3_TUNING)
  }

  /** One that exists. */
  static of(server: S3Server, bucket: string, prefix = ''): TestBucket {
    const { endpoint, region, accessKeyId, secretAccessKey } = server
    const account = { endpoint, publicEndpoint: null, region, accessKeyId, secretAccessKey }
    return new TestBucket({ ...account, bucket, prefix, forcePathStyle: true, directUploads: true, ca: null })
  }

  static async create(server: S3Server, bucket: string, prefix = ''): Promise<TestBucket> {
    const created = TestBucket.of(server, bucket, prefix)
    await created.client.send(new CreateBucketCommand({ Bucket: bucket }))
    return created
  }

  store({ settings, ...options }: StoreOptions = {}): S3BlobStore {
    const store = new S3BlobStore({ ...this.options(options), settings: { ...this.settings, ...settings } })
    this.#stores.push(store)
    return store
  }

  options({ tuning, ...others }: Omit<StoreOptions, 'settings'> = {}): S3BlobStoreOptions {
    return {
      settings: this.settings,
      spoolFolder: this.folder,
      clock: systemClock,
      timers: systemTimers,
      onLeftover: (error) => {
        throw error
      },
      tuning: { ...SMALL_TUNING, ...tuning },
      ...others,
    }
  }

  /** The names of all objects and, prefixed with `upload `, of all unfinished uploads. */
  async content(): Promise<string[]> {
    const bucket = { Bucket: this.settings.bucket }
    const { Contents = [] } = await this.client.send(new ListObjectsV2Command(bucket))
    const { Uploads = [] } = await this.client.send(new ListMultipartUploadsCommand(bucket))
    return [...Contents.map(({ Key }) => `${Key}`), ...Uploads.map(({ Key }) => `upload ${Key}`)]
  }

  [Symbol.dispose](): void {
    for (const store of this.#stores) store.close()
    this.client.destroy()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
