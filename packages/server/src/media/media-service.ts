import type { AttachmentId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import { BlobLeases } from './blob-lease.ts'
import type { BlobStore } from '../ports/media/blob-store.ts'
import type { StoredBytes } from '../ports/media/media-record.ts'
import type { MediaStore } from '../ports/media/media-store.ts'
import { openMedia } from './open-media.ts'
import { announcedProject, putDirect } from './put-direct.ts'
import { signUpload, type SignUploadDependencies } from './sign-upload.ts'
import { type BytesToStore, storeBytes } from './store-bytes.ts'
import { StagedUploads } from './staged-uploads.ts'
import { uploadMedia } from './upload-media.ts'
import type { MediaUseCases } from './use-cases.ts'

export interface MediaServiceDependencies extends Omit<SignUploadDependencies, 'blobs' | 'media' | 'uploadBytes'> {
  readonly blobs: BlobStore
  readonly media: MediaStore
  /** Name of this process: see BlobLeases. */
  readonly owner: string
  readonly limits: Limits
  readonly onError: (error: unknown, message: string) => void
  /** A direct upload did not match its announcement, or its trace was deleted. */
  readonly onRefusedUpload: (details: RefusedUpload) => void
}

/** As it is logged. */
interface RefusedUpload {
  readonly upload_id: AttachmentId
  readonly project_id: ProjectId
  readonly trace_id: TraceId
  readonly reason: string
}

export interface MediaService {
  readonly useCases: MediaUseCases
  /** Stores bytes that a commit will attach: see store-bytes.ts. Call `release` after the commit. */
  store(projectId: ProjectId, bytes: BytesToStore): Promise<StoredBytes>
  /** Removes stored bytes, unless a commit has attached them. Never throws. */
  release(stored: StoredBytes): Promise<void>
  /**
   * Removes what a crash left behind. Call it at the start, before anything is received; keepHouse retries what the
   * store refuses now. `keepPending`: bytes of unfinished uploads stay, unused, because the media store may have lost
   * the record that they were finished.
   */
  recover(options?: { readonly keepPending: boolean }): Promise<void>
  /**
   * One bounded round: removes bytes that nothing refers to any more, deletes announcements of uploads that never
   * arrived. Resolves with whether more bytes can be removed at once.
   */
  keepHouse(): Promise<boolean>
  /** Renews the leases of uploads in progress. Call it every few seconds. */
  renewLeases(): Promise<void>
  /** One bounded round: takes in what clients have put into the store themselves. */
  takeInStaged(): Promise<void>
  /**
   * Resolves when nothing is being received any more: no upload, and no direct upload that a reader or a round has
   * found.
   */
  close(): Promise<void>
}

/** Milliseconds after the end of a signed URL that an upload that began in time may still take. */
const LATEST_ARRIVAL_MS = 3_600_000
const EXPIRED_BATCH = 500

export function createMediaService(dependencies: MediaServiceDependencies): MediaService {
  const { blobs, media, clock, limits, onError } = dependencies
  const leases = new BlobLeases(dependencies)
  const attaching = { ...dependencies, leases, attachmentsPerTrace: limits.attachmentsPerTrace }
  const receiving = { ...attaching, uploadBytes: limits.uploadBytes, puttingNow: new Set<AttachmentId>() }
  const staged = new StagedUploads({
    ...attaching,
    onRefused: ({ id, projectId, traceId }, reason) =>
      dependencies.onRefusedUpload({ upload_id: id, project_id: projectId, trace_id: traceId, reason }),
  })
  const takeIn = (projectId: ProjectId, sha256: string) => staged.takeInBytes(projectId, sha256)
  const underWay = new Set<Promise<unknown>>()
  const tracked = <T>(running: Promise<T>): Promise<T> => {
    const settled = running.catch(() => undefined).finally(() => underWay.delete(settled))
    underWay.add(settled)
    return running
  }
  const sweep = async (message: string) => {
    try {
      return await leases.sweep()
    } catch (error) {
      onError(error, message)
      return false
    }
  }
  /**
   * A client may have uploaded it in time while the service or its bucket was unreachable. So it is checked once more,
   * and stays for a later round if that fails.
   */
  const endExpired = async (id: AttachmentId) => {
    try {
      await staged.takeInOne(id)
      await media.withdraw(id)
    } catch (error) {
      onError(error, 'an announced upload could not be ended yet')
    }
  }
  return {
    useCases: {
      upload: (request) => tracked(uploadMedia(receiving, request)),
      putDirect: (request) => tracked(putDirect(receiving, request)),
      announcedProject: (token) => announcedProject(receiving, token),
      sign: (request) => signUpload(receiving, request),
      open: (projectId, uri) => tracked(openMedia({ blobs, media, takeIn }, projectId, uri)),
      countByTrace: (traceIds) => media.countByTrace(traceIds),
      attachmentsOf: (traceId, stepIds) => media.attachmentsOf(traceId, stepIds),
    },
    store: (projectId, bytes) => tracked(storeBytes(receiving, projectId, bytes)),
    release: ({ key }) => tracked(leases.giveUp(key)),
    async recover({ keepPending } = { keepPending: false }) {
      await leases.recover({ keep: keepPending })
      try {
        await blobs.removeLeftovers()
      } catch (error) {
        onError(error, 'what a crash left in the media store could not be removed')
      }
      await sweep('unused bytes could not be removed at the start')
    },
    async keepHouse() {
      for (const id of await media.listExpired(clock.now() - LATEST_ARRIVAL_MS, EXPIRED_BATCH)) await endExpired(id)
      return sweep('unused bytes could not be removed yet')
    },
    renewLeases: () => leases.renew(),
    takeInStaged: () => tracked(staged.round()),
    async close() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
