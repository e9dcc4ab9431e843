import type { Readable } from 'node:stream'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { MediaKind } from '@spoor/contract/schemas/attachment'
import type { ByteRange } from '../ports/media/blob-store.ts'
import type { Attachment, MediaFacts } from '../ports/media/media-record.ts'

/** What a client may do with media. Media, traces and steps of another project are answered exactly as those that do not exist: DomainError `not_found`. */
export interface MediaUseCases {
  /**
   * Stores the one file of a form and attaches it. Durable when it resolves; when it rejects, with whatever `parts` threw or a DomainError, nothing is kept.
   * Throws before the first part is asked for when nothing may be taken in.
   */
  upload(request: UploadRequest): Promise<Attachment>
  open(projectId: ProjectId, uri: string): Promise<ServedMedia>
  /** Announces an upload that comes without a key. */
  sign(request: SignRequest): Promise<SignedUpload>
  /** Which project an upload URL was made for. Throws as `putDirect` does for one that cannot be used. */
  announcedProject(token: string): Promise<ProjectId>
  /** The bytes of an announced upload that comes through the service. As `upload`. */
  putDirect(request: DirectPutRequest): Promise<Attachment>
  /** Traces of one project, found before; those without attachments are left out. */
  countByTrace(traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>>
  /** Of a trace found before: those on these steps, and for `null` those on no step. */
  attachmentsOf(
    traceId: TraceId,
    stepIds: readonly (StepId | null)[],
  ): Promise<ReadonlyMap<StepId | null, readonly Attachment[]>>
}

/** One part of a form, in the order sent. The next is only asked for once the bytes of a file have been read to their end, or given up. */
export type UploadPart =
  /** `value` null: longer than any field may be. */
  | { readonly type: 'field'; readonly name: string; readonly value: string | null }
  | {
      readonly type: 'file'
      readonly name: string
      readonly filename: string | null
      /** As the client claims. */
      readonly contentType: string
      readonly bytes: AsyncIterable<Buffer>
    }

export interface UploadRequest {
  readonly projectId: ProjectId
  readonly parts: AsyncIterable<UploadPart>
  /** Of the whole form, as far as the request says. */
  readonly announcedBytes?: number
}

export interface ServedMedia extends MediaFacts {
  readonly filename: string | null
  /** Whether a browser may show it; else it is to be saved. */
  readonly inline: boolean
  /** `range` MUST lie within. The caller consumes or destroys the stream, which fails rather than ending early. */
  read(range: ByteRange | null): Promise<Readable>
}

export interface SignRequest {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly stepId: StepId | null
  readonly kind: MediaKind
  readonly contentType: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly filename: string | null
}

export interface SignedUpload {
  /** Where the store itself takes it; or the token of a URL of this service. */
  readonly target: { readonly url: string } | { readonly token: string }
  readonly headers: Readonly<Record<string, string>>
  readonly uri: string
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
}

export interface DirectPutRequest {
  readonly token: string
  readonly contentType: string | null
  /** As announced by the request; null when it does not say. */
  readonly contentLength: number | null
  readonly bytes: AsyncIterable<Buffer>
}
