import type { S3Account } from '../../../lib/net/s3-account.ts'

export interface S3Settings extends S3Account {
  /** Certificates (PEM) of the authorities that may sign the service's; null: Node's own. */
  readonly ca: readonly string[] | null
}

/** Sizes and times, with defaults for S3 and compatible services. Tests make them small. */
export interface S3Tuning {
  /** Bytes that are sent as one object without parts; also held in memory for each upload. */
  readonly inMemoryBytes: number
  /** Of an upload. At most 10,000 parts make an object: with these, 156 GiB. */
  readonly partBytes: number
  /** Parts of one upload in flight at once. */
  readonly partsInFlight: number
  /**
   * Above this, and in parts of this size, the store copies an object in parts: S3 copies at most 5 GiB in one request,
   * and needs minutes for it.
   */
  readonly copyPartBytes: number
  /** Until the connection is established. */
  readonly connectTimeoutMs: number
  /** Until the answer begins, for a request that carries and moves few bytes. */
  readonly requestTimeoutMs: number
  /**
   * Until the answer to a part, a copy or a completion begins. Times `attempts` it stays below the time that a
   * connection may be idle while a client waits (http/bodies/upload-memory.ts).
   */
  readonly transferTimeoutMs: number
  /** How long a read that wants bytes waits for the next ones. */
  readonly stallTimeoutMs: number
  /** How often a request, or a read at the same place, is tried in total. */
  readonly attempts: number
  readonly firstRetryMs: number
}

export const S3_TUNING: S3Tuning = {
  inMemoryBytes: 256 * 1024,
  partBytes: 16 * 1024 * 1024,
  partsInFlight: 2,
  copyPartBytes: 512 * 1024 * 1024,
  connectTimeoutMs: 5_000,
  requestTimeoutMs: 20_000,
  transferTimeoutMs: 60_000,
  stallTimeoutMs: 30_000,
  attempts: 3,
  firstRetryMs: 200,
}
