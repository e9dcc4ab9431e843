import type { TraceId } from '@spoor/contract/ids'
import { durationOf, totalTokens } from '../../../traces/commit/rollup.ts'
import { TERM_RULES, nameWords, traceTerms } from '../../../traces/intake/terms.ts'
import { hasWholeDigest, type TokenUsage, type TraceRecord } from '../../../ports/traces/trace-record.ts'
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
  stepsFailed: REQUIRED,
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
  spans: null,
  // Whatever earlier versions stored counts as complete.
  growing: false,
  updatedAt: null,
  digest: null,
})

/** The column `has_digest` of a whole digest; 1 is that of earlier versions, which knows no types of errors. */
export const WHOLE_DIGEST = 2

/** All columns except the last, `metadata`, whose bytes are stored unchanged. */
export const TRACE_PRINTED = {
  project_id: (trace) => plain(trace.projectId),
  id: (trace) => plain(trace.id),
  ver: (trace) => trace.version,
  created_at: (trace) => trace.createdAt,
  deleted: (trace) => (trace.deleted ? 1 : 0),
  status: (trace) => plain(trace.status),
  flagged: (trace) => (trace.flagged ? 1 : 0),
  duration_ms: (trace) => durationOf(trace) ?? UNKNOWN_DURATION,
  step_count: (trace) => trace.stepCount,
  input_tokens: (trace) => trace.tokenUsage.input,
  output_tokens: (trace) => trace.tokenUsage.output,
  cache_read_tokens: (trace) => trace.tokenUsage.cacheRead,
  cache_write_tokens: (trace) => trace.tokenUsage.cacheWrite,
  total_tokens: (trace) => totalTokens(trace.tokenUsage),
  run_type: (trace) => JSON.stringify(trace.runType),
  session_id: (trace) => JSON.stringify(trace.sessionId ?? ''),
  user_id: (trace) => JSON.stringify(trace.userId ?? ''),
  models: (trace) => JSON.stringify(trace.models),
  terms: (trace) => JSON.stringify(storedTerms(trace)),
  term_rules: () => TERM_RULES.length,
  has_digest: (trace) => (hasWholeDigest(trace) ? WHOLE_DIGEST : trace.digest === null ? 0 : 1),
  record: (trace) => JSON.stringify(TRACE_RECORD.toArray(trace)),
} satisfies PrintedColumns<TraceRecord>

/** The column `terms`. */
export function storedTerms(trace: TraceRecord): readonly string[] {
  return traceTerms(trace).concat(nameWords(trace.name))
}

const print = rowPrinter<TraceRecord>(TRACE_PRINTED, 'metadata')

export function writeTraceRow(out: ByteWriter, trace: TraceRecord): void {
  out.text(print(trace))
  writeRawJson(out, trace.metadata)
  out.ascii('}\n')
}

/** The columns for `readTraceRow`. Others rely on the id being the first and the version the second. */
export const TRACE_COLUMNS = 'id, ver, record, metadata'

export function readTraceRow(row: readonly unknown[]): TraceRecord {
  const [id, version, record, metadata] = row as [TraceId, number, string, string]
  return TRACE_RECORD.fromArray(JSON.parse(record) as unknown[], { id, version, metadata: Buffer.from(metadata) })
}
