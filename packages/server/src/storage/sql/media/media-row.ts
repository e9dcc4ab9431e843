import type { ProjectId } from '@spoor/contract/ids'
import type { MediaKind } from '@spoor/contract/schemas/attachment'
import { camelKeys } from '../../../lib/camel-keys.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import type { DirectUploadRecord } from '../../../ports/media/direct-upload-record.ts'
import type { Attachment, MediaFacts, StoredMedia } from '../../../ports/media/media-record.ts'
import { sha256Bytes, sha256Hex } from '../journal/compact-key.ts'
import { snakeKeys } from '../kit/snake-keys.ts'
import type { AttachmentRow, DirectUploadRow, MediaRow } from './media-tables.ts'

type FactColumns = Pick<MediaRow, 'sha256' | 'content_type' | 'size_bytes' | 'width' | 'height'>

export function fromAttachmentRow(row: AttachmentRow & FactColumns): Attachment {
  return {
    id: idFromBytes('med', row.id),
    projectId: idFromBytes('proj', row.project_id),
    traceId: idFromBytes('tr', row.trace_id),
    stepId: row.step_id.length === 0 ? null : idFromBytes('st', row.step_id),
    kind: row.kind as MediaKind,
    filename: row.filename,
    createdAt: row.created_at,
    ...toFacts(row),
  }
}

export function fromMediaRow(row: MediaRow & Pick<AttachmentRow, 'filename' | 'claimed_type'>): StoredMedia {
  return {
    projectId: idFromBytes('proj', row.project_id),
    key: row.blob_key as BlobKey,
    filename: row.filename,
    claimedType: row.claimed_type,
    ...toFacts(row),
  }
}

export function toMediaRow(
  projectId: ProjectId,
  { sha256, contentType, sizeBytes, width, height }: MediaFacts,
  key: BlobKey,
  createdAt: number,
): MediaRow {
  return {
    project_id: idToBytes(projectId),
    sha256: sha256Bytes(sha256),
    blob_key: key,
    content_type: contentType,
    size_bytes: sizeBytes,
    width,
    height,
    created_at: createdAt,
  }
}

function toFacts(row: FactColumns): MediaFacts {
  return {
    sha256: sha256Hex(row.sha256),
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    width: row.width,
    height: row.height,
  }
}

export function fromUploadRow(row: DirectUploadRow): DirectUploadRecord {
  return {
    ...camelKeys(row),
    id: idFromBytes('med', row.id),
    projectId: idFromBytes('proj', row.project_id),
    traceId: idFromBytes('tr', row.trace_id),
    stepId: row.step_id === null ? null : idFromBytes('st', row.step_id),
    kind: row.kind as MediaKind,
    sha256: sha256Hex(row.sha256),
    stagingKey: row.staging_key as BlobKey | null,
    finalKey: row.final_key as BlobKey | null,
    taken: row.taken === 1,
  }
}

export function toUploadRow(upload: DirectUploadRecord): DirectUploadRow {
  return {
    ...snakeKeys(upload),
    id: idToBytes(upload.id),
    project_id: idToBytes(upload.projectId),
    trace_id: idToBytes(upload.traceId),
    step_id: upload.stepId === null ? null : idToBytes(upload.stepId),
    sha256: sha256Bytes(upload.sha256),
    taken: upload.taken ? 1 : 0,
  }
}
