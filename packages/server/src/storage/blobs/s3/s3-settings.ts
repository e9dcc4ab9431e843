/** Where the bucket is and who we are there. */
export interface S3Settings {
  /** `http://` or `https://`; null: Amazon's own, by region. */
  readonly endpoint: string | null
  /** What clients of direct uploads reach the same store by. */
  readonly publicEndpoint: string | null
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The bucket's name in the path rather than in the host name. */
  readonly forcePathStyle: boolean
  /** In front of every key, with its own slash if there is to be one. */
  readonly prefix: string
  /** Whether clients may send large objects to the store themselves. */
  readonly directUploads: boolean
}

/** Sizes and times, in the defaults that S3 and its rivals are used with. Tests make them small. */
export interface S3Tuning {
  /** What is sent as one object without a part; also what is held in memory of each upload. */
  readonly inMemoryBytes: number
  /** Of an upload. At most 10,000 parts make an object: with these, 156 GiB. */
  readonly partBytes: number
  /** Of one upload, on their way at once. */
  readonly partsInFlight: number
  /**
   * Above this, and in parts of this size, the store copies an object in parts: S3 copies 5 GiB in one go at most, and
   * needs minutes for it.
   */
  readonly copyPartBytes: number
  /** Until the connection is there. */
  readonly connectTimeoutMs: number
  /** Until the answer to a request begins that carries and moves no bytes to speak of. */
  readonly requestTimeoutMs: number
  /**
   * Until the answer to a part, a copy or a completion begins. Times `attempts` it stays below what a connection may be
   * idle while a client waits (http/bodies/upload-memory.ts).
   */
  readonly transferTimeoutMs: number
  /** How long a read that wants bytes waits for the next ones. */
  readonly stallTimeoutMs: number
  /** How often a request, or a read at the same place, is tried in all. */
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
