import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Metadata } from '@grpc/grpc-js'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Client } from '../lib/client.ts'
import { filesHolding } from '../lib/files-holding.ts'
import { freePorts } from '../lib/free-ports.ts'
import { Service } from '../lib/service.ts'

/** Each way in has its own secrets, so that a leak names its way. */
const secretsOf = (way: string) => ({
  email: `${way}.planted@mail.example`,
  key: `sk-proj-${way}Zq7${'x1'.repeat(12)}`,
  customer: `CUST-${way}-777`,
  field: `hidden ${way} value`,
})
const WAYS = ['json', 'large', 'line', 'otlp', 'event', 'name', 'reason', 'grpc', 'log', 'langfuse', 'langsmith']

const RULES = {
  fields: ['metadata.hidden', '**.password', 'metadata.langfuse.**.hidden'],
  detectors: ['email', 'api_key'],
  patterns: [{ name: 'customer', pattern: 'CUST-[a-z]+-[0-9]+' }],
}

async function send(client: Client, method: string, path: string, body: object | string, headers = {}) {
  const answer = await client.call({
    method,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return answer
}

function stepOf(way: string) {
  const { email, key, customer, field } = secretsOf(way)
  return {
    name: `step for ${email}`,
    type: 'tool',
    messages: [
      { role: 'user', content: [{ type: 'text', text: `I am ${email}, ${customer}` }] },
      {
        role: 'assistant',
        tool_calls: [
          { type: 'function', function: { name: 'pay', arguments: JSON.stringify({ key, password: field, n: 1.5 }) } },
        ],
      },
    ],
    metadata: { hidden: field, note: customer },
    error: { type: 'Failed', message: `no ${email}`, stack: `at ${key}` },
    status: 'error',
  }
}

/** By the wire of other services: what each sender stores is read back with marks. */
async function sendAsOthers({ client, key }: Service, grpcPort: number): Promise<void> {
  const grpc = secretsOf('grpc')
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${key}`)
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${grpcPort}`, metadata })
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  const span = provider.getTracer('test').startSpan(`span ${grpc.email}`, {
    attributes: { 'gen_ai.prompt': `${grpc.email} ${grpc.customer}`, key: grpc.key, password: grpc.field },
  })
  span.end()
  await provider.shutdown()

  const log = secretsOf('log')
  const { traceId, spanId } = span.spanContext()
  const record = {
    traceId,
    spanId,
    timeUnixNano: '1760000000000000000',
    eventName: 'gen_ai.user.message',
    body: { kvlistValue: { values: [{ key: 'content', value: { stringValue: `${log.email} ${log.customer}` } }] } },
    attributes: [
      { key: 'key', value: { stringValue: log.key } },
      { key: 'password', value: { stringValue: log.field } },
    ],
  }
  const logs = { resourceLogs: [{ scopeLogs: [{ scope: { name: 'test' }, logRecords: [record] }] }] }
  await send(client, 'POST', '/otlp/v1/logs', logs)

  const { email, key: secret, customer, field } = secretsOf('langfuse')
  const event = (type: string, body: object) => ({ id: type, type, timestamp: '2026-11-26T23:12:20Z', body })
  const of = '01a21a21-3072-71dc-9316-000000000001'
  const told = {
    metadata: { hidden: field, note: customer },
    input: [{ role: 'user', content: `${email} ${customer}` }],
  }
  const batch = [
    event('trace-create', { id: of, name: `trace ${email}`, ...told }),
    event('generation-create', { id: 'g', traceId: of, name: 'answer', output: secret, statusMessage: email, ...told }),
    event('score-create', { id: 's', traceId: of, name: 'reward', value: 2, comment: `${email} ${secret}` }),
  ]
  const sent = await send(client, 'POST', '/api/public/ingestion', { batch })
  assert.deepEqual(sent.json<{ errors: unknown[] }>().errors, [])

  const smith = secretsOf('langsmith')
  const run = '01a21a21-3072-71dc-9316-000000000002'
  await send(client, 'POST', '/runs/batch', {
    post: [
      {
        id: run,
        trace_id: run,
        run_type: 'llm',
        name: `run ${smith.email}`,
        start_time: 1_795_734_740_000,
        end_time: 1_795_734_741_000,
        error: `no ${smith.key}`,
        inputs: { messages: [{ role: 'user', content: `${smith.email} ${smith.customer}` }] },
        outputs: { password: smith.field },
        extra: { metadata: { hidden: smith.field, note: smith.customer } },
      },
    ],
  })
  await send(client, 'POST', '/feedback', { run_id: run, trace_id: run, key: 'reward', score: 2, comment: smith.email })
  for (const id of [traceId, of, run]) {
    const { text } = await client.get(`/v1/traces/${id}`)
    for (const mark of ['email', 'customer']) assert.ok(text.includes(`[masked:${mark}]`), `${mark}: ${text}`)
  }
}

async function projectOf(client: Client): Promise<string> {
  return (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>().projects[0]!.id
}

test('what the rules of a project name is masked on every way in and is nowhere on the disk', async () => {
  const [grpcPort = 0] = await freePorts(1)
  await using service = await Service.start({ environment: { SPOOR_OTLP_GRPC_PORT: String(grpcPort) } })
  const { client } = service
  const project = `/v1/projects/${await projectOf(client)}`
  await send(client, 'PATCH', project, { masking: RULES })
  await send(client, 'POST', '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 10 })
  const { email, field } = secretsOf('name')
  const body = {
    name: `run of ${email}`,
    user_id: 'user-1',
    metadata: { hidden: { deep: [field, 7] }, to: secretsOf('json').email },
    steps: [stepOf('json')],
  }
  const headers = { 'idempotency-key': 'once' }
  const { id } = (await send(client, 'POST', '/v1/traces', body, headers)).json<{ id: string }>()
  const filler = { role: 'user', content: [{ type: 'text', text: 'word '.repeat(40_000) }] }
  const large = stepOf('large')
  const sent = { name: 'large', steps: [{ ...large, messages: [filler, ...large.messages] }] }
  const compressed = await client.postTrace(gzipSync(JSON.stringify(sent)), { 'content-encoding': 'gzip' })
  assert.equal(compressed.status, 202, compressed.text)
  const appended = await client.append(id, `${JSON.stringify(stepOf('line'))}\n`)
  assert.equal(appended.status, 200, appended.text)
  const otlp = secretsOf('otlp')
  const attributes = [
    { key: 'gen_ai.prompt', value: { stringValue: `${otlp.email} ${otlp.customer}` } },
    { key: 'key', value: { stringValue: otlp.key } },
    { key: 'password', value: { stringValue: otlp.field } },
  ]
  const span = {
    traceId: '1'.repeat(32),
    spanId: '2'.repeat(16),
    name: `span ${otlp.email}`,
    startTimeUnixNano: '1760000000000000000',
    endTimeUnixNano: '1760000001000000000',
    attributes,
    status: { code: 2, message: `failed for ${otlp.customer}` },
  }
  const spans = { resourceSpans: [{ scopeSpans: [{ scope: { name: 'test' }, spans: [span] }] }] }
  await send(client, 'POST', '/otlp/v1/traces', spans)
  await sendAsOthers(service, grpcPort)
  const ofEvent = secretsOf('event')
  await send(client, 'POST', '/v1/metrics/events', {
    name: 'reward',
    trace_id: id,
    value: 2,
    comment: `${ofEvent.email} ${ofEvent.key}`,
    metadata: { hidden: ofEvent.field, note: ofEvent.customer },
  })
  const ofReason = secretsOf('reason')
  await send(client, 'PATCH', `/v1/traces/${id}`, { flagged: true, reason: `by ${ofReason.email}, ${ofReason.key}` })

  const trace = (await client.get(`/v1/traces/${id}`)).json<{
    name: string
    user_id: string
    metadata: { hidden: { deep: unknown[] }; to: string }
    flag_reason: string
    masked: Record<string, number>
    steps: ReturnType<typeof stepOf>[]
  }>()
  assert.equal(trace.name, 'run of [masked:email]')
  assert.equal(trace.user_id, 'user-1')
  assert.deepEqual(trace.metadata, {
    hidden: { deep: ['[masked:metadata.hidden]', '[masked:metadata.hidden]'] },
    to: '[masked:email]',
  })
  assert.equal(trace.flag_reason, 'by [masked:email], [masked:api_key]')
  const [first] = trace.steps
  const call = first?.messages[1]?.tool_calls?.[0]?.function.arguments
  assert.deepEqual(JSON.parse(call ?? ''), { key: '[masked:api_key]', password: '[masked:**.password]', n: 1.5 })
  assert.deepEqual(first?.metadata, { hidden: '[masked:metadata.hidden]', note: '[masked:customer]' })
  // Of each step: its name, the first message, the error; one address more is in the name and one in the metadata.
  assert.deepEqual(trace.masked, { email: 8, customer: 4, api_key: 4, '**.password': 2, 'metadata.hidden': 4 })

  // A retry after a change of the rules is the same request.
  await send(client, 'PATCH', project, { masking: { detectors: [], patterns: [], fields: [] } })
  const again = (await send(client, 'POST', '/v1/traces', body, headers)).json<{ id: string }>()
  assert.equal(again.id, id)

  const assertGone = (when: string) => {
    for (const way of WAYS)
      for (const secret of Object.values(secretsOf(way)))
        assert.deepEqual(filesHolding(service.dataDir, secret), [], `${way}: ${secret}, ${when}`)
  }
  await service.kill()
  assert.notDeepEqual(filesHolding(service.dataDir, 'I am [masked:email], [masked:customer]'), [])
  assertGone('killed')
  // A stop settles what the log has into the column store.
  await service.start()
  await service.stop()
  assertGone('settled')
})

test('a preview shows what rules would mask and changes nothing; rules that cannot be used are refused by field', async () => {
  await using service = await Service.start()
  const { client } = service
  const project = `/v1/projects/${await projectOf(client)}`
  const path = `${project}/masking/preview`
  const { email } = secretsOf('json')
  const { id } = (await send(client, 'POST', '/v1/traces', { name: 'run', steps: [stepOf('json')] })).json<{
    id: string
  }>()
  const preview = (await send(client, 'POST', path, { masking: RULES })).json<{
    traces: number
    steps: number
    masked: Record<string, number>
    excerpts: { rule: string; trace_id: string; place: string; text: string; before: string; after: string }[]
  }>()
  assert.deepEqual([preview.traces, preview.steps], [1, 1])
  assert.deepEqual(preview.masked, { email: 3, customer: 2, api_key: 2, '**.password': 1, 'metadata.hidden': 1 })
  const shown = preview.excerpts.find(({ rule, place }) => rule === 'email' && place === 'messages.content.text')
  assert.deepEqual(
    [shown?.rule, shown?.trace_id, shown?.before, shown?.text, shown?.after],
    ['email', id, 'I am ', email, ', CUST-json-777'],
  )
  const { steps, masked } = (await client.get(`/v1/traces/${id}`)).json<{
    steps: { name: string }[]
    masked: object
  }>()
  assert.equal(steps[0]?.name, `step for ${email}`)
  assert.deepEqual(masked, {})

  for (const [masking, pointer] of [
    [{ patterns: [{ name: 'a', pattern: '(' }] }, '/masking/patterns/0/pattern'],
    [{ patterns: [{ name: 'email', pattern: 'x' }] }, '/masking/patterns/0/name'],
    [{ detectors: ['iban'] }, '/masking/detectors/0'],
    [{ fields: ['steps.0'] }, '/masking/fields/0'],
  ] as const) {
    const answer = await client.call({
      method: 'PATCH',
      path: project,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ masking }),
    })
    assert.equal(answer.status, 422, answer.text)
    assert.equal(answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer, pointer)
  }
})
