import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { DirectUpload, DirectUploadTarget } from '../../../ports/media/blob-store.ts'
import type { S3Connection } from './s3-connection.ts'

/**
 * S3 accepts no more in one request; clients would have to split a multipart upload themselves, which is not worth it.
 */
const LARGEST_PUT_BYTES = 5 * 1024 ** 3

/**
 * A signed PUT. Type and length are part of what is signed: every S3 refuses others. So is the hash, but only some
 * stores check it against the bytes, and none stops the client from sending them twice until the URL expires. So the
 * object must be promoted first and hashed after that.
 *
 * @param client of the address by which clients reach the store
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
    // If the checksum were in the URL instead of in a header, it would not be checked.
    unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
  })
  return { url, headers }
}
