import type { FileHandle } from 'node:fs/promises'
import { freePassing } from '../../../lib/work/passing-bytes.ts'
import { onDisk } from './disk-error.ts'

/** One write to the disk: large enough that its cost beside the bytes does not count, small enough that twenty uploads at once hold 10 MB. */
const GATHER_BYTES = 256 * 1024
/** From here on one copy is cheaper than a list of pieces. */
const MOST_PIECES = 32
/** Chunks of a few bytes each are more object than byte. */
const MOST_GATHERED = 4096

/**
 * Writes what the source gives to the file, from `start` on. One write is under way while the next is gathered, and the source is not asked for more than that:
 * it gives as fast as the disk takes. Rejects with the source's own error, or with a DomainError when the disk fails.
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
    // Looked at by the next flush; a source that throws meanwhile must not make this one an unhandled rejection.
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
    // The file is closed next: not under a write.
    await underWay.catch(() => undefined)
  }
}

/** A disk that fills up takes the front of a write and says so only in the count: the rest is written again, which then fails with the reason. */
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
