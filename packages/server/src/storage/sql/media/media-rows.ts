import type { SQLOutputValue } from 'node:sqlite'
import type { MediaKind } from '@spoor/contract/schemas/attachment'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import type { DirectUploadRecord } from '../../../ports/media/direct-upload-record.ts'
import type { Attachment, MediaFacts, StoredMedia } from '../../../ports/media/media-record.ts'
import { sha256Bytes, sha256Hex } from '../journal/compact-key.ts'

type Row = Record<string, SQLOutputValue>

export function toAttachment(row: Row): Attachment {
  const stepId = row['step_id'] as Uint8Array
  return {
    id: idFromBytes('med', row['id'] as Uint8Array),
    projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
    traceId: idFromBytes('tr', row['trace_id'] as Uint8Array),
    stepId: stepId.length === 0 ? null : idFromBytes('st', stepId),
    kind: row['kind'] as MediaKind,
    filename: row['filename'] as string | null,
    createdAt: row['created_at'] as number,
    ...toFacts(row),
  }
}

export function toStoredMedia(row: Row): StoredMedia {
  return {
    projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
    key: row['blob_key'] as BlobKey,
    filename: row['filename'] as string | null,
    claimedType: row['claimed_type'] as string | null,
    ...toFacts(row),
  }
}

function toFacts(row: Row): MediaFacts {
  return {
    sha256: sha256Hex(row['sha256'] as Uint8Array),
    contentType: row['content_type'] as string,
    sizeBytes: row['size_bytes'] as number,
    width: row['width'] as number | null,
    height: row['height'] as number | null,
  }
}

export function toDirectUpload(row: Row): DirectUploadRecord {
  const stepId = row['step_id'] as Uint8Array | null
  return {
    id: idFromBytes('med', row['id'] as Uint8Array),
    projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
    traceId: idFromBytes('tr', row['trace_id'] as Uint8Array),
    stepId: stepId === null ? null : idFromBytes('st', stepId),
    kind: row['kind'] as MediaKind,
    filename: row['filename'] as string | null,
    contentType: row['content_type'] as string,
    sizeBytes: row['size_bytes'] as number,
    sha256: sha256Hex(row['sha256'] as Uint8Array),
    stagingKey: row['staging_key'] as BlobKey | null,
    finalKey: row['final_key'] as BlobKey | null,
    taken: row['taken'] === 1,
    createdAt: row['created_at'] as number,
    expiresAt: row['expires_at'] as number,
  }
}

export function directUploadValues(upload: DirectUploadRecord) {
  return [
    idToBytes(upload.id),
    idToBytes(upload.projectId),
    idToBytes(upload.traceId),
    upload.stepId === null ? null : idToBytes(upload.stepId),
    upload.kind,
    upload.filename,
    upload.contentType,
    upload.sizeBytes,
    sha256Bytes(upload.sha256),
    upload.stagingKey,
    upload.finalKey,
    upload.taken ? 1 : 0,
    upload.createdAt,
    upload.expiresAt,
  ] as const
}
