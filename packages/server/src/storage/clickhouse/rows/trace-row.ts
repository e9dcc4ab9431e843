import type { TraceId } from '@spoor/contract/ids'
import { durationOf, recoveredErrors, totalTokens } from '../../../traces/rules/rollup.ts'
import { wastedOf } from '../../../traces/rules/run-calls.ts'
import { metadataOfTerm, nameWords, traceTerms } from '../../../traces/rules/terms.ts'
import type { TokenUsage, TraceRecord } from '../../../ports/traces/trace-record.ts'
import { UNKNOWN_DURATION } from '../../../ports/traces/trace-store.ts'
import type { ByteWriter } from './byte-writer.ts'
import { writeRawJson } from '../engine/raw-json.ts'
import { PackedRecord, REQUIRED } from './packed-record.ts'
import { plain, type PrintedColumns, rowPrinter } from './row-printer.ts'

/**
 * The table `traces` (docs/design/formats/stored-rows.md). Whatever the engine filters, sorts or counts by has a column
 * of its own. A read uses `record`, which contains all of it again: for each trace of a page it decompresses one
 * granule instead of one for every column.
 */
type PackedTrace = Omit<TraceRecord, 'id' | 'version' | 'metadata'>

/** The column `record`. */
export const TRACE_RECORD = new PackedRecord<PackedTrace>({
  projectId: REQUIRED,
  createdAt: REQUIRED,
  deleted: REQUIRED,
  name: REQUIRED,
  runType: REQUIRED,
  sessionId: REQUIRED,
  userId: REQUIRED,
  ownStatus: REQUIRED,
  ownStartedAt: REQUIRED,
  ownEndedAt: REQUIRED,
  status: REQUIRED,
  flagged: REQUIRED,
  flagReason: REQUIRED,
  stepCount: REQUIRED,
  failedSteps: REQUIRED,
  stepsStartedAt: REQUIRED,
  stepsEndedAt: REQUIRED,
  bodyBytes: REQUIRED,
  lastStepId: REQUIRED,
  tokenUsage: new PackedRecord<TokenUsage>({
    input: REQUIRED,
    output: REQUIRED,
    cacheRead: REQUIRED,
    cacheWrite: REQUIRED,
    reasoning: REQUIRED,
  }),
  models: REQUIRED,
  spans: REQUIRED,
  growing: REQUIRED,
  updatedAt: REQUIRED,
  digest: REQUIRED,
})

interface PrintedTrace extends TraceRecord {
  readonly terms: readonly string[]
}

/** The column `models` of a trace or metric event without a model. */
const NO_MODEL = ['']

/** All columns except the last, `metadata`, whose bytes are stored unchanged. */
export const TRACE_PRINTED = {
  project_id: (trace) => plain(trace.projectId),
  id: (trace) => plain(trace.id),
  ver: (trace) => trace.version,
  created_at: (trace) => trace.createdAt,
  deleted: ({ deleted }) => (deleted === 'expired' ? 2 : deleted ? 1 : 0),
  status: (trace) => plain(trace.status),
  flagged: (trace) => (trace.flagged ? 1 : 0),
  recovered_errors: recoveredErrors,
  duration_ms: (trace) => durationOf(trace) ?? UNKNOWN_DURATION,
  step_count: (trace) => trace.stepCount,
  input_tokens: (trace) => trace.tokenUsage.input,
  output_tokens: (trace) => trace.tokenUsage.output,
  cache_read_tokens: (trace) => trace.tokenUsage.cacheRead,
  cache_write_tokens: (trace) => trace.tokenUsage.cacheWrite,
  reasoning_tokens: (trace) => trace.tokenUsage.reasoning,
  total_tokens: (trace) => totalTokens(trace.tokenUsage),
  wasted_tokens: (trace) => wastedOf(trace.digest.calls).tokens,
  name: (trace) => JSON.stringify(trace.name),
  run_type: (trace) => JSON.stringify(trace.runType),
  session_id: (trace) => JSON.stringify(trace.sessionId ?? ''),
  user_id: (trace) => JSON.stringify(trace.userId ?? ''),
  models: (trace) => printedModels(trace.models),
  usage: (trace) => JSON.stringify(trace.digest.usage ?? []),
  wasted: (trace) => JSON.stringify(wastedOf(trace.digest.calls).usage),
  meta: (trace) => printedMetadata(trace.terms),
  terms: (trace) => JSON.stringify(trace.terms),
  record: (trace) => JSON.stringify(TRACE_RECORD.toArray(trace)),
} satisfies PrintedColumns<PrintedTrace>

/** The column `models`: no models are one empty text, so that `arrayJoin` of it leaves no row out. */
export function printedModels(models: readonly string[]): string {
  return JSON.stringify(models.length === 0 ? NO_MODEL : models)
}

/** The column `meta`: the value of each key, each as its part of a search term. */
export function printedMetadata(terms: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(terms.map(metadataOfTerm).filter((pair) => pair !== null)))
}

const print = rowPrinter<PrintedTrace>(TRACE_PRINTED, 'metadata')

export function writeTraceRow(out: ByteWriter, trace: TraceRecord): void {
  out.text(print({ ...trace, terms: traceTerms(trace).concat(nameWords(trace.name)) }))
  writeRawJson(out, trace.metadata)
  out.ascii('}\n')
}

/** The columns for `readTraceRow`. Others rely on the id being the first and the version the second. */
export const TRACE_COLUMNS = 'id, ver, record, metadata'

export function readTraceRow(row: readonly unknown[]): TraceRecord {
  const [id, version, record, metadata] = row as [TraceId, number, string, string]
  return TRACE_RECORD.fromArray(JSON.parse(record) as unknown[], { id, version, metadata: Buffer.from(metadata) })
}
