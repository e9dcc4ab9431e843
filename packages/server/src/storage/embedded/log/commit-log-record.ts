import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { RowBytes } from '../../recent/settled-rows.ts'

/**
 * One record of the commit log: the header described in docs/design/formats/commit-log.md, then rows of traces, steps
 * and metric events, then the journal's part.
 */
export const HEADER_BYTES = 32

/** `SPC3`. Another layout gets another digit. */
const MAGIC = 0x33435053
const AT_MAGIC = 0
const AT_CHECKSUM = 4
const AT_VERSION = 8
const AT_TRACES_BYTES = 16
const AT_STEPS_BYTES = 20
const AT_METRIC_EVENTS_BYTES = 24
const AT_JOURNAL_BYTES = 28
const TWO_TO_32 = 2 ** 32

/** The content of one record. */
export interface LoggedRows extends RowBytes {
  /**
   * The commit as the journal writes it (storage/embedded/log/commit-record-json.ts), so that a journal that lost it
   * can be given it again.
   */
  readonly journal: Buffer
}

export interface LogRecord extends LoggedRows {
  readonly version: number
  /** Where the next record begins. */
  readonly endPosition: number
}

/** Fills `header`, which is the caller's to use again. */
export function writeHeader(header: Buffer, version: number, rows: LoggedRows): void {
  const { traces, steps, metricEvents, journal } = rows
  header.writeUInt32LE(MAGIC, AT_MAGIC)
  header.writeUInt32LE(version % TWO_TO_32, AT_VERSION)
  header.writeUInt32LE(Math.floor(version / TWO_TO_32), AT_VERSION + 4)
  header.writeUInt32LE(traces.length, AT_TRACES_BYTES)
  header.writeUInt32LE(steps.length, AT_STEPS_BYTES)
  header.writeUInt32LE(metricEvents.length, AT_METRIC_EVENTS_BYTES)
  header.writeUInt32LE(journal.length, AT_JOURNAL_BYTES)
  const checksum = crc32(journal, crc32(metricEvents, crc32(steps, crc32(traces, headerChecksum(header)))))
  header.writeUInt32LE(checksum, AT_CHECKSUM)
}

/** The record that begins at `position`, in memory of its own; null when no whole, undamaged record begins there. */
export async function readRecord(handle: FileHandle, position: number, fileBytes: number): Promise<LogRecord | null> {
  const header = await readHeader(handle, position, fileBytes)
  if (header === null) return null
  const { version, endPosition } = placeOf(header, position)
  const payload = await readBytes(handle, position + header.length, endPosition - position - header.length, fileBytes)
  if (payload === null) return null
  if (crc32(payload, headerChecksum(header)) !== header.readUInt32LE(AT_CHECKSUM)) return null
  const stepsAt = header.readUInt32LE(AT_TRACES_BYTES)
  const metricEventsAt = stepsAt + header.readUInt32LE(AT_STEPS_BYTES)
  const journalAt = metricEventsAt + header.readUInt32LE(AT_METRIC_EVENTS_BYTES)
  return {
    version,
    traces: payload.subarray(0, stepsAt),
    steps: payload.subarray(stepsAt, metricEventsAt),
    metricEvents: payload.subarray(metricEventsAt, journalAt),
    journal: payload.subarray(journalAt),
    endPosition,
  }
}

/**
 * Version and end of the record that begins at `position`, by its header alone, which is not checked; null when there
 * is none.
 */
export async function peekRecord(
  handle: FileHandle,
  position: number,
  fileBytes: number,
): Promise<Pick<LogRecord, 'version' | 'endPosition'> | null> {
  const header = await readHeader(handle, position, fileBytes)
  return header === null ? null : placeOf(header, position)
}

function placeOf(header: Buffer, position: number): Pick<LogRecord, 'version' | 'endPosition'> {
  const payloadBytes = [AT_TRACES_BYTES, AT_STEPS_BYTES, AT_METRIC_EVENTS_BYTES, AT_JOURNAL_BYTES].reduce(
    (sum, at) => sum + header.readUInt32LE(at),
    0,
  )
  return {
    version: header.readUInt32LE(AT_VERSION) + header.readUInt32LE(AT_VERSION + 4) * TWO_TO_32,
    endPosition: position + header.length + payloadBytes,
  }
}

async function readHeader(handle: FileHandle, position: number, fileBytes: number): Promise<Buffer | null> {
  const header = await readBytes(handle, position, HEADER_BYTES, fileBytes)
  return header?.readUInt32LE(AT_MAGIC) === MAGIC ? header : null
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
