import type { AttachmentId } from '@spoor/contract/ids'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { type AttachDependencies, attachReceived } from './attach-received.ts'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import { toDisplayName } from './display-name.ts'
import type { Attachment, MediaFacts } from '../ports/media/media-record.ts'
import { receiveBlob } from './receive-blob.ts'
import { PlaceCheck, type TraceLookup } from '../ports/media/trace-lookup.ts'
import { UploadForm } from './upload-form.ts'
import type { UploadPart, UploadRequest } from './use-cases.ts'

export interface UploadDependencies extends AttachDependencies {
  readonly blobs: Pick<BlobStore, 'write' | 'size'>
  readonly traces: TraceLookup
  readonly clock: Clock
  readonly newId: () => AttachmentId
  /** Why nothing, or nothing of this length, may be received now; or null. */
  readonly intakeBlock: (announcedBytes?: number) => DomainError | null
  readonly uploadBytes: number
}

interface Received {
  readonly facts: MediaFacts
  readonly filename: string | null
  readonly claimedType: string
}

/**
 * `POST /v1/media/upload`. Fields may come after the file: then the file is stored before it is known whether it
 * counts, and removed if it does not.
 */
export async function uploadMedia(
  dependencies: UploadDependencies,
  { projectId, parts, announcedBytes }: UploadRequest,
): Promise<Attachment> {
  const block = dependencies.intakeBlock(announcedBytes)
  if (block !== null) throw block
  const form = new UploadForm()
  const check = new PlaceCheck(dependencies.traces, dependencies.clock)
  let key: BlobKey | null = null
  try {
    let received: Received | null = null
    for await (const part of parts) {
      if (part.type === 'field') {
        form.addField(part.name, part.value)
        continue
      }
      form.addFile(part.name)
      form.refuseProblems()
      const place = form.place()
      if (place !== null) await check.require({ projectId, ...place })
      key = await dependencies.leases.begin(projectId)
      received = await receive(dependencies, key, part)
    }
    const fields = form.finish()
    if (key === null || received === null) throw new Error('a form without problems has its file')
    await check.require({ projectId, ...fields })
    const createdAt = dependencies.clock.now()
    const id = dependencies.newId()
    return await attachReceived(dependencies, {
      id,
      projectId,
      ...fields,
      ...received,
      createdAt,
      key,
      directUpload: null,
    })
  } catch (error) {
    if (key !== null) await dependencies.leases.giveUp(key)
    throw error
  }
}

async function receive(
  { blobs, uploadBytes, intakeBlock }: UploadDependencies,
  key: BlobKey,
  { bytes, filename, contentType }: Extract<UploadPart, { type: 'file' }>,
): Promise<Received> {
  const refusal = () => new DomainError('payload_too_large', `The file is larger than ${uploadBytes} bytes.`)
  const facts = await receiveBlob(blobs, key, bytes, { bytes: uploadBytes, refusal, block: intakeBlock })
  return { facts, filename: toDisplayName(filename), claimedType: contentType.slice(0, 255) }
}
