import type { PrintedTraces } from '../../../ports/traces/trace-row-groups.ts'
import { text, texts, integers } from '../engine/literal.ts'
import { TRACE_RECORD } from './trace-row.ts'

const TEXT = 'Nullable(String)'
const NUMBER = 'Nullable(Int64)'
const SAID = `Tuple(text ${TEXT})`

/** The types of the fields of `record`. The engine is half as fast where a value has another type. */
const TYPES: Readonly<Record<string, string>> = {
  projectId: TEXT,
  createdAt: NUMBER,
  name: 'String',
  runType: TEXT,
  sessionId: TEXT,
  userId: TEXT,
  ownStatus: TEXT,
  ownStartedAt: NUMBER,
  ownEndedAt: NUMBER,
  status: TEXT,
  flagReason: TEXT,
  stepCount: NUMBER,
  failedSteps: NUMBER,
  stepsStartedAt: NUMBER,
  stepsEndedAt: NUMBER,
  bodyBytes: NUMBER,
  lastStepId: TEXT,
  'tokenUsage.input': NUMBER,
  'tokenUsage.output': NUMBER,
  'tokenUsage.cacheRead': NUMBER,
  'tokenUsage.cacheWrite': NUMBER,
  'tokenUsage.reasoning': NUMBER,
  // The JSON of the list.
  models: 'String',
  spans: 'Tuple(rootSeen Nullable(Bool))',
  growing: 'Bool',
  updatedAt: NUMBER,
  digest: `Tuple(input ${SAID}, output ${SAID}, error ${SAID})`,
}
const PLACES = TRACE_RECORD.fields.map((field) => `${field.replace('.', '_')} ${TYPES[field] ?? 'Nullable(Bool)'}`)

/**
 * The engine refuses JSON with half a surrogate pair, so U+FFFD takes its place, as in every UTF-8 text. Before that,
 * escaped backslashes are written in another way: then each other backslash begins an escape.
 */
const PLAIN_ESCAPES = `replaceAll(record, '\\\\\\\\', '\\\\u005c')`
const MENDED = `replaceRegexpAll(${PLAIN_ESCAPES}, '\\\\\\\\ud[89a-f][0-9a-f]{2}', '\\\\\\\\ufffd')`

const CREATED_AT = 'toUnixTimestamp64Milli(created_at)'

/**
 * The statement up to FROM: the columns of the list (`toTraceRow`) as the engine computes them from a row of `traces`,
 * in the order of their schema.
 */
export function parquetColumns(
  traces: Pick<PrintedTraces, 'attachments' | 'findingKinds'>,
  cost: string,
  record: 'record' | 'mended',
): string {
  const columns = {
    id: 'id',
    name: 'r.name',
    run_type: 'run_type',
    state: `if(flagged = 1, 'flagged', 'committed')`,
    status: 'status',
    recovered_errors: 'toInt64(recovered_errors)',
    metadata: 'metadata',
    finding_kinds: lookedUp(traces.findingKinds, (kinds) => texts(kinds.map((of) => JSON.stringify(of))), text('[]')),
    wasted_tokens: 'toInt64(wasted_tokens)',
    // Of a record that it cannot read, the engine would take all fields for null.
    growing: 'throwIf(isNull(r.projectId)) OR r.growing',
    root_seen: 'ifNull(r.spans.rootSeen, true)',
    created_at: CREATED_AT,
    updated_at: `ifNull(r.updatedAt, ${CREATED_AT})`,
    started_at: 'ifNull(r.ownStartedAt, r.stepsStartedAt)',
    duration_ms: 'nullIf(duration_ms, -1)',
    step_count: 'toInt64(step_count)',
    models: 'r.models',
    'token_usage.input': 'toInt64(input_tokens)',
    'token_usage.output': 'toInt64(output_tokens)',
    'token_usage.total': 'toInt64(total_tokens)',
    'token_usage.cache_read': 'toInt64(cache_read_tokens)',
    'token_usage.cache_write': 'toInt64(cache_write_tokens)',
    'token_usage.reasoning': 'toInt64(reasoning_tokens)',
    session_id: 'r.sessionId',
    user_id: 'r.userId',
    attachment_count: lookedUp(traces.attachments, integers, 'toInt64(0)'),
    input_preview: 'r.digest.input.text',
    output_preview: `if(status = 'error', ifNull(r.digest.error.text, r.digest.output.text), r.digest.output.text)`,
    cost_usd: cost,
    // Only lists by words, and those that ask for values of metrics, have these.
    snippet: NO_TEXT,
    metric_values: NO_TEXT,
  }
  const printed = Object.entries(columns)
    .map(([name, expression]) => `toNullable(${expression}) AS \`${name}\``)
    .join(', ')
  return `WITH JSONExtract(${record === 'mended' ? MENDED : 'record'}, 'Tuple(${PLACES.join(', ')})') AS r SELECT ${printed}`
}

/** Whether the columns failed because of a record that only `mended` can be read. */
export function isUnreadRecord(error: unknown): boolean {
  return error instanceof Error && 'clickhouseCode' in error && error.clickhouseCode === THROWN
}

/** FUNCTION_THROW_IF_VALUE_IS_NON_ZERO */
const THROWN = 395

const NO_TEXT = `CAST(NULL, '${TEXT}')`

/** The value of a trace by its id. */
function lookedUp<Value>(
  values: ReadonlyMap<string, Value>,
  literals: (values: readonly Value[]) => string,
  otherwise: string,
): string {
  if (values.size === 0) return otherwise
  return `transform(id, [${texts([...values.keys()])}], [${literals([...values.values()])}], ${otherwise})`
}
