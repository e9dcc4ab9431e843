import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3'
import { isBlobKey } from '../../../ports/media/blob-key.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import type { S3Connection } from './s3-connection.ts'
import { isNotFound, onS3 } from './s3-error.ts'

/** The object and every unfinished upload of it. */
export async function removeFromS3(connection: S3Connection, key: BlobKey): Promise<void> {
  const object = connection.object(key)
  for await (const upload of unfinishedUploads(connection, object.Key)) {
    if (upload.Key === object.Key) await abortUpload(connection, upload)
  }
  await unlessGone(connection.client.send(new DeleteObjectCommand(object)))
}

/** Our uploads that began before `beforeMs`. Other writers of the bucket keep theirs. */
export async function abortUploadsBefore(connection: S3Connection, beforeMs: number): Promise<void> {
  const { prefix } = connection.settings
  for await (const upload of unfinishedUploads(connection, prefix)) {
    if (isBlobKey(upload.Key.slice(prefix.length)) && upload.initiatedAtMs < beforeMs)
      await abortUpload(connection, upload)
  }
}

interface UnfinishedUpload {
  readonly Key: string
  readonly UploadId: string
  readonly initiatedAtMs: number
}

async function* unfinishedUploads(connection: S3Connection, prefix: string): AsyncGenerator<UnfinishedUpload> {
  const first = { Bucket: connection.settings.bucket, Prefix: prefix }
  let next: ListMultipartUploadsCommandInput | null = first
  while (next !== null) {
    const page: ListMultipartUploadsCommandOutput = await onS3(
      connection.client.send(new ListMultipartUploadsCommand(next)),
    )
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key !== undefined && UploadId !== undefined && Initiated !== undefined) {
        yield { Key, UploadId, initiatedAtMs: Initiated.getTime() }
      }
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    next = IsTruncated === true ? { ...first, KeyMarker, UploadIdMarker } : null
  }
}

async function abortUpload({ client, settings }: S3Connection, { Key, UploadId }: UnfinishedUpload): Promise<void> {
  await unlessGone(client.send(new AbortMultipartUploadCommand({ Bucket: settings.bucket, Key, UploadId })))
}

async function unlessGone(answer: Promise<unknown>): Promise<void> {
  await onS3(
    answer.catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    }),
  )
}
