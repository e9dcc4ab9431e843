import {
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { S3Connection } from './s3-connection.ts'
import { isNotFound, statusOf } from './s3-error.ts'

/** Written and removed once at each start. No key has this shape. */
const PROBE = 'spoor-start-check'

/**
 * Checks whether media can be stored in the bucket, by doing it. Throws OperatorError with what to do when it cannot.
 */
export async function checkBucket(connection: S3Connection): Promise<void> {
  const { client, settings } = connection
  const bucket = { Bucket: settings.bucket }
  const probe = { ...bucket, Key: settings.prefix + PROBE }
  await step(connection, 'be reached', () => client.send(new HeadBucketCommand(bucket)))
  await step(connection, 'be written to', () => client.send(new PutObjectCommand({ ...probe, Body: PROBE })))
  await step(connection, 'have objects removed', () => client.send(new DeleteObjectCommand(probe)))
  const unfinished = new ListMultipartUploadsCommand({ ...bucket, Prefix: probe.Key })
  await step(connection, 'have its unfinished uploads listed', () => client.send(unfinished))
  // An account that may not list a bucket gets "forbidden" instead of "missing" for an object.
  await step(connection, 'be listed', async () => {
    try {
      await client.send(new HeadObjectCommand(probe))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  })
}

async function step({ settings }: S3Connection, what: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    const where = settings.endpoint ?? `Amazon S3, region ${settings.region}`
    throw new OperatorError(`The bucket ${settings.bucket} at ${where} cannot ${what}: ${reasonFor(error)}`, {
      cause: error,
    })
  }
}

function reasonFor(error: unknown): string {
  switch (statusOf(error)) {
    case null:
      return `there is no answer (${messageOf(error)}). Check SPOOR_S3_ENDPOINT and the network.`
    case 301:
    case 307:
      return 'it is in another region. Check SPOOR_S3_REGION and SPOOR_S3_ENDPOINT.'
    case 400:
      return 'the service does not understand the request. Check SPOOR_S3_ENDPOINT, SPOOR_S3_REGION and SPOOR_S3_FORCE_PATH_STYLE.'
    case 401:
    case 403:
      return 'that is not allowed. Check SPOOR_S3_ACCESS_KEY_ID, SPOOR_S3_SECRET_ACCESS_KEY and what the key may do.'
    case 404:
      return 'it does not exist. Create it, or check SPOOR_S3_BUCKET and SPOOR_S3_FORCE_PATH_STYLE.'
    default:
      return `the service answers ${statusOf(error)} (${messageOf(error)}).`
  }
}

/** A connection that fails at every address of a host has no message of its own. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return error.message === '' ? code : error.message
}
