import { readFileSync } from 'node:fs'
import { codeOf } from '../../lib/error-code.ts'

/** The content of a write-ahead log of SQLite that no process has open. */
export interface WalSurvey {
  /** Transactions that SQLite will find when it opens the database. */
  readonly readable: number
  /** Transactions after the first damaged frame, which SQLite will silently ignore. */
  readonly lost: number
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC_LITTLE_ENDIAN = 0x377f0682
const MAGIC_BIG_ENDIAN = 0x377f0683

/**
 * Reads a `-wal` file (sqlite.org/fileformat2.html, "The Write-Ahead Log"): a frame is valid if its salt is
 * the header's and its checksum continues that of the frame before. SQLite stops at the first invalid frame, as after a
 * power loss. Frames of the same salt after it show that it is damage instead. Without a file, nothing is readable and
 * nothing is lost.
 */
export function surveyWal(path: string): WalSurvey {
  let file: Buffer
  try {
    file = readFileSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { readable: 0, lost: 0 }
    throw error
  }
  if (file.length < HEADER_BYTES) return { readable: 0, lost: 0 }
  const frameBytes = FRAME_HEADER_BYTES + file.readUInt32BE(8)
  const frames = Math.floor((file.length - HEADER_BYTES) / frameBytes)
  let checksum = headerChecksum(file)
  let readable = 0
  let lost = 0
  for (let frame = 0; frame < frames; frame++) {
    const at = HEADER_BYTES + frame * frameBytes
    // Frames with another salt are left over from an earlier use of the file.
    if (!file.subarray(at + 8, at + 16).equals(file.subarray(16, 24))) break
    if (checksum !== null) checksum = frameChecksum(file, at, frameBytes, checksum)
    const endsTransaction = file.readUInt32BE(at + 4) !== 0
    if (!endsTransaction) continue
    if (checksum === null) lost += 1
    else readable += 1
  }
  return { readable, lost }
}

type Checksum = readonly [number, number]

function headerChecksum(file: Buffer): Checksum | null {
  const magic = file.readUInt32BE(0)
  if (magic !== MAGIC_LITTLE_ENDIAN && magic !== MAGIC_BIG_ENDIAN) return null
  const sum = addWords([0, 0], file.subarray(0, 24), magic === MAGIC_BIG_ENDIAN)
  return sum[0] === file.readUInt32BE(24) && sum[1] === file.readUInt32BE(28) ? sum : null
}

function frameChecksum(file: Buffer, at: number, frameBytes: number, before: Checksum): Checksum | null {
  const isBigEndian = file.readUInt32BE(0) === MAGIC_BIG_ENDIAN
  const head = addWords(before, file.subarray(at, at + 8), isBigEndian)
  const sum = addWords(head, file.subarray(at + FRAME_HEADER_BYTES, at + frameBytes), isBigEndian)
  return sum[0] === file.readUInt32BE(at + 16) && sum[1] === file.readUInt32BE(at + 20) ? sum : null
}

function addWords([first, second]: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum {
  let [one, two] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + two) >>> 0
    two = (two + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + one) >>> 0
  }
  return [one, two]
}
