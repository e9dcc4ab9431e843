import type { Readable } from 'node:stream'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { ByteRange } from '../ports/media/blob-store.ts'
import type { Attachment, MediaFacts } from '../ports/media/media-record.ts'
import type { DirectUploadRecord } from '../ports/media/direct-upload-record.ts'

/**
 * Media use cases of a client. Media, traces and steps of another project are answered exactly as missing ones:
 * DomainError `not_found`.
 */
export interface MediaUseCases {
  /**
   * Stores the one file of a form and attaches it. Durable when it resolves. When it rejects, with what `parts` threw
   * or a DomainError, nothing is kept. Throws before the first part is requested if nothing may be received.
   */
  upload(request: UploadRequest): Promise<Attachment>
  open(projectId: ProjectId, uri: string): Promise<ServedMedia>
  /** Announces an upload that will be sent without a key. */
  sign(request: SignRequest): Promise<SignedUpload>
  /** The project of an upload URL. Throws as `putDirect` does for a URL that cannot be used. */
  announcedProject(token: string): Promise<ProjectId>
  /** Receives the bytes of an announced upload through the service. As `upload`. */
  putDirect(request: DirectPutRequest): Promise<Attachment>
  /** Traces of one project, found before; those without attachments are omitted. */
  countByTrace(traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>>
  /** Of a trace found before: attachments of these steps, and for `null` attachments of the trace itself. */
  attachmentsOf(
    traceId: TraceId,
    stepIds: readonly (StepId | null)[],
  ): Promise<ReadonlyMap<StepId | null, readonly Attachment[]>>
}

/**
 * One part of a form, in the order sent. Request the next one only after the bytes of a file have been read to their
 * end or given up.
 */
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
  /** Length of the whole form, if the request states it. */
  readonly announcedBytes?: number
}

export interface ServedMedia extends MediaFacts {
  readonly filename: string | null
  /** Whether a browser may show it; else it must be saved. */
  readonly inline: boolean
  /** `range` MUST lie within. The caller consumes or destroys the stream, which fails instead of ending early. */
  read(range: ByteRange | null): Promise<Readable>
}

export type SignRequest = Omit<
  DirectUploadRecord,
  'id' | 'stagingKey' | 'finalKey' | 'taken' | 'createdAt' | 'expiresAt'
>

export interface SignedUpload {
  /** A URL of the store itself, or the token for a URL of this service. */
  readonly target: { readonly url: string } | { readonly token: string }
  readonly headers: Readonly<Record<string, string>>
  readonly uri: string
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
}

export interface DirectPutRequest {
  readonly token: string
  readonly contentType: string | null
  /** As announced by the request; null if it states none. */
  readonly contentLength: number | null
  readonly bytes: AsyncIterable<Buffer>
}
