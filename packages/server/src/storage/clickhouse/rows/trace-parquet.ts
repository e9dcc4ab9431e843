import type { PrintedTraces } from '../../../ports/traces/trace-row-groups.ts'
import { text, texts, integers } from '../engine/literal.ts'
import { TRACE_RECORD } from './trace-row.ts'

/** The types of the parts of `record` that a row of the list needs. */
const TYPES: Readonly<Record<string, string>> = {
  name: 'String',
  sessionId: 'Nullable(String)',
  userId: 'Nullable(String)',
  ownStartedAt: 'Nullable(Int64)',
  stepsStartedAt: 'Nullable(Int64)',
  models: 'Array(String)',
  spans: 'Tuple(rootSeen Nullable(Bool))',
  growing: 'Bool',
  updatedAt: 'Nullable(Int64)',
  digest:
    'Tuple(input Tuple(text Nullable(String)), output Tuple(text Nullable(String)), error Tuple(text Nullable(String)))',
}
const PLACES = TRACE_RECORD.fields.map((field) => `${field.replace('.', '_')} ${TYPES[field] ?? 'Nullable(Bool)'}`)

/**
 * The engine refuses JSON with half a surrogate pair, so U+FFFD takes its place, as in every UTF-8 text. Before that,
 * escaped backslashes are written in another way: then each other backslash begins an escape.
 */
const WELL_FORMED =
  `if(position(record, '\\\\ud') = 0, record, replaceRegexpAll(` +
  `replaceAll(record, '\\\\\\\\', '\\\\u005c'), '\\\\\\\\ud[89a-f][0-9a-f]{2}', '\\\\\\\\ufffd'))`

const CREATED_AT = 'toUnixTimestamp64Milli(created_at)'

/**
 * The columns of the list (`toTraceRow`) as the engine computes them from a row of `traces`, in the order of their
 * schema.
 */
export function parquetColumns(traces: Pick<PrintedTraces, 'attachments' | 'findingKinds'>, cost: string): string {
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
    growing: 'r.growing',
    root_seen: 'ifNull(r.spans.rootSeen, true)',
    created_at: CREATED_AT,
    updated_at: `ifNull(r.updatedAt, ${CREATED_AT})`,
    started_at: 'ifNull(r.ownStartedAt, r.stepsStartedAt)',
    duration_ms: 'nullIf(duration_ms, -1)',
    step_count: 'toInt64(step_count)',
    models: 'toJSONString(r.models)',
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
  return Object.entries(columns)
    .map(([name, expression]) => `toNullable(${expression}) AS \`${name}\``)
    .join(', ')
}

/** The `r` of the columns. */
export const PARSED_RECORD = `JSONExtract(${WELL_FORMED}, 'Tuple(${PLACES.join(', ')})') AS r`

const NO_TEXT = `CAST(NULL, 'Nullable(String)')`

/** The value of a trace by its id. */
function lookedUp<Value>(
  values: ReadonlyMap<string, Value>,
  literals: (values: readonly Value[]) => string,
  otherwise: string,
): string {
  if (values.size === 0) return otherwise
  return `transform(id, [${texts([...values.keys()])}], [${literals([...values.values()])}], ${otherwise})`
}
