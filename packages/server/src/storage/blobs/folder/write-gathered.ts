import type { FileHandle } from 'node:fs/promises'
import { freePassing } from '../../../lib/flow/passing-bytes.ts'
import { onDisk } from './disk-error.ts'

/**
 * Bytes of one write to the disk: large enough that its overhead does not matter, small enough that twenty concurrent
 * uploads hold 10 MB.
 */
const GATHER_BYTES = 256 * 1024
/** With more pieces, one copy is cheaper than a list of them. */
const MOST_PIECES = 32
/** Chunks of a few bytes each are mostly object overhead. */
const MOST_GATHERED = 4096

/**
 * Writes what the source yields to the file, from `start` on. One write is in progress while the next is gathered, and
 * no more is requested from the source: it yields as fast as the disk writes. Rejects with the source's own error, or
 * with a DomainError when the disk fails.
 *
 * @returns how many bytes there were
 */
export async function writeGathered(file: FileHandle, source: AsyncIterable<Buffer>, start: number): Promise<number> {
  let underWay: Promise<void> = Promise.resolve()
  let gathered: Buffer[] = []
  let gatheredBytes = 0
  let totalBytes = 0
  const flush = async () => {
    const pieces = gathered
    const offset = start + totalBytes
    totalBytes += gatheredBytes
    gathered = []
    gatheredBytes = 0
    await underWay
    underWay = onDisk(writeAll(file, pieces, offset)).then(() => pieces.forEach(freePassing))
    // The next flush handles it; if the source throws meanwhile, this must not become an unhandled rejection.
    underWay.catch(() => undefined)
  }
  try {
    for await (const chunk of source) {
      gathered.push(chunk)
      gatheredBytes += chunk.length
      if (gatheredBytes >= GATHER_BYTES || gathered.length >= MOST_GATHERED) await flush()
    }
    await flush()
    await underWay
    return totalBytes
  } finally {
    // The file is closed next, which must not happen during a write.
    await underWay.catch(() => undefined)
  }
}

/**
 * A disk that fills up writes only the front of a buffer and reports that only in the count. The rest is written again,
 * which then fails with the reason.
 */
async function writeAll(file: FileHandle, pieces: Buffer[], offset: number): Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (bytes === 0) return
  let written = 0
  if (pieces.length > 1 && pieces.length <= MOST_PIECES) {
    written = (await file.writev(pieces, offset)).bytesWritten
    if (written === bytes) return
  }
  const whole = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces, bytes)
  while (written < bytes) {
    const { bytesWritten } = await file.write(whole, written, bytes - written, offset + written)
    written += bytesWritten
  }
}
