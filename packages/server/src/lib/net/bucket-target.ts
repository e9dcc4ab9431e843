import { OperatorError } from '../operator-error.ts'

const SCHEME = 's3://'
const BUCKET_TARGET = /^([^/]+)(?:\/(.*))?$/

/**
 * `s3://BUCKET/PREFIX`; null for the path of a folder. The prefix is empty or ends with a slash.
 * Throws OperatorError if there is no bucket.
 */
export function readBucketTarget(target: string): { readonly bucket: string; readonly prefix: string } | null {
  if (!target.startsWith(SCHEME)) return null
  const [, bucket, path = ''] = BUCKET_TARGET.exec(target.slice(SCHEME.length)) ?? []
  if (bucket === undefined) throw new OperatorError(`${target} names no bucket: it must be s3://BUCKET/PREFIX.`)
  return { bucket, prefix: path === '' || path.endsWith('/') ? path : `${path}/` }
}
