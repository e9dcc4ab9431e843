import type { AttachmentId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { MediaKind } from '@spoor/contract/schemas/attachment'
import type { BlobKey } from './blob-store.ts'

/** Facts found in the bytes. */
export interface MediaFacts {
  /** SHA-256, lower-case hex. */
  readonly sha256: string
  /** Found in the bytes: see sniff-type.ts. */
  readonly contentType: string
  readonly sizeBytes: number
  /** Pixels; null unless the bytes are an image that states its size. */
  readonly width: number | null
  readonly height: number | null
}

/**
 * Bytes of a project, stored once however often they are attached. They are there exactly as long as something is
 * attached to them.
 */
export interface StoredMedia extends MediaFacts {
  readonly projectId: ProjectId
  readonly key: BlobKey
  /** Of the newest attachment. */
  readonly filename: string | null
  readonly claimedType: string | null
}

/** Media on a trace or one of its steps. */
export interface Attachment extends MediaFacts {
  readonly id: AttachmentId
  readonly projectId: ProjectId
  readonly traceId: TraceId
  /** Null: it belongs to the whole trace. */
  readonly stepId: StepId | null
  readonly kind: MediaKind
  readonly filename: string | null
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
}

/** Bytes in the blob store that belong to nothing yet, and how they will be attached. */
export interface StoredBytes {
  /** Set when a commit finds that they were given up: plans refuse them from then on. */
  isGone?: boolean
  /** Pending, as `MediaStore.beginBlob` recorded it. */
  readonly key: BlobKey
  readonly kind: MediaKind
  readonly filename: string | null
  readonly claimedType: string | null
  readonly facts: MediaFacts
}
