import { BETWEEN_TEXTS } from '../../../packages/server/src/storage/clickhouse/rows/cut-body.ts'
import { type STEP_PRINTED, STEP_RECORD } from '../../../packages/server/src/storage/clickhouse/rows/step-row.ts'
import { type TRACE_PRINTED, TRACE_RECORD } from '../../../packages/server/src/storage/clickhouse/rows/trace-row.ts'
import { LONGEST_WORD, word, WORD_COUNT } from '../vocabulary.ts'

/**
 * SQL that fills the tables with the rows that the service would store for generated traces of 10 steps and about 10
 * KB. Trace `n` is a function of `n` alone. check-archive.ts compares samples with what the service's own code writes
 * for the same trace.
 */
export interface ArchiveShape {
  readonly projectId: string
  /** Creation time of trace 0, milliseconds. */
  readonly startedAt: number
  /** Between two traces, milliseconds. */
  readonly intervalMs: number
}

export const STEPS_PER_TRACE = 10
/** A million traces in 60 days. */
export const SPREAD_MS = 5184
/** 500 traces a second: a million lie within the first hour that any window of time would read. */
export const DENSE_MS = 2
/** Traces of one group commit. */
export const COMMIT_TRACES = 50

export const versionOf = (trace: number): number => Math.floor(trace / COMMIT_TRACES) + 1
/** A word that only trace `n` has. */
export const needleOf = (trace: number): string => `ticket${trace}`

const BASE32 = `'0123456789abcdefghjkmnpqrstvwxyz'`
const MODELS = `['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'claude-opus', 'gemini-pro', 'llama-70b', 'mistral-large', 'qwen-72b']`
const TYPES = `['llm', 'tool', 'llm', 'retrieval']`
const NAMES = `['call model', 'use tool', 'answer question', 'search documents']`
const RUN_TYPES = `['agent', 'workflow', 'chat', 'task', 'eval']`
const ENVIRONMENTS = `['prod', 'prod', 'prod', 'prod', 'prod', 'prod', 'prod', 'staging', 'staging', 'dev']`

/**
 * An id with that millisecond in the service's format (UUIDv7 as TypeID). Its random bits come from a hash: 12
 * hexadecimal digits are also base32 digits.
 */
export function idExpression(prefix: string, milliseconds: string, hash: string): string {
  const shifts = [45, 40, 35, 30, 25, 20, 15, 10, 5, 0]
  const time = shifts.map(
    (shift) => `substring(${BASE32}, bitAnd(bitShiftRight(${milliseconds}, ${shift}), 31) + 1, 1)`,
  )
  // `hex` of a number leaves out leading zero bytes.
  const digits = `lower(leftPad(hex(${hash}), 16, '0'))`
  return `concat('${prefix}_', ${time.join(', ')}, 'e', substring(${digits}, 1, 2), '8', substring(${digits}, 3, 12))`
}

/** Maps a hash to a number in [0, 1) that is small more often than large. */
const skewed = (hash: string): string => `pow(${hash} % 10000 / 10000, 2)`

/** The SQL of the values of a row's columns; columns that are left out take their defaults. */
export type Columns<Name extends string> = { readonly [Column in Name]?: string }

export function insertInto(table: string, columns: Readonly<Record<string, string>>): string {
  return `INSERT INTO ${table} (${Object.keys(columns).join(', ')})\nSELECT ${Object.values(columns).join(',\n  ')}`
}

/**
 * The column `record`, from the SQL of each field's JSON text; other fields are `null`. The array ends with the last of
 * `values`, like rows stored before later fields existed.
 */
function packedRecord(fields: readonly string[], values: Readonly<Record<string, string>>): string {
  const end = fields.findLastIndex((field) => field in values) + 1
  const places = fields.slice(0, end).map((field) => values[field] ?? `'null'`)
  return `concat('[', ${places.join(`, ',', `)}, ']')`
}

/** An absent column takes its default, like rows stored before the column existed. */
export function stepColumns(projectId: string): Columns<keyof typeof STEP_PRINTED | 'text' | 'words' | 'body'> {
  const model = `${MODELS}[toUInt32(8 * ${skewed('h')}) + 1]`
  return {
    project_id: `'${projectId}'`,
    trace_id: 'trace_id',
    position: 'k',
    id: idExpression('st', 'ts', 'cityHash64(n, k, 3)'),
    ver: `intDiv(n, ${COMMIT_TRACES}) + 1`,
    trace_created_at: `fromUnixTimestamp64Milli(toInt64(ts), 'UTC')`,
    name: 'name',
    type: 'type',
    model: `if(type = 'llm', ${model}, '')`,
    status: `if(failed, 'error', 'ok')`,
    input_tokens: 'input',
    output_tokens: 'output',
    sender: `if(type = 'llm', '["api","",["billed"]]', '["api",""]')`,
    text: `arrayStringConcat(texts, '${BETWEEN_TEXTS}')`,
    words: `''`,
    body_bytes: 'length(whole)',
    record: packedRecord(STEP_RECORD.fields, {
      id: `toJSONString(${idExpression('st', 'ts', 'cityHash64(n, k, 3)')})`,
      name: 'toJSONString(name)',
      type: 'toJSONString(type)',
      model: `if(type = 'llm', toJSONString(${model}), 'null')`,
      status: `if(failed, '"error"', '"ok"')`,
      startedAt: `toString(ts - ${STEPS_PER_TRACE} * pace + k * pace)`,
      endedAt: `toString(ts - ${STEPS_PER_TRACE} * pace + k * pace + pace - 10)`,
      receivedAt: 'toString(ts)',
      parentStepId: `if(k = 0, 'null', toJSONString(${idExpression('st', 'ts', 'cityHash64(n, k - 1, 3)')}))`,
      parentInferred: `if(k > 0, 'true', 'false')`,
      'tokenUsage.input': 'toString(input)',
      'tokenUsage.output': 'toString(output)',
      'tokenUsage.cacheRead': `'0'`,
      'tokenUsage.cacheWrite': `'0'`,
      'tokenUsage.reasoning': `'0'`,
      idempotencyKey: `'null'`,
    }),
    // The question and the answer are its last texts.
    body: `replaceOne(replaceOne(whole, concat('"', question, '"'), concat('\x01', toString(length(texts) - 2), '\x01')), concat('"', answer, '"'), concat('\x01', toString(length(texts) - 1), '\x01'))`,
  }
}

/** Steps of the traces `[from, to)`, in one part for each month. */
export function insertSteps({ projectId, startedAt, intervalMs }: ArchiveShape, from: number, to: number): string {
  const words = Array.from({ length: WORD_COUNT }, (_, rank) => word(rank).padEnd(LONGEST_WORD, ' ')).join('')
  const rank = `toUInt32(pow(${WORD_COUNT}, (cityHash64(n, k, i) % 16777216) / 16777216)) - 1`
  const picked = `substring('${words}', (${rank}) * ${LONGEST_WORD} + 1, 3 + (${rank}) * 5 % 7)`
  const messages =
    `concat('{"messages":[{"role":"user","content":[{"type":"text","text":"', question, '"}]},` +
    `{"role":"assistant","content":[{"type":"text","text":"', answer, '"}]}],"token_usage":{"input":', toString(input), ',"output":', toString(output),` +
    ` '},"metadata":{"attempt":', toString(k), ',"span":"', lower(hex(h)), '"}', ` +
    `if(failed, ',"error":{"type":"timeout","message":"no answer in time"}}', '}'))`
  return `
${insertInto('steps', stepColumns(projectId))}
FROM (
  SELECT *, ${messages} AS whole, arrayConcat([name], if(failed, ['timeout', 'no answer in time'], []), [question, answer]) AS texts
  FROM (
    SELECT n, k, ts, trace_id, cityHash64(n, k) AS h, ${TYPES}[h % 4 + 1] AS type, ${NAMES}[h % 4 + 1] AS name, cityHash64(n, k, 6) % 300 = 0 AS failed,
      50 + cityHash64(n, 13) % 3000 AS pace, 100 + h % 2000 AS input, 10 + h % 500 AS output,
      arrayStringConcat(arrayMap(i -> ${picked}, range(25 + h % 40)), ' ') AS asked,
      if(k = 3, concat('${needleOf(0).slice(0, -1)}', toString(n), ' ', asked), asked) AS question,
      arrayStringConcat(arrayMap(i -> ${picked}, range(100, 160 + h % 30)), ' ') AS answer
    FROM (
      SELECT number AS n, toUInt64(${startedAt} + n * ${intervalMs} + cityHash64(n, 2) % ${intervalMs}) AS ts,
        ${idExpression('tr', 'ts', 'cityHash64(n, 1)')} AS trace_id
      FROM numbers(${from}, ${to - from})
    )
    ARRAY JOIN range(${STEPS_PER_TRACE}) AS k
  )
)
SETTINGS max_block_size = 1024, max_threads = 1, max_insert_threads = 1, max_insert_block_size = 10000000, min_insert_block_size_rows = 10000000,
  min_insert_block_size_bytes = 0, max_query_size = 10000000`
}

/** Three arrays: the models of a trace, and the tokens of each. */
const BY_MODEL = 'by_model.1, by_model.2, by_model.3'

/** As `stepColumns`. */
export function traceColumns(projectId: string): Columns<keyof typeof TRACE_PRINTED | 'metadata'> {
  return {
    project_id: `'${projectId}'`,
    id: 'trace_id',
    ver: 'version',
    created_at: 'created_at',
    name: 'name',
    run_type: 'run_type',
    session_id: 'session',
    user_id: 'user',
    status: `if(failed, 'error', 'ok') AS state`,
    flagged: 'failed',
    duration_ms: 'last - first',
    step_count: 'step_count',
    input_tokens: 'input',
    output_tokens: 'output',
    total_tokens: 'input + output',
    models: `if(empty(used), [''], used)`,
    usage: `arrayMap((model, i, o) -> (model, (i, o, toUInt64(0), toUInt64(0))), ${BY_MODEL})`,
    meta: `map('env', concat('"', env, '"'), 'task_id', concat('"', task, '"'), 'request_id', concat('"', request, '"'), 'attempt', attempt)`,
    terms:
      `arrayConcat([concat('s\\0', state), concat('r\\0', run_type), concat('n\\0', name)], if(failed, ['f'], []), ` +
      `[concat('S\\0', session), concat('u\\0', user)], arrayMap(model -> concat('m\\0', model), used), if(failed, ['e\\0timeout'], []), pairs, ` +
      `arrayMap(w -> concat('w\\0', w), arrayDistinct(extractAll(name, '[a-z0-9]+'))))`,
    record: packedRecord(TRACE_RECORD.fields, {
      projectId: `'"${projectId}"'`,
      createdAt: 'toString(toUnixTimestamp64Milli(created_at))',
      deleted: `'false'`,
      name: 'toJSONString(name)',
      runType: 'toJSONString(run_type)',
      sessionId: 'toJSONString(session)',
      userId: 'toJSONString(user)',
      status: 'toJSONString(state)',
      flagged: 'toString(failed)',
      stepCount: 'toString(step_count)',
      failedSteps: 'toString(failed_steps)',
      stepsStartedAt: 'toString(first)',
      stepsEndedAt: 'toString(last)',
      bodyBytes: 'toString(bytes)',
      lastStepId: 'toJSONString(last_step)',
      'tokenUsage.input': 'toString(input)',
      'tokenUsage.output': 'toString(output)',
      'tokenUsage.cacheRead': `'0'`,
      'tokenUsage.cacheWrite': `'0'`,
      'tokenUsage.reasoning': `'0'`,
      models: 'toJSONString(used)',
      growing: `'false'`,
      digest:
        `concat('{"input":{"at":0,"time":null,"isRoot":false,"text":', toJSONString(concat('question about ', task, ', ', request)), ` +
        `'},"output":{"at":1,"time":null,"isRoot":false,"text":', toJSONString(repeat('an answer ', 12)), ` +
        `'},"error":null,"nesting":"none","failedAt":null,"answeredAt":null,"usage":[', ` +
        `arrayStringConcat(arrayMap((model, i, o) -> concat('{"model":', toJSONString(model), ',"tokens":{"input":', toString(i), ` +
        `',"output":', toString(o), ',"cacheRead":0,"cacheWrite":0}}'), ${BY_MODEL}), ','), '],"errorTypes":', if(failed, '["timeout"]', '[]'), ',"calls":{"done":0,"open":null,"asked":null,"seen":[', ` +
        `arrayStringConcat(arrayMap(at -> concat('{"key":"', lower(leftPad(hex(cityHash64(n, at, 15)), 16, '0')), '","last":0,"at":[', toString(at), '],"input":100}'), [0, 3, 6]), ','), ']}}')`,
    }),
    metadata: `concat('{"env":"', env, '","task_id":"', task, '","request_id":"', request, '","attempt":', attempt, '}')`,
  }
}

/** A number in the column `record` of a step. */
const ofStep = (field: string): string => `JSONExtractInt(record, ${STEP_RECORD.fields.indexOf(field) + 1})`

/** The traces `[from, to)`; their sums are computed from the stored steps. */
export function insertTraces({ projectId, startedAt, intervalMs }: ArchiveShape, from: number, to: number): string {
  const keys = ['env', 'task_id', 'request_id', 'attempt']
  return `
${insertInto('traces', traceColumns(projectId))}
FROM (
  SELECT *, ${RUN_TYPES}[toUInt32(5 * ${skewed('cityHash64(n, 5)')}) + 1] AS run_type, concat(run_type, ' flow ', toString(cityHash64(n, 8) % 40)) AS name,
    concat('sess-', toString(intDiv(n, 3))) AS session, concat('user-', toString(toUInt32(5000 * ${skewed('cityHash64(n, 12)')}))) AS user,
    ${ENVIRONMENTS}[cityHash64(n, 10) % 10 + 1] AS env, concat('task-', toString(cityHash64(n, 11) % 1000)) AS task, concat('req-', toString(n)) AS request,
    toString(n % 4) AS attempt,
    [concat('k\\0env\\0"', env, '"'), concat('k\\0task_id\\0"', task, '"'), concat('k\\0request_id\\0"', request, '"'), concat('k\\0attempt\\0', attempt),
      ${keys.map((key) => `'h\\0${key}'`).join(', ')}] AS pairs
  FROM (
    SELECT trace_id, any(ver) AS version, any(trace_created_at) AS created_at, intDiv(toUnixTimestamp64Milli(created_at) - ${startedAt}, ${intervalMs}) AS n,
      countIf(status = 'error') AS failed_steps, toBool(failed_steps > 0) AS failed, count() AS step_count, sum(input_tokens) AS input, sum(output_tokens) AS output,
      arraySort(groupUniqArrayIf(toString(model), model != '')) AS used,
      sumMapIf([toString(model)], [input_tokens], [output_tokens], model != '') AS by_model, min(${ofStep('startedAt')}) AS first, max(${ofStep('endedAt')}) AS last, sum(body_bytes) AS bytes,
      argMax(id, position) AS last_step
    FROM steps WHERE ver >= ${versionOf(from)} AND ver <= ${versionOf(to - 1)} GROUP BY trace_id
  )
)
SETTINGS max_threads = 1, max_insert_threads = 1, max_insert_block_size = 10000000, min_insert_block_size_rows = 10000000, min_insert_block_size_bytes = 0`
}
