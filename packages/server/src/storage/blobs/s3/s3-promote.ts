import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import type { S3Connection } from './s3-connection.ts'
import { onS3 } from './s3-error.ts'

/** Has the store copy an object of this length; its bytes do not pass through here. */
export async function copyInS3(connection: S3Connection, from: BlobKey, to: BlobKey, sizeBytes: number): Promise<void> {
  const { client, transfer, tuning } = connection
  const source = connection.object(from)
  // Keys contain nothing that must be escaped, and neither does the prefix.
  const CopySource = `${source.Bucket}/${source.Key}`
  if (sizeBytes > tuning.copyPartBytes) return copyInParts(connection, CopySource, to, sizeBytes)
  await onS3(client.send(new CopyObjectCommand({ ...connection.object(to), CopySource }), transfer))
}

async function copyInParts(
  connection: S3Connection,
  CopySource: string,
  to: BlobKey,
  sizeBytes: number,
): Promise<void> {
  const { client, transfer, tuning } = connection
  const object = connection.object(to)
  const { UploadId } = await onS3(client.send(new CreateMultipartUploadCommand(object)))
  try {
    const Parts: CompletedPart[] = []
    for (let start = 0; start < sizeBytes; start += tuning.copyPartBytes) {
      const PartNumber = Parts.length + 1
      const end = Math.min(start + tuning.copyPartBytes, sizeBytes) - 1
      const part = { ...object, UploadId, PartNumber, CopySource, CopySourceRange: `bytes=${start}-${end}` }
      const { CopyPartResult } = await onS3(client.send(new UploadPartCopyCommand(part), transfer))
      Parts.push({ ETag: CopyPartResult?.ETag, PartNumber })
    }
    await onS3(
      client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }), transfer),
    )
  } catch (error) {
    await onS3(client.send(new AbortMultipartUploadCommand({ ...object, UploadId })))
    throw error
  }
}
