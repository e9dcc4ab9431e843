import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import type { CommitRecord } from '../../ports/journal/journal.ts'
import type { CommitPlan } from '../../ports/log/log.ts'
import type { NewMetricEvent, NewStep, StoredCommit } from '../../ports/traces/trace-store.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { encodeCommitRecord, recordFromJson } from '../embedded/log/commit-record-json.ts'

const compressInThread = promisify(zstdCompress)
const decompressInThread = promisify(zstdDecompress)

/** Payloads live for minutes, so time counts more than size. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/**
 * Up to this size, a thread is not worth its way: 36 KB take 240 µs here instead of 570, to read them 100 instead of
 * 420. Most commits of nodes that have few senders each are smaller.
 */
const HERE_BYTES = 64 * 1024
/** Another layout gets another number. */
const LAYOUT = 2
/** Layout, then the length of the description. */
const HEADER_BYTES = 5

/** Bytes of clients stand behind the description, in its order; here is only their length. */
type Described<Value, Key extends keyof Value> = Omit<Value, Key> & Readonly<Record<Key, number>>

interface Description {
  readonly traces: readonly Described<TraceRecord, 'metadata'>[]
  readonly steps: readonly (Omit<NewStep, 'prepared'> & { readonly prepared: Described<NewStep['prepared'], 'body'> })[]
  readonly metricEvents: readonly (Omit<NewMetricEvent, 'record'> & {
    readonly record: Described<NewMetricEvent['record'], 'metadata'>
  })[]
  /** See commit-record-json.ts. */
  readonly record: unknown
}

/** A plan as compressed bytes: other nodes read them, and the settler inserts them. */
export async function encodePlan(plan: CommitPlan): Promise<Buffer> {
  const { traces, steps, metricEvents, ...record } = plan
  const described: Omit<Description, 'record'> = {
    traces: traces.map((trace) => ({ ...trace, metadata: trace.metadata.length })),
    steps: steps.map((of) => ({
      ...of,
      prepared: { ...of.prepared, said: { errorType: of.prepared.said.errorType }, body: of.prepared.body.length },
    })),
    metricEvents: metricEvents.map((event) => ({
      ...event,
      record: { ...event.record, metadata: event.record.metadata.length },
    })),
  }
  const rows = JSON.stringify(described)
  const description = Buffer.from(`${rows.slice(0, -1)},"record":${encodeCommitRecord(record).toString()}}`)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt8(LAYOUT, 0)
  header.writeUInt32LE(description.length, 1)
  return await compress(
    Buffer.concat([
      header,
      description,
      ...traces.map(({ metadata }) => metadata),
      ...steps.map(({ prepared }) => prepared.body),
      ...metricEvents.map(({ record: { metadata } }) => metadata),
    ]),
  )
}

async function compress(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= HERE_BYTES ? zstdCompressSync(bytes, FAST) : await compressInThread(bytes, FAST)
}

async function decompress(bytes: Uint8Array): Promise<Buffer> {
  return bytes.length <= HERE_BYTES / 2 ? zstdDecompressSync(bytes) : await decompressInThread(bytes)
}

/** Rejects when the bytes are not whole, or of a layout that this version does not know. */
export async function decodePlan(payload: Uint8Array): Promise<CommitPlan> {
  const bytes = await decompress(payload)
  const layout = bytes.readUInt8(0)
  if (layout !== LAYOUT) throw new Error(`a commit has the layout ${layout}; this version knows ${LAYOUT}`)
  let position = HEADER_BYTES + bytes.readUInt32LE(1)
  const description = JSON.parse(bytes.toString('utf8', HEADER_BYTES, position)) as Description
  const next = (length: number) => bytes.subarray(position, (position += length))
  const rows: Omit<StoredCommit, 'version'> = {
    traces: description.traces.map((trace) => ({ ...trace, metadata: next(trace.metadata) })),
    steps: description.steps.map((step) => ({
      ...step,
      prepared: { ...step.prepared, body: next(step.prepared.body) },
    })),
    metricEvents: description.metricEvents.map((event) => ({
      ...event,
      record: { ...event.record, metadata: next(event.record.metadata) },
    })),
  }
  if (position !== bytes.length) throw new Error('a commit is not whole')
  const record: CommitRecord = recordFromJson(description.record)
  return { ...record, ...rows }
}
