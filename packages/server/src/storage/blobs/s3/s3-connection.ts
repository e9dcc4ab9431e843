import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { S3Client } from '@aws-sdk/client-s3'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { backoffDelayMs } from '../../../lib/time/backoff.ts'
import type { Timers } from '../../../lib/time/timers.ts'
import { checkBlobKey } from '../../../ports/media/blob-key.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import { isPassing } from './s3-error.ts'
import type { S3Settings, S3Tuning } from './s3-settings.ts'

/** Upper bound of the waits between the tries of one request. */
const LONGEST_RETRY_MS = 5_000

/** Dependencies of every operation on the bucket. */
export class S3Connection {
  readonly client: S3Client
  readonly settings: S3Settings
  readonly tuning: S3Tuning
  readonly timers: Timers

  constructor(settings: S3Settings, tuning: S3Tuning, timers: Timers) {
    this.settings = settings
    this.tuning = tuning
    this.timers = timers
    this.client = createS3Client(settings, settings.endpoint, tuning)
  }

  object(key: BlobKey): { Bucket: string; Key: string } {
    checkBlobKey(key)
    return { Bucket: this.settings.bucket, Key: this.settings.prefix + key }
  }

  /** For requests whose answer takes as long as their bytes. */
  get transfer(): { requestTimeout: number } {
    return { requestTimeout: this.tuning.transferTimeoutMs }
  }

  /** Waits before try `failures` + 1. */
  pauseAfter(failures: number): Promise<void> {
    const delayMs = this.retryDelayMs(failures)
    return new Promise((resolve) => this.timers.after(delayMs, resolve))
  }

  retryDelayMs(failures: number): number {
    // Tries of one process need no jitter.
    return backoffDelayMs({ firstMs: this.tuning.firstRetryMs, maxMs: LONGEST_RETRY_MS }, failures, 1)
  }

  /**
   * Retries what the client does not retry by itself: requests whose body is a stream, because each try needs a new
   * one. Ends at once when `signal` aborts or the store refuses.
   */
  async retrying<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await run()
      } catch (error) {
        if (signal.aborted || failures >= this.tuning.attempts || !isPassing(error)) throw error
        await this.pauseAfter(failures)
        signal.throwIfAborted()
      }
    }
  }

  close(): void {
    this.client.destroy()
  }
}

/** The client would also write to the console what it then throws. */
const SILENT = {
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * Checksums only where S3 requires them: other services do not support the client's own way of sending them after the
 * bytes. Nothing is read from the environment or from files of the account. The number of connections is bounded by the
 * requests that the service itself accepts.
 */
export function createS3Client(settings: S3Settings, endpoint: string | null, tuning: S3Tuning): S3Client {
  const connections = { keepAlive: true, maxSockets: Infinity, maxFreeSockets: 32 }
  return new S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    forcePathStyle: settings.forcePathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: tuning.attempts,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    logger: SILENT,
    requestHandler: new NodeHttpHandler({
      httpAgent: new HttpAgent(connections),
      httpsAgent: new HttpsAgent(settings.ca === null ? connections : { ...connections, ca: [...settings.ca] }),
      connectionTimeout: tuning.connectTimeoutMs,
      requestTimeout: tuning.requestTimeoutMs,
      throwOnRequestTimeout: true,
      // An idle connection may be a slow reader: S3ObjectStream tells the two apart.
      socketTimeout: 0,
    }),
  })
}
