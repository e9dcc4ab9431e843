import type { AttachmentId, ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import { findMismatch, uploadMismatch } from './announced-match.ts'
import { attachReceived } from './attach-received.ts'
import type { DirectUploadRecord } from '../ports/media/direct-upload-record.ts'
import type { Attachment } from '../ports/media/media-record.ts'
import type { MediaStore } from '../ports/media/media-store.ts'
import { receiveBlob } from './receive-blob.ts'
import { PlaceCheck } from '../ports/media/trace-lookup.ts'
import type { UploadDependencies } from './upload-media.ts'
import { readUploadToken } from './upload-token.ts'
import type { DirectPutRequest } from './use-cases.ts'

export interface PutDirectDependencies extends UploadDependencies {
  readonly media: Pick<MediaStore, 'attach' | 'find' | 'findAnnounced'>
  readonly signingKey: Uint8Array
  /** Announced uploads that are arriving. Initially empty; maintained by putDirect. */
  readonly puttingNow: Set<AttachmentId>
}

/**
 * `PUT` to a signed URL of the service. A failed upload can be repeated until the URL expires. One at a time: the
 * holder of a URL for one artifact must not be able to fill the store with many slow uploads.
 */
export async function putDirect(dependencies: PutDirectDependencies, request: DirectPutRequest): Promise<Attachment> {
  const { clock, puttingNow, signingKey } = dependencies
  const id = readUploadToken(signingKey, request.token, clock.now())
  if (puttingNow.has(id)) {
    throw new DomainError(
      'upload_in_progress',
      'An upload to this URL is in progress; if it fails, the URL can be used again.',
    )
  }
  puttingNow.add(id)
  try {
    return await receiveAnnounced(dependencies, request, id)
  } finally {
    puttingNow.delete(id)
  }
}

/** See `MediaUseCases.announcedProject`. */
export async function announcedProject(dependencies: PutDirectDependencies, token: string): Promise<ProjectId> {
  const id = readUploadToken(dependencies.signingKey, token, dependencies.clock.now())
  return (await findUnused(dependencies, id)).projectId
}

async function findUnused({ media }: PutDirectDependencies, id: AttachmentId): Promise<DirectUploadRecord> {
  const announced = await media.findAnnounced(id)
  if (announced !== null && !announced.taken) return announced
  throw new DomainError('upload_url_used', 'This upload URL has been used; ask for another.')
}

async function receiveAnnounced(
  dependencies: PutDirectDependencies,
  request: DirectPutRequest,
  id: AttachmentId,
): Promise<Attachment> {
  const { leases, clock } = dependencies
  const announced = await findUnused(dependencies, id)
  const block = dependencies.intakeBlock(announced.sizeBytes)
  if (block !== null) throw block
  refuseOtherHead(announced, request)
  const { projectId, traceId, stepId, kind, filename, contentType, sizeBytes } = announced
  const check = new PlaceCheck(dependencies.traces, clock)
  await check.require({ projectId, traceId, stepId })
  const key = await leases.begin(projectId)
  try {
    const refusal = () => uploadMismatch(`More than the announced ${sizeBytes} bytes arrived.`)
    const limit = { bytes: sizeBytes, refusal, block: dependencies.intakeBlock }
    const facts = await receiveBlob(dependencies.blobs, key, request.bytes, limit)
    const mismatch = findMismatch(announced, facts)
    if (mismatch !== null) throw uploadMismatch(mismatch)
    await check.require({ projectId, traceId, stepId })
    const fields = { id, projectId, traceId, stepId, kind, filename, claimedType: contentType, facts, key }
    return await attachReceived(dependencies, { ...fields, createdAt: clock.now(), directUpload: id })
  } catch (error) {
    await leases.giveUp(key)
    throw error
  }
}

/** By the headers of the request, before a byte is read. */
function refuseOtherHead(announced: DirectUploadRecord, { contentType, contentLength }: DirectPutRequest): void {
  const [sent = ''] = (contentType ?? '').split(';')
  if (sent.trim().toLowerCase() !== announced.contentType.toLowerCase()) {
    throw uploadMismatch(`The Content-Type must be ${announced.contentType}.`)
  }
  if (contentLength !== null && contentLength !== announced.sizeBytes) {
    throw uploadMismatch(`${contentLength} bytes are sent; ${announced.sizeBytes} were announced.`)
  }
}
