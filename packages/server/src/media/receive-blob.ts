import { createHash } from 'node:crypto'
import type { DomainError } from '../lib/domain-error.ts'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import type { MediaFacts } from '../ports/media/media-record.ts'
import { HEAD_BYTES, sniffDimensions, sniffType } from './sniff-type.ts'

export interface SizeLimit {
  readonly bytes: number
  readonly refusal: () => DomainError
  /**
   * Why nothing more may be received, or null. Checked with every chunk: one upload can be larger than all that must
   * stay free on the disk.
   */
  readonly block: () => DomainError | null
}

/** Counts, hashes and sniffs bytes as they pass. */
export class BlobMeasure {
  readonly #hash = createHash('sha256')
  readonly #head: Buffer[] = []
  #headBytes = 0
  #sizeBytes = 0

  /** Throws at the chunk that exceeds the limit, before it is passed on; null for none. */
  async *pass(source: AsyncIterable<Buffer>, limit: SizeLimit | null): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of source) {
      this.#sizeBytes += chunk.length
      if (limit !== null) refuseBeyond(limit, this.#sizeBytes)
      this.#hash.update(chunk)
      if (this.#headBytes < HEAD_BYTES) this.#keep(chunk)
      yield chunk
    }
  }

  /** Call it once, after all bytes have passed. */
  async facts(): Promise<MediaFacts> {
    const head = Buffer.concat(this.#head)
    const contentType = await sniffType(head, this.#sizeBytes)
    const dimensions = sniffDimensions(head, contentType)
    return {
      sha256: this.#hash.digest('hex'),
      contentType,
      sizeBytes: this.#sizeBytes,
      width: dimensions?.width ?? null,
      height: dimensions?.height ?? null,
    }
  }

  /** A copy: the chunk is the store's. */
  #keep(chunk: Buffer): void {
    const kept = Buffer.from(chunk.subarray(0, HEAD_BYTES - this.#headBytes))
    this.#head.push(kept)
    this.#headBytes += kept.length
  }
}

function refuseBeyond(limit: SizeLimit, sizeBytes: number): void {
  if (sizeBytes > limit.bytes) throw limit.refusal()
  const block = limit.block()
  if (block !== null) throw block
}

/**
 * Stores bytes as they arrive and returns their facts. Rethrows whatever `source` or the store throws; nothing is kept
 * then.
 */
export async function receiveBlob(
  blobs: Pick<BlobStore, 'write'>,
  key: BlobKey,
  source: AsyncIterable<Buffer>,
  limit: SizeLimit,
): Promise<MediaFacts> {
  const measure = new BlobMeasure()
  await blobs.write(key, measure.pass(source, limit))
  return measure.facts()
}
