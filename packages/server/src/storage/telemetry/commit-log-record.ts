import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { RowBytes } from './row-bytes.ts'

/** One record of the commit log: the header described in docs/formats/commit-log.md, then the rows of the traces, of the steps and of the metric events. */
export const HEADER_BYTES = 28

/** `SPC2`. Another layout gets another digit. */
const MAGIC = 0x32435053
/** `SPC1`, which versions before metric events wrote: without them, and without their length. */
const OLDER_MAGIC = 0x31435053
const OLDER_HEADER_BYTES = 24
const AT_MAGIC = 0
const AT_CHECKSUM = 4
const AT_VERSION = 8
const AT_TRACES_BYTES = 16
const AT_STEPS_BYTES = 20
const AT_METRIC_EVENTS_BYTES = 24
const TWO_TO_32 = 2 ** 32

export interface LogRecord extends RowBytes {
  readonly version: number
  /** Where the next record begins. */
  readonly endPosition: number
}

/** Fills `header`, which is the caller's to use again. */
export function writeHeader(header: Buffer, version: number, { traces, steps, metricEvents }: RowBytes): void {
  header.writeUInt32LE(MAGIC, AT_MAGIC)
  header.writeUInt32LE(version % TWO_TO_32, AT_VERSION)
  header.writeUInt32LE(Math.floor(version / TWO_TO_32), AT_VERSION + 4)
  header.writeUInt32LE(traces.length, AT_TRACES_BYTES)
  header.writeUInt32LE(steps.length, AT_STEPS_BYTES)
  header.writeUInt32LE(metricEvents.length, AT_METRIC_EVENTS_BYTES)
  const checksum = crc32(metricEvents, crc32(steps, crc32(traces, headerChecksum(header))))
  header.writeUInt32LE(checksum, AT_CHECKSUM)
}

/** The record that begins at `position`, in memory of its own; null when what stands there is no whole, undamaged record. */
export async function readRecord(handle: FileHandle, position: number, fileBytes: number): Promise<LogRecord | null> {
  const header = await readHeader(handle, position, fileBytes)
  if (header === null) return null
  const tracesBytes = header.readUInt32LE(AT_TRACES_BYTES)
  const stepsEnd = tracesBytes + header.readUInt32LE(AT_STEPS_BYTES)
  const payloadBytes =
    header.length === HEADER_BYTES ? stepsEnd + header.readUInt32LE(AT_METRIC_EVENTS_BYTES) : stepsEnd
  const payload = await readBytes(handle, position + header.length, payloadBytes, fileBytes)
  if (payload === null) return null
  if (crc32(payload, headerChecksum(header)) !== header.readUInt32LE(AT_CHECKSUM)) return null
  return {
    version: header.readUInt32LE(AT_VERSION) + header.readUInt32LE(AT_VERSION + 4) * TWO_TO_32,
    traces: payload.subarray(0, tracesBytes),
    steps: payload.subarray(tracesBytes, stepsEnd),
    metricEvents: payload.subarray(stepsEnd),
    endPosition: position + header.length + payloadBytes,
  }
}

/** As long as its magic says. */
async function readHeader(handle: FileHandle, position: number, fileBytes: number): Promise<Buffer | null> {
  const beginning = await readBytes(handle, position, OLDER_HEADER_BYTES, fileBytes)
  const magic = beginning?.readUInt32LE(AT_MAGIC)
  if (magic === OLDER_MAGIC) return beginning
  return magic === MAGIC ? readBytes(handle, position, HEADER_BYTES, fileBytes) : null
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
