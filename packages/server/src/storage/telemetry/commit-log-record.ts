import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

/** One record of the commit log: the header described in docs/formats/commit-log.md, then the rows of the traces, then those of the steps. */
export const HEADER_BYTES = 24

/** `SPC1`. Another layout gets another digit. */
const MAGIC = 0x31435053
const AT_MAGIC = 0
const AT_CHECKSUM = 4
const AT_VERSION = 8
const AT_TRACES_BYTES = 16
const AT_STEPS_BYTES = 20
const TWO_TO_32 = 2 ** 32

export interface LogRecord {
  readonly version: number
  readonly traces: Buffer
  readonly steps: Buffer
  /** Where the next record begins. */
  readonly endPosition: number
}

/** Fills `header`, which is the caller's to use again. */
export function writeHeader(header: Buffer, version: number, traces: Buffer, steps: Buffer): void {
  header.writeUInt32LE(MAGIC, AT_MAGIC)
  header.writeUInt32LE(version % TWO_TO_32, AT_VERSION)
  header.writeUInt32LE(Math.floor(version / TWO_TO_32), AT_VERSION + 4)
  header.writeUInt32LE(traces.length, AT_TRACES_BYTES)
  header.writeUInt32LE(steps.length, AT_STEPS_BYTES)
  header.writeUInt32LE(crc32(steps, crc32(traces, headerChecksum(header))), AT_CHECKSUM)
}

/** The record that begins at `position`, in memory of its own; null when what stands there is no whole, undamaged record. */
export async function readRecord(handle: FileHandle, position: number, fileBytes: number): Promise<LogRecord | null> {
  const header = await readBytes(handle, position, HEADER_BYTES, fileBytes)
  if (header === null || header.readUInt32LE(AT_MAGIC) !== MAGIC) return null
  const tracesBytes = header.readUInt32LE(AT_TRACES_BYTES)
  const payloadBytes = tracesBytes + header.readUInt32LE(AT_STEPS_BYTES)
  const payload = await readBytes(handle, position + HEADER_BYTES, payloadBytes, fileBytes)
  if (payload === null) return null
  if (crc32(payload, headerChecksum(header)) !== header.readUInt32LE(AT_CHECKSUM)) return null
  return {
    version: header.readUInt32LE(AT_VERSION) + header.readUInt32LE(AT_VERSION + 4) * TWO_TO_32,
    traces: payload.subarray(0, tracesBytes),
    steps: payload.subarray(tracesBytes),
    endPosition: position + HEADER_BYTES + payloadBytes,
  }
}

function headerChecksum(header: Buffer): number {
  return crc32(header.subarray(AT_VERSION))
}

/** Null when the file does not go that far. A damaged length asks for no more memory than the file is long. */
async function readBytes(
  handle: FileHandle,
  position: number,
  length: number,
  fileBytes: number,
): Promise<Buffer | null> {
  if (position + length > fileBytes) return null
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let done = 0; done < length;) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) return null
    done += bytesRead
  }
  return bytes
}
