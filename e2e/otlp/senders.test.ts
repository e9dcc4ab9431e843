import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Metadata } from '@grpc/grpc-js'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import { propagateAttributes, setLangfuseTracerProvider, startActiveObservation } from '@langfuse/tracing'
import {
  type Context,
  context,
  type ContextManager,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import OpenAI from 'openai'
import { freePorts } from '../lib/free-ports.ts'
import { Service } from '../lib/service.ts'
import { findTrace, type FoundStep, type FoundTrace } from './found-trace.ts'
import { INSTRUMENTATIONS, runAiSdk, runOpenAi } from './instrumented-agents.ts'
import { ANSWER, type Billed, MODEL, OpenAiStandIn } from './openai-stand-in.ts'

let service: Service
let grpcPort = 0

before(async () => {
  const [port = 0] = await freePorts(1)
  grpcPort = port
  service = await Service.start({ environment: { SPOOR_OTLP_GRPC_PORT: String(port) } })
  context.setGlobalContextManager(contextManager())
})

after(async () => {
  context.disable()
  await service[Symbol.asyncDispose]()
})

/** As the SDK for Node has it, without its package. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...of) => storage.run(active, () => run.call(self as never, ...of)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}

const read = (otelTraceId: string) => findTrace(service, otelTraceId)

const resource = resourceFromAttributes({ 'service.name': 'shop', 'service.version': '1.2.3' })

/** What the stand-in of a model says that it has billed. */
const BILLED = [
  { input: 1200, output: 80 },
  { input: 2500, output: 310 },
]

/** An agent instrumented by the conventions of generative AI. Returns its trace id. */
function runAgent(provider: BasicTracerProvider): string {
  const tracer = provider.getTracer('shop-agent', '1.0.0')
  const root = tracer.startSpan('invoke_agent shop', {
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'shop', 'session.id': 'session-1' },
  })
  const inRoot = trace.setSpan(context.active(), root)
  for (const [at, { input, output }] of BILLED.entries()) {
    const chat = tracer.startSpan('chat gpt-5', { attributes: { 'gen_ai.operation.name': 'chat' } }, inRoot)
    chat.setAttributes({
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.response.model': 'gpt-5-2026-05-01',
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read.input_tokens': 1000,
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: `question ${at}` }] }]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: `answer ${at}` }], finish_reason: 'stop' },
      ]),
    })
    chat.end()
  }
  failTool(tracer.startSpan('execute_tool pay', { attributes: { 'gen_ai.operation.name': 'execute_tool' } }, inRoot))
  root.end()
  return root.spanContext().traceId
}

function failTool(span: Span): void {
  span.recordException(new RangeError('no such card'))
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' })
  span.end()
}

const EXPORTERS: Readonly<Record<string, (url: string, headers: Record<string, string>) => SpanExporter>> = {
  'protobuf, gzip, at /otlp': (url, headers) =>
    new ProtobufExporter({ url: `${url}/otlp/v1/traces`, headers, compression: 'gzip' as never }),
  'protobuf at /v1/traces': (url, headers) => new ProtobufExporter({ url: `${url}/v1/traces`, headers }),
  'gRPC, gzip': (_url, headers) => {
    const metadata = new Metadata()
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
    return new GrpcExporter({ url: `http://127.0.0.1:${grpcPort}`, metadata, compression: 'gzip' as never })
  },
  'JSON at /v1/traces': (url, headers) => new JsonExporter({ url: `${url}/v1/traces`, headers }),
}

for (const [name, create] of Object.entries(EXPORTERS)) {
  test(`the exporter of the OpenTelemetry SDK: ${name}`, async () => {
    const exporter = create(service.url, { authorization: `Bearer ${service.key}` })
    const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] })
    const traceId = runAgent(provider)
    await provider.forceFlush()
    const found = await read(traceId)
    assert.deepEqual([found.name, found.status, found.session_id, found.step_count], ['shop', 'error', 'session-1', 4])
    assert.deepEqual([found.metadata['service.name'], found.metadata['version']], ['shop', '1.2.3'])
    const billed = BILLED.reduce((sum, { input, output }) => [sum[0]! + input, sum[1]! + output], [0, 0])
    assert.deepEqual([found.token_usage.input, found.token_usage.output], billed)
    const byName = Map.groupBy(found.steps, (step) => step.name)
    const [chat] = byName.get('chat gpt-5')!
    assert.deepEqual([chat?.type, chat?.model], ['llm', 'gpt-5-2026-05-01'])
    assert.deepEqual(
      chat?.messages?.map(({ role, content }) => [role, content?.[0]?.text]),
      [
        ['user', 'question 0'],
        ['assistant', 'answer 0'],
      ],
    )
    const [tool] = byName.get('execute_tool pay')!
    const { stack, ...error } = tool?.error ?? {}
    assert.deepEqual(error, { type: 'RangeError', message: 'no such card' })
    assert.match(stack ?? '', /RangeError: no such card\n +at failTool/)
    await provider.shutdown()
  })
}

test('the SDK of Langfuse, with only its base URL changed', async () => {
  const processor = new LangfuseSpanProcessor({
    publicKey: 'pk-lf-any',
    secretKey: service.key,
    baseUrl: service.url,
    environment: 'staging',
  })
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] })
  setLangfuseTracerProvider(provider)
  let traceId = ''
  await startActiveObservation('handle-request', async (root) => {
    traceId = root.traceId
    await propagateAttributes(
      { userId: 'user-7', sessionId: 'session-7', traceName: 'checkout', metadata: { plan: 'pro' }, tags: ['a', 'b'] },
      async () => {
        root.update({ input: { question: 'price?' }, output: 'cheap' })
        const generation = root.startObservation(
          'ask-model',
          {
            model: 'gpt-5',
            input: [{ role: 'user', content: 'price?' }],
            output: { role: 'assistant', content: 'cheap' },
            usageDetails: { input: 200, output: 30, cache_read_input_tokens: 1000, total: 1230 },
          },
          { asType: 'generation' },
        )
        generation.end()
        const tool = root.startObservation(
          'look-up',
          { input: { sku: 1 }, level: 'ERROR', statusMessage: 'gone' },
          { asType: 'tool' },
        )
        tool.end()
      },
    )
  })
  await processor.forceFlush()
  const found = await read(traceId)
  assert.deepEqual(
    [found.name, found.status, found.user_id, found.session_id],
    ['checkout', 'error', 'user-7', 'session-7'],
  )
  assert.equal(found.metadata['plan'], 'pro')
  assert.equal(found.metadata['env'], 'staging')
  assert.deepEqual(found.metadata['tags'], ['a', 'b'])
  assert.deepEqual([found.token_usage.input, found.token_usage.output], [1200, 30])
  const steps = new Map(found.steps.map((step) => [step.name, step]))
  const generation = steps.get('ask-model')
  assert.deepEqual([generation?.type, generation?.model], ['llm', 'gpt-5'])
  assert.deepEqual(
    generation?.messages?.map(({ role, content }) => [role, content?.[0]?.text]),
    [
      ['user', 'price?'],
      ['assistant', 'cheap'],
    ],
  )
  assert.deepEqual([steps.get('look-up')?.type, steps.get('look-up')?.error?.message], ['tool', 'gone'])
  setLangfuseTracerProvider(null)
  await provider.shutdown()
})

test('base64 of a message becomes media of the step, and the bytes are served', async () => {
  const bytes = Buffer.alloc(70_000, 7)
  bytes.set(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  const traceId = '7f5b8efff798038103d269b633813fc6'
  const content = [{ type: 'blob', modality: 'image', mime_type: 'image/png', content: bytes.toString('base64') }]
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: content }]),
  }
  const span = {
    traceId,
    spanId: '00000000000000aa',
    name: 'chat',
    startTimeUnixNano: '1772323200000000000',
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  const headers = { 'content-type': 'application/json' }
  for (const _ of [1, 2]) {
    const answer = await service.client.call({ method: 'POST', path: '/v1/traces', headers, body })
    assert.deepEqual([answer.status, answer.text], [200, '{}'])
  }
  const [step] = (await read(traceId)).steps as readonly (FoundStep & {
    readonly attachments: readonly { readonly uri: string; readonly kind: string; readonly size_bytes: number }[]
  })[]
  assert.equal(step?.attachments.length, 1)
  const { uri, kind, size_bytes: size } = step.attachments[0]!
  assert.deepEqual([kind, size], ['image', bytes.length])
  assert.deepEqual(step.messages?.[0]?.content, [
    { type: 'blob', modality: 'image', mime_type: 'image/png', content: uri },
  ])
  const served = await service.client.get(`/v1/media/serve?uri=${encodeURIComponent(uri)}`)
  assert.deepEqual([served.status, served.headers['content-type']], [200, 'image/png'])
})

test('evaluations become metric events of defined metrics, once; a wrong value is noted and refuses nothing', async () => {
  const headers = { 'content-type': 'application/json' }
  const metric = JSON.stringify({ name: 'relevance', kind: 'numeric' })
  assert.equal((await service.client.call({ method: 'POST', path: '/v1/metrics', headers, body: metric })).status, 201)
  const traceId = '8a5b8efff798038103d269b633813fc6'
  const evaluation = (name: string, value: object) => ({
    name: 'gen_ai.evaluation.result',
    attributes: [
      { key: 'gen_ai.evaluation.name', value: { stringValue: name } },
      { key: 'gen_ai.evaluation.score.value', value },
    ],
  })
  const span = {
    traceId,
    spanId: '00000000000000ab',
    name: 'chat',
    events: [
      evaluation('relevance', { doubleValue: 0.5 }),
      evaluation('relevance', { boolValue: true }),
      evaluation('other', { doubleValue: 1 }),
    ],
    attributes: [
      { key: 'annotations.0.annotation.name', value: { stringValue: 'relevance' } },
      { key: 'annotations.0.annotation.label', value: { stringValue: 'high' } },
    ],
  }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  for (const _ of [1, 2]) {
    const answer = await service.client.call({ method: 'POST', path: '/v1/traces', headers, body })
    const { partialSuccess } = answer.json<{ partialSuccess: { rejectedSpans: string; errorMessage: string } }>()
    assert.equal(partialSuccess.rejectedSpans, '0')
    assert.match(partialSuccess.errorMessage, /^the evaluation "relevance" is on its step only/)
  }
  const { id, steps } = await read(traceId)
  const listed = await service.client.get(`/v1/metrics/events?trace_id=${id}`)
  const { events } = listed.json<{ events: readonly { name: string; value: number; step_id: string }[] }>()
  assert.deepEqual(
    events.map(({ name, value, step_id: stepId }) => ({ name, value, stepId })),
    [{ name: 'relevance', value: 0.5, stepId: (steps[0] as FoundStep & { id: string }).id }],
  )
})

test('a project takes spans about agents only, by its own setting, and the others are in the metrics', async () => {
  const headers = { 'content-type': 'application/json' }
  const listed = (await service.client.get('/v1/projects')).json<{ projects: { id: string; span_filter: string }[] }>()
  const { id, span_filter: initial } = listed.projects[0]!
  assert.equal(initial, 'keep')
  const set = async (filter: string) => {
    const body = JSON.stringify({ span_filter: filter })
    const answer = await service.client.call({ method: 'PATCH', path: `/v1/projects/${id}`, headers, body })
    assert.deepEqual([answer.status, answer.json<{ span_filter: string }>().span_filter], [200, filter])
  }
  await set('agents_only')
  const traceId = '9b5b8efff798038103d269b633813fc6'
  const span = (name: string, key: string) => ({
    traceId,
    spanId: `00000000000000c${name.length}`,
    name,
    attributes: [{ key, value: { stringValue: 'a' } }],
  })
  const spans = [span('chat', 'gen_ai.request.model'), span('query', 'db.system')]
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  const answer = await service.client.call({ method: 'POST', path: '/v1/traces', headers, body })
  assert.deepEqual([answer.status, answer.text], [200, '{}'])
  assert.deepEqual(
    (await read(traceId)).steps.map(({ name }) => name),
    ['chat'],
  )
  assert.match((await service.client.get('/metrics')).text, /^spoor_spans_filtered_total 1$/m)
  await set('keep')
})

/** The traces of one session of exports, which are sent by `run`. */
async function sentBy(run: (provider: BasicTracerProvider) => Promise<void>): Promise<FoundTrace[]> {
  const seen = new Set<string>()
  const watch = {
    onStart: () => undefined,
    onEnd: (span: { spanContext(): { traceId: string } }) => seen.add(span.spanContext().traceId),
  }
  const exporter = new ProtobufExporter({
    url: `${service.url}/otlp/v1/traces`,
    headers: { 'x-api-key': service.key },
  })
  const processors = [
    new BatchSpanProcessor(exporter),
    { ...watch, forceFlush: async () => undefined, shutdown: async () => undefined },
  ]
  const provider = new BasicTracerProvider({ resource, spanProcessors: processors as never })
  await run(provider)
  await provider.shutdown()
  return Promise.all([...seen].map(read))
}

/** What the traces count, added up. */
function spent(traces: readonly FoundTrace[]): Billed {
  const sum = { input: 0, output: 0, cache_read: 0, reasoning: 0 }
  for (const { token_usage: usage } of traces) {
    for (const name of ['input', 'output', 'cache_read', 'reasoning'] as const) sum[name] += usage[name]
  }
  return sum
}

test('AI SDK 7: tokens count once, messages and tools are steps of one tree', async () => {
  let billed: Billed | null = null
  const traces = await sentBy(async (provider) => {
    billed = await runAiSdk(provider)
  })
  assert.deepEqual(spent(traces), billed)
  assert.deepEqual(
    traces.map(({ name }) => name),
    ['forecast', 'forecast'],
  )
  const whole = traces.find(({ step_count: count }) => count === 6)!
  const ofType = Map.groupBy(whole.steps, ({ type }) => type)
  const names = (type: string) => ofType.get(type)?.map(({ name }) => name)
  assert.deepEqual(names('llm'), [`chat ${MODEL}`, `chat ${MODEL}`])
  assert.deepEqual(names('tool'), ['weather'])
  const roots = whole.steps.filter(({ parent_step_id: parent }) => parent === null)
  assert.deepEqual(
    roots.map(({ name }) => name),
    [`invoke_agent ${MODEL}`],
  )
  assert.deepEqual(
    ofType
      .get('llm')
      ?.at(-1)
      ?.messages?.map(({ role, content }) => [role, content?.[0]?.text ?? content?.[0]?.type]),
    [
      ['system', 'Be brief.'],
      ['user', 'What is the weather in Bern?'],
      ['assistant', 'tool_call'],
      ['tool', 'tool_call_response'],
      ['assistant', ANSWER],
    ],
  )
})

for (const [name, create] of Object.entries(INSTRUMENTATIONS)) {
  test(`${name} on the client of OpenAI: what the API bills, messages and tools`, async () => {
    await using api = await OpenAiStandIn.start()
    const instrumentation = create()
    instrumentation.manuallyInstrument(OpenAI)
    const run = (stream: boolean) =>
      sentBy(async (provider) => {
        instrumentation.setTracerProvider(provider)
        await runOpenAi(api.baseUrl, { stream })
        // The span of a stream ends after its last chunk was read.
        await new Promise(setImmediate)
      })
    const whole = await run(false)
    const { input, output, cache_read: cached, reasoning } = api.billed
    // The instrumentation of Traceloop sends neither of the last two.
    const details = name === 'OpenLLMetry' ? { cache_read: 0, reasoning: 0 } : { cache_read: cached, reasoning }
    assert.deepEqual(spent(whole), { input, output, ...details })
    api.reset()
    const streamed = await run(true)
    // Neither instrumentation sends the usage of a stream: only the first turn, which is none, has one.
    assert.deepEqual([spent(streamed).input, spent(streamed).output], [100, 20])
    for (const traces of [whole, streamed]) {
      const steps = traces.flatMap(({ steps: found }) => found)
      assert.deepEqual([steps.length, steps.every(({ type }) => type === 'llm')], [2, true])
      const last = steps.find(({ messages }) => messages?.length === 5)
      assert.deepEqual(
        last?.messages?.map(({ role }) => role),
        ['system', 'user', 'assistant', 'tool', 'assistant'],
      )
      assert.equal(last?.messages?.at(-1)?.content?.[0]?.text, ANSWER)
    }
    instrumentation.disable()
  })
}

test('a Collector whose connection is cut after it has sent everything sends the same again: it counts once', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const attribute = (key: string, value: object) => ({ key, value })
  const span = {
    traceId,
    spanId: '00f067aa0ba902b7',
    name: 'chat',
    startTimeUnixNano: '1772323200000000000',
    endTimeUnixNano: '1772323201000000000',
    attributes: [
      attribute('gen_ai.operation.name', { stringValue: 'chat' }),
      attribute('gen_ai.usage.input_tokens', { intValue: '7' }),
    ],
  }
  const body = gzipSync(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))
  const { hostname, port } = new URL(service.url)
  const head = [
    'POST /otlp/v1/traces HTTP/1.1',
    `host: ${hostname}`,
    `x-api-key: ${service.key}`,
    'content-type: application/json',
    'content-encoding: gzip',
    `content-length: ${body.length}`,
  ]
  for (let at = 0; at < 3; at++) {
    const socket = createConnection({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    await new Promise((resolve) =>
      socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]), resolve),
    )
    socket.destroy()
  }
  const answer = await service.client.call({
    method: 'POST',
    path: '/otlp/v1/traces',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body,
  })
  assert.equal(answer.status, 200, answer.text)
  const { step_count: count, token_usage: usage } = await read(traceId)
  assert.deepEqual([count, usage.input], [1, 7])
})
