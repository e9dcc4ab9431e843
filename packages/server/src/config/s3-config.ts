import type { S3Account } from '../lib/net/s3-account.ts'

type Values = ReadonlyMap<string, string | number | null>

const KEYS = ['SPOOR_S3_ACCESS_KEY_ID', 'SPOOR_S3_SECRET_ACCESS_KEY']

/** Null when no bucket is named. */
export function toS3Config(values: Values): S3Account | null {
  const text = (name: string) => String(values.get(`SPOOR_S3_${name}`) ?? '')
  const bucket = text('BUCKET')
  if (bucket === '') return null
  const endpoint = text('ENDPOINT') || null
  const pathStyle = text('FORCE_PATH_STYLE')
  return {
    endpoint,
    publicEndpoint: text('PUBLIC_ENDPOINT') || null,
    bucket,
    region: text('REGION'),
    accessKeyId: text('ACCESS_KEY_ID'),
    secretAccessKey: text('SECRET_ACCESS_KEY'),
    // Few services but Amazon's answer to a host name for each bucket.
    forcePathStyle: pathStyle === 'auto' ? endpoint !== null : pathStyle === 'true',
    prefix: text('PREFIX'),
    directUploads: text('DIRECT_UPLOADS') === 'on',
  }
}

/**
 * Settings that have no effect because another one is missing. `given` has the settings of the user, under the names
 * that the user typed.
 */
export function findS3Problems(values: Values, given: ReadonlyMap<string, { readonly source: string }>): string[] {
  if (toS3Config(values) !== null) {
    return KEYS.filter((name) => !given.has(name)).map((name) => `SPOOR_S3_BUCKET needs ${name}`)
  }
  return [...given]
    .filter(([name]) => name.startsWith('SPOOR_S3_'))
    .map(([, { source }]) => `${source} has no effect without SPOOR_S3_BUCKET`)
}
