/** Address and account of a bucket. */
export interface S3Account {
  /** `http://` or `https://`; null: Amazon's own, by region. */
  readonly endpoint: string | null
  /** The address by which clients of direct uploads reach the same store. */
  readonly publicEndpoint: string | null
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The bucket's name in the path instead of in the host name. */
  readonly forcePathStyle: boolean
  /** Before every key: empty, or ends with a slash. */
  readonly prefix: string
  /** Whether clients may send large objects to the store directly. */
  readonly directUploads: boolean
}
