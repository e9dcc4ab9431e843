import type { ProjectId } from '@spoor/contract/ids'
import type { DomainError } from '../lib/domain-error.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import { toDisplayName } from './display-name.ts'
import type { MediaStore } from '../ports/media/media-store.ts'
import { toMediaUri } from '../ports/media/media-uri.ts'
import { PlaceCheck } from '../ports/media/trace-lookup.ts'
import { signUploadToken } from './upload-token.ts'
import type { SignedUpload, SignRequest } from './use-cases.ts'
import type { UploadDependencies } from './upload-media.ts'

export interface SignUploadDependencies extends Pick<
  UploadDependencies,
  'traces' | 'clock' | 'newId' | 'intakeBlock' | 'uploadBytes'
> {
  readonly blobs: Pick<BlobStore, 'directTarget'>
  readonly media: Pick<MediaStore, 'announce'>
  readonly newKey: (projectId: ProjectId) => BlobKey
  /** For signed URLs of this service: 32 bytes or more, the same after every start. */
  readonly signingKey: Uint8Array
}

const EXPIRES_IN_SECONDS = 300

/** `GET /v1/media/signed-url`: at the store when clients can reach it, else at the service itself. */
export async function signUpload(dependencies: SignUploadDependencies, request: SignRequest): Promise<SignedUpload> {
  const { blobs, media, clock, uploadBytes } = dependencies
  const { projectId, traceId, stepId, kind, contentType, sizeBytes, sha256, filename } = request
  const block = dependencies.intakeBlock()
  if (block !== null) throw block
  if (sizeBytes > uploadBytes) throw tooLarge(uploadBytes)
  await new PlaceCheck(dependencies.traces, clock).require({ projectId, traceId, stepId })
  const id = dependencies.newId()
  const key = dependencies.newKey(projectId)
  const createdAt = clock.now()
  const expiresAt = createdAt + EXPIRES_IN_SECONDS * 1000
  const bound = { contentType, sizeBytes, sha256 }
  const target = await blobs.directTarget({ key, ...bound, expiresInSeconds: EXPIRES_IN_SECONDS })
  await media.announce({
    id,
    projectId,
    traceId,
    stepId,
    kind,
    filename: toDisplayName(filename),
    ...bound,
    stagingKey: target === null ? null : key,
    finalKey: null,
    taken: false,
    createdAt,
    expiresAt,
  })
  const uri = toMediaUri({ projectId, sha256 })
  if (target !== null) return { target: { url: target.url }, headers: target.headers, uri, expiresAt }
  const token = signUploadToken(dependencies.signingKey, id, expiresAt)
  return { target: { token }, headers: { 'content-type': contentType }, uri, expiresAt }
}

function tooLarge(uploadBytes: number): DomainError {
  const detail = `An artifact has at most ${uploadBytes} bytes.`
  return invalid({ pointer: '?size_bytes', code: 'out_of_range', detail })
}
