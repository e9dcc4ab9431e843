import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import type { OtlpEncoding } from './otlp-encoding.ts'
import { parseExport } from './parse-export.ts'
import {
  exportJson,
  logsJson,
  ns,
  spanId,
  type TestRecord,
  type TestSpan,
  toRequest,
  TRACE,
} from './spans.test-support.ts'

const SCOPE = { scope: { name: '@opentelemetry/instrumentation-openai', version: '0.18.0' } }
const ROOT: TestSpan = { spanId: spanId(1), name: 'plan', startTimeUnixNano: ns(0), endTimeUnixNano: ns(90) }
const CHAT: TestSpan = {
  spanId: spanId(2),
  parentSpanId: spanId(1),
  name: 'chat gpt-5',
  kind: 3,
  startTimeUnixNano: ns(10),
  endTimeUnixNano: ns(50),
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-5',
    'gen_ai.usage.input_tokens': 120,
    'gen_ai.usage.output_tokens': 30,
  },
}
const record = (name: string, ms: number, body: unknown, more: TestRecord = {}): TestRecord => ({
  spanId: spanId(2),
  name: `gen_ai.${name}`,
  timeUnixNano: ns(ms),
  attributes: { 'gen_ai.system': 'openai' },
  body,
  ...more,
})
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }
const SYSTEM = record('system.message', 10, { content: 'Be brief.' })
const USER = record('user.message', 10, { content: 'How warm is it in Paris?' })
const ASKS = record('assistant.message', 10, { tool_calls: [CALL] })
const TOOL = record('tool.message', 10, { id: 'call_1', content: '21 degrees' })
const CHOICE = record('choice', 50, { index: 0, finish_reason: 'stop', message: { content: 'It is 21 degrees.' } })

const SAID = [
  ['system', 'Be brief.'],
  ['user', 'How warm is it in Paris?'],
  ['assistant', undefined],
  ['tool', '21 degrees'],
  ['assistant', 'It is 21 degrees.'],
]

class World extends TraceWorld {
  spans(...spans: TestSpan[]) {
    return this.#take(exportJson(spans, SCOPE))
  }

  logs(...records: TestRecord[]) {
    return this.#take(logsJson(records, SCOPE))
  }

  encoding: OtlpEncoding = 'protobuf'

  #take(json: Parameters<typeof toRequest>[1]) {
    return this.service.useCases.takeExport(toRequest(PROJECT, json, this.encoding))
  }

  async read() {
    const id = await this.service.useCases.findOtelTrace(PROJECT, TRACE)
    assert.ok(id !== null)
    const found = await this.service.useCases.read(PROJECT, id)
    const steps: StepRecord[] = []
    for await (const page of found.steps) steps.push(...page)
    return { trace: found.trace, steps }
  }
}

const NONE = { count: 0, reasons: [] }

interface Said {
  readonly role: string
  readonly content?: readonly { readonly text?: string }[]
}

function bodyOf({ body }: StepRecord) {
  return JSON.parse(body) as { readonly messages?: readonly Said[]; readonly metadata: Record<string, unknown> }
}

function saidOf(step: StepRecord) {
  return bodyOf(step).messages?.map(({ role, content }) => [role, content?.[0]?.text])
}

/** All orders of these. */
function orders<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((one, at) => orders(items.toSpliced(at, 1)).map((rest) => [one].concat(rest)))
}

test('records are joined with their span whichever comes first, and count once however often they come', async () => {
  const parts = {
    root: (world: World) => world.spans(ROOT),
    chat: (world: World) => world.spans(CHAT),
    asked: (world: World) => world.logs(SYSTEM, USER, ASKS, TOOL),
    answered: (world: World) => world.logs(CHOICE),
  }
  let expected: unknown = null
  for (const [at, order] of orders(Object.entries(parts)).entries()) {
    const world = new World()
    world.encoding = at % 2 === 0 ? 'protobuf' : 'json'
    for (const [, send] of order) assert.deepEqual(await send(world), NONE)
    const { trace, steps } = await world.read()
    const names = order.map(([name]) => name).join(' ')
    const chat = steps.find(({ name }) => name === 'chat gpt-5')!
    assert.deepEqual(saidOf(chat), SAID, names)
    const { position: _p, receivedAt: _r, body: _b, ...fields } = chat
    const { messages, metadata } = bodyOf(chat)
    const found = {
      name: trace.name,
      steps: trace.stepCount,
      tokens: trace.tokenUsage,
      models: trace.models,
      input: trace.digest.input?.text,
      output: trace.digest.output?.text,
      fields,
      messages,
      metadata,
    }
    expected ??= found
    assert.deepEqual(found, expected, names)
    assert.deepEqual([found.name, found.steps, found.tokens.input], ['plan', 2, 120])
    assert.deepEqual([found.input, found.output], ['How warm is it in Paris?', 'It is 21 degrees.'])
    for (let times = 0; times < 2; times++) for (const [, send] of order) await send(world)
    assert.deepEqual(await world.read(), { trace, steps }, names)
  }
})

test('records that come again in other groups change nothing, and equal ones of one time are all kept', async () => {
  const world = new World()
  await world.spans(CHAT)
  await world.logs(SYSTEM, USER)
  await world.logs(USER, ASKS)
  await Promise.all([world.logs(TOOL, CHOICE), world.logs(CHOICE), world.logs(ASKS, TOOL)])
  const { steps } = await world.read()
  assert.deepEqual(saidOf(steps[0]!), SAID)
  await world.logs(SYSTEM, USER, ASKS, TOOL, CHOICE)
  assert.deepEqual((await world.read()).steps, steps)

  const twice = new World()
  await twice.logs(USER, USER)
  await twice.logs(USER)
  assert.equal(saidOf((await twice.read()).steps[0]!)?.length, 2)
})

test('a later content of the span has the records of the earlier one', async () => {
  const world = new World()
  await world.spans({ ...CHAT, endTimeUnixNano: '0' })
  await world.logs(USER)
  await world.spans(CHAT)
  await world.logs(CHOICE)
  await world.spans({ ...CHAT, endTimeUnixNano: ns(60) })
  const { steps, trace } = await world.read()
  assert.deepEqual(saidOf(steps[0]!), [SAID[1], SAID[4]])
  assert.deepEqual([steps.length, trace.tokenUsage.input, trace.digest.output?.text], [1, 120, 'It is 21 degrees.'])
})

test('messages that the span has itself are not repeated', async () => {
  const input = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'How warm is it in Paris?' }] }])
  for (const recordsFirst of [true, false]) {
    const world = new World()
    const span = { ...CHAT, attributes: { ...CHAT.attributes, 'gen_ai.input.messages': input } }
    if (recordsFirst) await world.logs(USER, CHOICE)
    await world.spans(span)
    if (!recordsFirst) await world.logs(USER, CHOICE)
    assert.deepEqual(saidOf((await world.read()).steps[0]!), [SAID[1], SAID[4]])
  }
})

test('records of which the span never comes are a step of their own', async () => {
  const world = new World()
  await world.logs(SYSTEM, USER)
  const { trace, steps } = await world.read()
  assert.deepEqual([trace.name, trace.spans?.rootSeen, trace.stepCount], ['gen_ai.system.message', false, 1])
  assert.deepEqual([steps[0]!.type, steps[0]!.parentStepId, saidOf(steps[0]!)], ['other', null, SAID.slice(0, 2)])
})

test('in a project of agents only, an ancestor is kept of a span whose records came first', async () => {
  const world = new World()
  world.spanFilter = 'agents_only'
  await world.logs(USER)
  await world.spans(CHAT)
  await world.spans(ROOT)
  assert.deepEqual(
    (await world.read()).steps.map(({ name }) => name),
    ['chat gpt-5', 'plan'],
  )
})

test('details of an operation, and contents in attributes and texts, are read as those of spans', async () => {
  const world = new World()
  const list = (role: string, content: string) => [{ role, parts: [{ type: 'text', content }] }]
  await world.logs(
    record('client.inference.operation.details', 50, undefined, {
      attributes: {
        'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
        'gen_ai.input.messages': list('user', 'How warm is it in Paris?'),
        'gen_ai.output.messages': JSON.stringify(list('assistant', 'It is 21 degrees.')),
      },
    }),
  )
  await world.spans(CHAT)
  assert.deepEqual(saidOf((await world.read()).steps[0]!), [SAID[0], SAID[1], SAID[4]])

  const texts = new World()
  await texts.logs(record('user.message', 1, 'Hi'), record('choice', 2, '{"message":{"content":"Ho"}}'))
  assert.deepEqual(saidOf((await texts.read()).steps[0]!), [
    ['user', 'Hi'],
    ['assistant', 'Ho'],
  ])
})

test('Claude Code: what was asked and answered, and the calls of tools', async () => {
  const world = new World()
  const event = (name: string, ms: number, attributes: Record<string, unknown>): TestRecord => ({
    timeUnixNano: ns(ms),
    name,
    attributes: { 'session.id': 's1', ...attributes },
    body: `claude_code.${name}`,
  })
  await world.logs(
    event('user_prompt', 1, { prompt: 'How warm?' }),
    event('assistant_response', 2, { response: 'Let me look.' }),
    event('tool_result', 3, { tool_name: 'Read', tool_use_id: 'toolu_1', tool_input: '{"path":"a"}' }),
    event('assistant_response', 4, { response: 'It is 21.' }),
  )
  const prompt = { 'span.type': 'interaction', user_prompt: 'How warm?' }
  await world.spans({ ...ROOT, name: 'claude_code.interaction', attributes: prompt })
  const { trace, steps } = await world.read()
  assert.deepEqual(saidOf(steps[0]!), [
    ['user', 'How warm?'],
    ['assistant', 'Let me look.'],
    ['assistant', undefined],
    ['assistant', 'It is 21.'],
  ])
  assert.match(steps[0]!.body, /"toolu_1".{1,40}"name":"Read","arguments":"\{\\"path\\":\\"a\\"\}"/)
  assert.deepEqual([trace.name, trace.sessionId, trace.stepCount], ['How warm?', 's1', 1])

  const withheld = new World()
  await withheld.logs(event('user_prompt', 1, { prompt: '<REDACTED>' }))
  assert.equal(saidOf((await withheld.read()).steps[0]!), undefined)
})

test('other records are refused one by one, each with its reason', async () => {
  for (const encoding of ['protobuf', 'json'] as const) {
    const world = new World()
    world.encoding = encoding
    const refused = await world.logs(
      USER,
      { ...USER, name: 'http.request' },
      { ...USER, name: 'codex.user_prompt', body: 'text' },
      { body: 'a line of a log' },
      { ...USER, spanId: '' },
      { ...USER, traceId: '00'.repeat(16) },
    )
    assert.deepEqual(refused, {
      count: 5,
      reasons: [
        ...['http.request', 'codex.user_prompt', 'a line of a log'].map(
          (name) => `log records are taken only if they are contents of a call of a model, not ${name}`,
        ),
        'the span id must have 8 bytes, not all zero',
        'the trace id must have 16 bytes, not all zero',
      ],
    })
    assert.equal((await world.read()).steps.length, 1)
  }
})

test('a result of an evaluation is one of its step, with the same key when it comes again', () => {
  const result = record('evaluation.result', 60, undefined, {
    attributes: { 'gen_ai.evaluation.name': 'helpful', 'gen_ai.evaluation.score.value': 0.5 },
  })
  const parse = (records: TestRecord[]) => {
    const { body, encoding } = toRequest(PROJECT, logsJson(records))
    return parseExport(PROJECT, body, encoding, DEFAULT_LIMITS).spans[0]!
  }
  const [alone, among] = [parse([result]), parse([USER, result])]
  assert.deepEqual(alone.evaluations, among.evaluations)
  assert.deepEqual([alone.evaluations.length, alone.evaluations[0]?.score], [1, 0.5])
})

test('a large request is joined like a small one, and a step stays within its limit', async () => {
  const world = new World({ limits: { lineBytes: 200_000 } })
  const long = (at: number) => record('user.message', at, { content: `${at} `.repeat(30_000) })
  await world.spans(CHAT)
  await world.logs(long(1), long(2))
  await world.logs(long(3))
  const [step] = (await world.read()).steps
  assert.deepEqual(
    saidOf(step!)?.map(([, text]) => text?.slice(0, 2)),
    ['1 ', '2 ', '3 '],
  )
  await world.logs(long(4))
  const [cut] = (await world.read()).steps
  assert.ok(cut!.body.length <= 200_000)
  assert.match(JSON.stringify(bodyOf(cut!).metadata['spoor.problems']), /With its log records it had 24\d{4} bytes/)
})

test('what a sender writes under our key of records breaks no join', async () => {
  const forged = { id: 'a', name: 'a', time_unix_nano: '1', at: [0] }
  const values: unknown[] = [
    'text',
    7,
    [7, null, 'a'],
    { at: 1 },
    ...[{ at: 'all' }, { at: ['length', -1, 1e300] }, { time_unix_nano: 'soon' }, { time_unix_nano: 5 }, { id: 7 }].map(
      (wrong) => [{ ...forged, ...wrong }],
    ),
    Array.from({ length: 50 }, (_, at) => ({ ...forged, id: `${at}`, at: Array(50).fill(0) })),
  ]
  for (const value of values) {
    const world = new World()
    await world.spans({ ...CHAT, attributes: { ...CHAT.attributes, 'otel.log_records': value } })
    await world.logs(USER)
    await world.logs(record('user.message', 5, { content: 'And then?' }))
    const said = saidOf((await world.read()).steps[0]!) ?? []
    assert.equal(said.filter(([, text]) => text === 'And then?').length, 1, JSON.stringify(value).slice(0, 100))
    assert.ok(said.length < 10, `${said.length} messages`)
  }
})
