import { numberedId, sha256 } from '../journal/numbered-commit.test-support.ts'
import type { BlobKey } from './blob-store.ts'
import type { DirectUploadRecord } from './direct-upload-record.ts'
import type { NewAttachment, UploadLease } from './media-store.ts'

export const [OWN, OTHER] = [numberedId('proj', 1), numberedId('proj', 2)]
export const [TRACE, SECOND_TRACE] = [numberedId('tr', 1), numberedId('tr', 2)]
export const STEP = numberedId('st', 1)
export const LEASE: UploadLease = { owner: 'a node', durationMs: 1000 }

export function keyOf(number: number): BlobKey {
  return `${OWN}/${String(number).padStart(32, '0')}` as BlobKey
}

let made = 0

/** The next of the numbers that ids and keys are made of. */
export function nextNumber(): number {
  return ++made
}

export function newAttachment(fields: Partial<NewAttachment> & { content?: string } = {}): NewAttachment {
  const number = nextNumber()
  const { content = `content ${number}`, ...rest } = fields
  return {
    id: numberedId('med', number),
    projectId: OWN,
    traceId: TRACE,
    stepId: null,
    kind: 'image',
    filename: `file ${number}`,
    claimedType: 'image/png',
    createdAt: number,
    key: keyOf(number),
    facts: { sha256: sha256(content), contentType: 'image/png', sizeBytes: content.length, width: 3, height: null },
    directUpload: null,
    ...rest,
  }
}

export function announced(fields: Partial<DirectUploadRecord> = {}): DirectUploadRecord {
  const number = nextNumber()
  return {
    id: numberedId('med', number),
    projectId: OWN,
    traceId: TRACE,
    stepId: null,
    kind: 'file',
    filename: null,
    contentType: 'text/plain',
    sizeBytes: 3,
    sha256: sha256('announced'),
    stagingKey: null,
    finalKey: null,
    taken: false,
    createdAt: 1,
    expiresAt: 1000,
    ...fields,
  }
}
