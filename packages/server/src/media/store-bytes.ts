import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import type { BlobStore } from '../ports/media/blob-store.ts'
import type { StoredBytes } from '../ports/media/media-record.ts'
import type { BlobLeases } from './blob-lease.ts'
import { toDisplayName } from './display-name.ts'
import { receiveBlob } from './receive-blob.ts'
import type { SpanMedia } from '../ports/traces/prepared.ts'

export interface StoreBytesDependencies {
  readonly blobs: Pick<BlobStore, 'write'>
  readonly leases: BlobLeases
  readonly intakeBlock: (announcedBytes?: number) => DomainError | null
  readonly uploadBytes: number
}

/** Bytes that came inside another request. */
export type BytesToStore = Omit<SpanMedia, 'sha256'>

/**
 * Stores bytes under a pending key: a commit attaches them, or the caller gives the key up. Rejects as an upload does;
 * then nothing is kept.
 */
export async function storeBytes(
  { blobs, leases, intakeBlock, uploadBytes }: StoreBytesDependencies,
  projectId: ProjectId,
  { bytes, kind, contentType, filename }: BytesToStore,
): Promise<StoredBytes> {
  const block = intakeBlock(bytes.length)
  if (block !== null) throw block
  const key = await leases.begin(projectId)
  try {
    const refusal = () => new DomainError('payload_too_large', `The file is larger than ${uploadBytes} bytes.`)
    const facts = await receiveBlob(blobs, key, inPieces(bytes), { bytes: uploadBytes, refusal, block: intakeBlock })
    // Many senders say only that it is an image.
    const claimedType = contentType ?? (facts.contentType.startsWith(`${kind}/`) ? facts.contentType : null)
    return { key, kind, filename: toDisplayName(filename), claimedType: claimedType?.slice(0, 255) ?? null, facts }
  } catch (error) {
    await leases.giveUp(key)
    throw error
  }
}

const PIECE_BYTES = 1024 * 1024

async function* inPieces({ buffer, byteOffset, byteLength }: Uint8Array): AsyncGenerator<Buffer> {
  for (let at = 0; at < byteLength; at += PIECE_BYTES) {
    yield Buffer.from(buffer, byteOffset + at, Math.min(PIECE_BYTES, byteLength - at))
  }
}
