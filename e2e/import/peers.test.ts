import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { toParquet } from '../../packages/server/src/cli/import/peers/parquet-file.test-support.ts'
import { logsJson } from '../../packages/server/src/traces/otlp/spans.test-support.ts'
import { walkFeed } from '../lib/feed.ts'
import { Service } from '../lib/service.ts'
import { langfuseObservations, langfuseScores, langfuseTrace, langsmithFeedback, langsmithRows } from './peer-rows.ts'
import { runSpoor } from './run-spoor.ts'

let service: Service
const folder = mkdtempSync(join(tmpdir(), 'spoor-peers-'))
before(async () => {
  service = await Service.start()
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const lines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n')

function csv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const toField = (value: unknown) => {
    const text = value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
    return `"${text.replaceAll('"', '""')}"`
  }
  return [names.join(','), ...rows.map((row) => names.map((name) => toField(row[name])).join(','))].join('\r\n')
}

interface Summary {
  readonly committed: number
  readonly refused: number
  readonly refusals: readonly {
    readonly file?: string
    readonly line: number
    readonly code: string
    readonly detail: string
  }[]
}

async function importFrom(
  peer: string,
  ...paths: readonly string[]
): Promise<Summary & { readonly code: number | null }> {
  const settings = { SPOOR_URL: service.url, SPOOR_API_KEY: service.key }
  const { code, out, errors } = await runSpoor(['import', '--json', '--from', peer, ...paths], { settings })
  assert.ok(out.startsWith('{'), errors)
  return { code, ...(JSON.parse(out) as Summary) }
}

/** Of the traces with this name what an import must not change when it comes again. */
async function traces(name: string) {
  const rows = (await walkFeed(service.client)).filter((row) => row.name === name)
  const found: Trace[] = []
  for (const { id } of rows) found.push((await service.client.get(`/v1/traces/${id}`)).json<Trace>())
  return found
}

const shapeOf = ({ status, session_id, user_id, models, token_usage, steps, metric_events }: Trace) => ({
  status,
  session_id,
  user_id,
  models,
  tokens: [token_usage.input, token_usage.output],
  steps: steps
    .map(({ id, name, type, status: of, parent_step_id: parent, started_at, ended_at }) => {
      const above = steps.find((step) => step.id === parent)?.name ?? null
      return [name, type, of, above, Date.parse(ended_at ?? '') - Date.parse(started_at ?? ''), id] as const
    })
    .map(([step, type, of, above, ms]) => [step, type, of, above, ms])
    .sort((a, b) => String(a[0]).localeCompare(String(b[0]))),
  scores: metric_events.map(({ name, value, passed, comment }) => [name, value ?? passed, comment]),
})

/** A failed run with one call of a model. */
const failedAgent = (name: string, session: string, user: string | null, type: string, call: string) => ({
  status: 'error',
  session_id: session,
  user_id: user,
  models: ['gpt-5'],
  tokens: [120, 30],
  steps: [
    [name, type, 'error', null, 1000],
    [call, 'llm', 'ok', name, 500],
  ],
  scores: [],
})

const LANGFUSE = {
  status: 'error',
  session_id: 'session-7',
  user_id: 'user-7',
  models: ['gpt-5'],
  tokens: [120, 30],
  steps: [
    ['ask-model', 'llm', 'ok', 'NAME', 500],
    ['NAME', 'chain', 'ok', null, 2000],
    ['weather', 'tool', 'error', 'ask-model', 200],
  ],
  scores: [['warmth', 0.5, 'mild']],
}
const named = (name: string) => JSON.parse(JSON.stringify(LANGFUSE).replaceAll('NAME', name)) as typeof LANGFUSE
const sorted = (shape: typeof LANGFUSE) => ({
  ...shape,
  steps: shape.steps.toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
})

test('Langfuse: traces, observations and scores of a bucket as JSON lines and CSV, in any order, each once', async () => {
  for (const [name, write, end] of [
    ['weather-lines', lines, 'jsonl'],
    ['weather-csv', csv, 'csv'],
    ['weather-list', JSON.stringify, 'json'],
  ] as const) {
    const paths = [
      file(`scores.${end}`, write(langfuseScores(name))),
      file(`observations.${end}`, write(langfuseObservations(name))),
      file(`traces.${end}`, write([langfuseTrace(name)])),
    ]
    const first = await importFrom('langfuse', ...paths)
    assert.deepEqual([first.code, first.committed, first.refusals], [0, 4, []], name)
    const [trace, ...others] = await traces(name)
    assert.ok(trace !== undefined && others.length === 0, name)
    assert.deepEqual(shapeOf(trace), sorted(named(name)), name)
    assert.deepEqual(trace.metadata, { plan: 'pro', tags: ['beta'] })
    const again = await importFrom('langfuse', ...paths.toReversed())
    assert.deepEqual([again.code, again.refused], [0, 0])
    assert.deepEqual(await traces(name), [trace], 'nothing is written again')
  }
})

test('Langfuse: a trace with its observations and scores, as the API and the download of a trace have it', async () => {
  const camel = (row: object): object =>
    JSON.parse(
      JSON.stringify(row).replaceAll(/"([a-z]+)_([a-z]+)(?:_([a-z]+))?":/g, (_, a: string, ...more: unknown[]) => {
        const rest = more.filter((part): part is string => typeof part === 'string' && /^[a-z]+$/.test(part))
        return `"${a}${rest.map((part) => part[0]!.toUpperCase() + part.slice(1)).join('')}":`
      }),
    ) as object
  const name = 'weather-api'
  const observations = langfuseObservations(name).map(camel)
  const body = { ...camel(langfuseTrace(name)), observations, scores: langfuseScores(name).map(camel) }
  const { code, refusals } = await importFrom('langfuse', file('trace.json', JSON.stringify(body)))
  assert.deepEqual([code, refusals], [0, []])
  const found = await traces(name)
  assert.deepEqual(found.map(shapeOf), [sorted(named(name))])
})

test('Langfuse: enriched observations name their trace', async () => {
  const [call, tool] = langfuseObservations('weather-rich')
  const ofTrace = { trace_name: 'weather-rich', user_id: 'user-7', session_id: 'session-7', tags: [] }
  const path = file(
    'observations_v2.jsonl',
    lines([
      { ...tool, ...ofTrace },
      { ...call, ...ofTrace },
    ]),
  )
  assert.equal((await importFrom('langfuse', path)).code, 0)
  const [trace] = await traces('weather-rich')
  assert.deepEqual([trace?.user_id, trace?.session_id, trace?.steps.length], ['user-7', 'session-7', 3])
})

test('LangSmith: runs of a bulk export as Parquet, and as JSON lines', async () => {
  const earlier = (await walkFeed(service.client)).length
  const parquet = join(folder, 'runs.parquet')
  writeFileSync(parquet, toParquet(langsmithRows('agent-parquet', '0')))
  const rows = [...langsmithRows('agent-lines', '2'), { id: 'no uuid' }, langsmithFeedback('2')]
  const jsonl = file('runs.jsonl', lines(rows))
  const { code, committed, refusals } = await importFrom('langsmith', parquet, jsonl)
  assert.deepEqual([code, committed], [1, 4])
  assert.deepEqual(
    refusals.map(({ file: of, line, code: why }) => [of, line, why]),
    [
      [jsonl, 3, 'items_refused'],
      [jsonl, 4, 'malformed_row'],
    ],
  )
  assert.match(refusals[1]!.detail, /feedback is not imported/)
  for (const name of ['agent-parquet', 'agent-lines']) {
    const found = await traces(name)
    assert.deepEqual(found.map(shapeOf), [failedAgent(name, 'thread-7', null, 'chain', 'ChatOpenAI')], name)
    await importFrom('langsmith', parquet, jsonl)
    assert.deepEqual(await traces(name), found, 'nothing is written again')
  }
  assert.equal((await walkFeed(service.client)).length, earlier + 2)
})

test('Phoenix: spans of a dataframe and of its API', async () => {
  const ids = (digit: string) => ({ trace: digit.repeat(32), root: digit.repeat(16), call: `${digit.repeat(15)}f` })
  const ofFrame = (name: string) => {
    const { trace, root, call } = ids('a')
    const [start_time, end_time] = [1_795_734_740_000, 1_795_734_741_000]
    return [
      {
        name,
        span_kind: 'AGENT',
        parent_id: null,
        start_time,
        end_time,
        status_code: 'ERROR',
        status_message: 'no such city',
        events: [{ name: 'exception', timestamp: end_time, attributes: { 'exception.message': 'no such city' } }],
        'context.trace_id': trace,
        'context.span_id': root,
        'attributes.session.id': 'session-7',
        'attributes.user.id': 'user-7',
        'attributes.input.value': 'How warm is it?',
        'attributes.metadata': { plan: 'pro' },
        'attributes.llm.model_name': null,
      },
      {
        name: 'ask',
        span_kind: 'LLM',
        parent_id: root,
        start_time: start_time + 100,
        end_time: start_time + 600,
        status_code: 'OK',
        status_message: '',
        events: [],
        'context.trace_id': trace,
        'context.span_id': call,
        'attributes.llm.model_name': 'gpt-5',
        'attributes.llm.token_count.prompt': 120,
        'attributes.llm.token_count.completion': 30,
        'attributes.llm.input_messages': [{ 'message.role': 'user', 'message.content': 'How warm is it?' }],
        'attributes.llm.output_messages': [{ 'message.role': 'assistant', 'message.content': 'Sunny.' }],
      },
    ]
  }
  const ofApi = (name: string) => {
    const { trace, root, call } = ids('b')
    return ofFrame(name).map((row, at) => {
      const attributes = Object.entries(row)
        .filter(([key]) => key.startsWith('attributes.'))
        .map(([key, value]) => [key.slice('attributes.'.length), value])
      return {
        id: `U3Bhbjo${at}`,
        name: row.name,
        span_kind: row.span_kind,
        context: { trace_id: trace, span_id: at === 0 ? root : call },
        parent_id: at === 0 ? null : root,
        start_time: new Date(row.start_time).toISOString(),
        end_time: new Date(row.end_time).toISOString(),
        status_code: row.status_code,
        status_message: row.status_message,
        events: row.events,
        attributes: Object.fromEntries(attributes) as object,
      }
    })
  }
  // As the API of annotations answers them.
  const annotation = {
    id: 'U3BhbkFubm90YXRpb246MQ==',
    span_id: ids('a').root,
    name: 'correct',
    annotator_kind: 'HUMAN',
    result: { label: 'yes', score: 1, explanation: null },
  }
  const frame = file('spans.jsonl', lines([...ofFrame('agent-frame'), { name: 'no ids' }, annotation]))
  const api = file('page.json', JSON.stringify({ data: ofApi('agent-api'), next_cursor: null }))
  const { committed, refusals } = await importFrom('phoenix', frame, api)
  const refused = [3, 4].map((line) => [line, 'malformed_row'])
  assert.deepEqual([committed, refusals.map(({ line, code }) => [line, code])], [4, refused])
  for (const name of ['agent-frame', 'agent-api']) {
    const found = await traces(name)
    assert.deepEqual(found.map(shapeOf), [failedAgent(name, 'session-7', 'user-7', 'agent', 'ask')], name)
    const asked = found[0]!.steps.find((step) => step.name === 'ask')
    assert.match(JSON.stringify(asked?.messages), /How warm is it\?.*Sunny\./)
    await importFrom('phoenix', frame, api)
    assert.deepEqual(await traces(name), found, 'nothing is written again')
  }
})

test('OTLP: spans and their log records from the file exporter of the collector; what is not taken is refused by number', async () => {
  const traceId = 'c'.repeat(32)
  const [root, call] = ['c'.repeat(16), `${'c'.repeat(15)}d`]
  const operation = (name: string) => [{ key: 'gen_ai.operation.name', value: { stringValue: name } }]
  const times = { startTimeUnixNano: '1795734740000000000', endTimeUnixNano: '1795734741000000000' }
  const spans = [
    { traceId, spanId: root, name: 'agent-otlp', ...times, attributes: operation('invoke_agent') },
    { traceId, spanId: call, parentSpanId: root, name: 'chat', ...times, attributes: operation('chat') },
  ]
  const said = { traceId, spanId: call, timeUnixNano: times.startTimeUnixNano }
  const logs = [
    { ...said, name: 'gen_ai.user.message', body: { content: 'How warm is it?' } },
    { ...said, name: 'gen_ai.choice', timeUnixNano: times.endTimeUnixNano, body: { message: { content: 'Sunny.' } } },
  ]
  const ofServer = { ...said, name: 'http.request', body: 'GET /weather' }
  const path = file(
    'otlp.jsonl',
    [
      JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }] }),
      JSON.stringify({ resourceMetrics: [] }),
      '{"resourceSpans":[',
      JSON.stringify({ resourceLogs: [] }),
      JSON.stringify(logsJson(logs.slice(0, 1))),
      JSON.stringify(logsJson([...logs.slice(1), ofServer])),
    ].join('\n'),
  )
  const { code, committed, refusals } = await importFrom('otlp', path)
  assert.deepEqual([code, committed], [1, 3])
  assert.deepEqual(
    refusals.map(({ line, file: of }) => [line, of]),
    [
      [2, undefined],
      [3, undefined],
      [6, undefined],
    ],
  )
  assert.deepEqual(
    [refusals[2]!.code, refusals[2]!.detail],
    [
      'items_refused',
      '1 item of the line: log records are taken only if they are contents of a call of a model, not http.request',
    ],
  )
  const found = await traces('agent-otlp')
  assert.equal(found.length, 1)
  assert.deepEqual(found[0]!.steps.map(({ name }) => name).toSorted(), ['agent-otlp', 'chat'])
  const asked = found[0]!.steps.find(({ name }) => name === 'chat')
  assert.match(JSON.stringify(asked?.messages), /How warm is it\?.*Sunny\./)
  assert.doesNotMatch(JSON.stringify(found), /weather/)
  await importFrom('otlp', path)
  assert.deepEqual(await traces('agent-otlp'), found)
})

test('--from takes a name that it knows', async () => {
  const settings = { SPOOR_URL: service.url, SPOOR_API_KEY: service.key }
  const unknown = await runSpoor(['import', '--from', 'toString', 'x'], { settings })
  assert.deepEqual([unknown.code, /--from takes langfuse, phoenix, langsmith, otlp/.test(unknown.errors)], [2, true])
  const again = await runSpoor(['import', '--from', 'otlp', '--again', 'x'], { settings })
  assert.deepEqual([again.code, /count once by their ids/.test(again.errors)], [2, true])
})
