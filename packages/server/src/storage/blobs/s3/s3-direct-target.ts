import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { DirectUpload, DirectUploadTarget } from '../../../ports/media/blob-store.ts'
import type { S3Connection } from './s3-connection.ts'

/** S3 takes no more in one request; a form of upload that clients would have to take apart themselves is not worth it. */
const LARGEST_PUT_BYTES = 5 * 1024 ** 3

/**
 * A signed PUT. Type and length are part of what is signed: every S3 refuses others. So is the hash, but only some stores check it against the bytes, and none stops the
 * client from sending them twice until the URL expires: whoever takes the object in has to promote it first and hash what he promoted.
 *
 * @param client of the address that clients reach the store by
 */
export async function signDirectTarget(
  connection: S3Connection,
  client: S3Client,
  upload: DirectUpload,
): Promise<DirectUploadTarget | null> {
  if (upload.sizeBytes > LARGEST_PUT_BYTES) return null
  const checksum = Buffer.from(upload.sha256, 'hex').toString('base64')
  const headers = {
    'content-type': upload.contentType,
    'content-length': String(upload.sizeBytes),
    'x-amz-checksum-sha256': checksum,
  }
  const command = new PutObjectCommand({
    ...connection.object(upload.key),
    ContentType: upload.contentType,
    ContentLength: upload.sizeBytes,
    ChecksumSHA256: checksum,
  })
  const url = await getSignedUrl(client, command, {
    expiresIn: upload.expiresInSeconds,
    signableHeaders: new Set(['host', ...Object.keys(headers)]),
    // In the URL rather than in a header, the checksum would not be looked at.
    unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
  })
  return { url, headers }
}
