import { Readable } from 'node:stream'
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3'
import type { BlobKey, ByteRange } from '../../../ports/media/blob-store.ts'
import type { S3Connection } from './s3-connection.ts'
import { fromS3Error, isNotFound, statusOf } from './s3-error.ts'
import { S3ObjectStream } from './s3-object-stream.ts'

const RANGE_NOT_SATISFIABLE = 416

/** See BlobStore.read. */
export async function readFromS3(
  connection: S3Connection,
  key: BlobKey,
  range: ByteRange | null,
): Promise<S3ObjectStream | null> {
  if (range !== null && (range.start < 0 || range.end < range.start)) throw outside(range)
  const object = connection.object(key)
  const get = async (from: ByteRange | null, abortSignal?: AbortSignal) => {
    const Range = from === null ? {} : { Range: `bytes=${from.start}-${from.end}` }
    const options = abortSignal === undefined ? {} : { abortSignal }
    const answer = await connection.client.send(new GetObjectCommand({ ...object, ...Range }), options)
    const body = bodyOf(answer)
    const given = from === null ? null : answer.ContentRange
    if (from !== null && !given?.startsWith(`bytes ${from.start}-${from.end}/`)) {
      body.destroy()
      throw outside(from)
    }
    return { body, sizeBytes: answer.ContentLength ?? 0 }
  }
  try {
    const { body, sizeBytes } = await get(range)
    const whole = range ?? { start: 0, end: sizeBytes - 1 }
    return new S3ObjectStream(
      connection,
      body,
      whole,
      async (start, signal) => (await get({ start, end: whole.end }, signal)).body,
    )
  } catch (error) {
    if (isNotFound(error)) return null
    if (error instanceof RangeError) throw error
    if (range !== null && statusOf(error) === RANGE_NOT_SATISFIABLE) throw outside(range)
    throw fromS3Error(error)
  }
}

function bodyOf({ Body }: GetObjectCommandOutput): Readable {
  if (!(Body instanceof Readable)) throw new Error('the answer has no body')
  return Body
}

function outside({ start, end }: ByteRange): RangeError {
  return new RangeError(`bytes ${start} to ${end} are not within the object`)
}
