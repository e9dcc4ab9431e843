import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import type { PreparedExport } from '../../../ports/traces/prepared.ts'
import { PROJECT } from '../../trace-builders.test-support.ts'
import type { OtlpEncoding } from '../otlp-encoding.ts'
import { parseExport } from '../parse-export.ts'
import { exportJson, ns, spanId, type TestSpan, toProtobuf } from '../spans.test-support.ts'

const ENCODINGS: readonly OtlpEncoding[] = ['protobuf', 'json']
const CHILD = { parentSpanId: spanId(9) }

function parse(spans: readonly TestSpan[], encoding: OtlpEncoding): PreparedExport {
  const json = exportJson(spans, { scope: { name: 'spoor' } })
  const bytes = encoding === 'json' ? Buffer.from(JSON.stringify(json)) : toProtobuf(json)
  return parseExport(PROJECT, bytes, encoding, DEFAULT_LIMITS)
}

function inBoth(span: TestSpan): PreparedExport {
  const [protobuf, json] = ENCODINGS.map((encoding) => parse([span], encoding)) as [PreparedExport, PreparedExport]
  assert.deepEqual(protobuf, json)
  return json
}

const STEP: TestSpan = {
  ...CHILD,
  name: 'answer',
  status: { code: 2, message: 'failed' },
  attributes: {
    'spoor.step.type': 'my-planner',
    'spoor.step.model': 'own-model',
    'gen_ai.response.model': 'other-model',
    'gen_ai.operation.name': 'chat',
    'spoor.step.messages': ' [{"role":"user","content":[{"type":"text","text":"Wo?"}],"score":1.0}]',
    'spoor.step.usage': '{"input": 7, "output": 2, "cache_read": 90}',
    'gen_ai.usage.input_tokens': 1000,
    'spoor.step.metadata': ' {"attempt": 1.0, "otel.span_id": "mine"} ',
    'spoor.step.error': '{"type": "TimeoutError", "message": "took too long"}',
    extra: 5,
  },
}

test('fields of a recorder win over all others, and their bytes are stored as they were sent', () => {
  const { spans, rejected } = inBoth(STEP)
  assert.equal(rejected.count, 0)
  const [{ step, facts, isTrace, isAboutAgents }] = spans as [(typeof spans)[0]]
  assert.deepEqual(
    [step.name, step.type, step.model, step.status, step.texts],
    ['answer', 'my-planner', 'own-model', 'error', ['answer', 'TimeoutError', 'took too long', 'Wo?', '1']],
  )
  // On a step of any type, and as sent: the input includes what was cached, or not.
  assert.deepEqual(step.tokenUsage, { input: 7, output: 2, cacheRead: 90, cacheWrite: 0, reasoning: 0, more: null })
  assert.equal(
    step.body.toString(),
    '{"messages": [{"role":"user","content":[{"type":"text","text":"Wo?"}],"score":1.0}]' +
      ',"token_usage":{"input": 7, "output": 2, "cache_read": 90}' +
      ',"metadata":{"attempt": 1.0, "otel.span_id": "mine","otel.scope.name":"spoor","gen_ai.response.model":"other-model"' +
      ',"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":1000,"extra":5}' +
      ',"error":{"type": "TimeoutError", "message": "took too long"}}',
  )
  assert.deepEqual([isTrace, isAboutAgents, facts.isRoot], [false, true, false])
})

test('an error does not set the status, as in a body of the API', () => {
  const { spans } = inBoth({ ...CHILD, attributes: { 'spoor.step.error': '{"message":"retried"}' } })
  assert.deepEqual([spans[0]?.step.status, spans[0]?.step.type], [null, 'other'])
  assert.match(spans[0]!.step.body.toString(), /"error":\{"message":"retried"\}/)
})

test('a span that is the trace itself says what the trace is', () => {
  const { spans } = inBoth({
    name: 'booking',
    startTimeUnixNano: ns(5),
    endTimeUnixNano: ns(9),
    status: { code: 2, message: 'no seats' },
    attributes: {
      'spoor.span.kind': 'trace',
      'spoor.trace.run_type': 'chat',
      'spoor.trace.session_id': 's1',
      'spoor.trace.user_id': 'u1',
      'spoor.trace.metadata': '{"plan":"pro","nested":{"a":[1]}}',
      'session.id': 'other',
      host: 'a',
      plan: 'unused',
    },
  })
  const [{ step, facts, isTrace }] = spans as [(typeof spans)[0]]
  assert.equal(isTrace, true)
  assert.deepEqual([step.status, step.endedAt! - step.startedAt!], ['error', 4])
  assert.deepEqual(facts, {
    isRoot: true,
    name: 'booking',
    nameRank: -1,
    runType: 'chat',
    isRunTypeGiven: true,
    sessionId: 's1',
    userId: 'u1',
    metadata: {
      plan: 'pro',
      nested: { a: [1] },
      error: { message: 'no seats' },
      'session.id': 'other',
      host: 'a',
    },
  })
})

test('facts of the trace are taken from any span', () => {
  const { spans } = inBoth({ ...CHILD, attributes: { 'spoor.trace.name': 'given', 'spoor.trace.metadata': '{"a":1}' } })
  const { isRoot, name, nameRank, runType, metadata } = spans[0]!.facts
  assert.deepEqual([isRoot, name, nameRank, runType, metadata], [false, 'given', -1, null, { a: 1 }])
})

test('large base64 in the messages of a recorder becomes media', () => {
  const data = Buffer.alloc(70_000, 'x').toString('base64')
  const image = { type: 'image', mime_type: 'image/png', data }
  const { spans, media } = inBoth({
    ...CHILD,
    attributes: {
      'spoor.step.messages': JSON.stringify([{ role: 'user', content: [image] }]),
      'spoor.step.metadata': '{"exact": 1.0}',
    },
  })
  const body = spans[0]!.step.body.toString()
  assert.deepEqual(spans[0]?.step.attachments, [media[0]?.sha256])
  assert.equal(body.includes(`"data":"media://${PROJECT}/${media[0]!.sha256}"`), true)
  assert.equal(body.includes('"exact": 1.0'), true)
})

const A_HASH = 'a'.repeat(64)

test('attachments link media of the project, each once', () => {
  const uri = `media://${PROJECT}/${A_HASH}`
  const { spans } = inBoth({ ...CHILD, attributes: { 'spoor.step.attachments': JSON.stringify([{ uri }, { uri }]) } })
  assert.deepEqual([spans[0]?.step.attachments, spans[0]?.links], [[A_HASH], [A_HASH]])
})

interface Body {
  readonly metadata: Record<string, unknown>
  readonly messages?: readonly unknown[]
  readonly token_usage?: unknown
  readonly error?: unknown
}

const bodyOf = ({ spans }: PreparedExport) => JSON.parse(spans[0]!.step.body.toString()) as Body

test('a value that breaks a rule is moved aside: the step and what is good of it are kept, and both places say so', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const message = { role: 'user', content: [{ type: 'text', text: 'keep me' }] }
  const wrong: readonly (readonly [attribute: string, value: unknown, reason: RegExp, left?: Partial<Body>])[] = [
    ['spoor.step.type', 'a b', /^spoor\.step\.type: /],
    ['spoor.step.type', 5, /^spoor\.step\.type: It must be a string/],
    ['spoor.step.model', '', /^spoor\.step\.model: /],
    ['spoor.step.messages', '[', /^spoor\.step\.messages: It must be a string of JSON/],
    ['spoor.step.messages', '[],"name":"y"', /^spoor\.step\.messages: It must be a string of JSON/],
    ['spoor.step.messages', '{}', /^spoor\.step\.messages: /],
    [
      'spoor.step.messages',
      `[{"role":1},${JSON.stringify(message)},7]`,
      /^spoor\.step\.messages\/0\/role: /,
      { messages: [message] },
    ],
    ['spoor.step.messages', `[${deep(70)}]`, /nested more than/],
    ['spoor.step.messages', `[${deep(1000)}]`, /nested more than/],
    ['spoor.step.usage', '{"input":-1,"output":3}', /^spoor\.step\.usage\/input: /, { token_usage: { output: 3 } }],
    ['spoor.step.usage', '{"input":1.5,"output":3}', /^spoor\.step\.usage\/input: /, { token_usage: { output: 3 } }],
    [
      'spoor.step.usage',
      '{"input":1,"input":2}',
      /^spoor\.step\.usage\/input: .*more than once/,
      { token_usage: { input: 2 } },
    ],
    ['spoor.step.usage', '{"total":1}', /^spoor\.step\.usage\/total: /, { token_usage: {} }],
    ['spoor.step.metadata', '[1]', /^spoor\.step\.metadata: /],
    ['spoor.step.metadata', JSON.stringify({ ['k'.repeat(201)]: 1, a: 2 }), /^spoor\.step\.metadata\/kkk/],
    ['spoor.step.error', '"no"', /^spoor\.step\.error: /],
    ['spoor.step.error', '{"type":7,"message":"no"}', /^spoor\.step\.error\/type: /, { error: { message: 'no' } }],
    ['spoor.step.attachments', '[{"uri":"media://other/1"}]', /^spoor\.step\.attachments\/0\/uri: /],
  ]
  for (const [attribute, value, reason, left] of wrong) {
    for (const encoding of ENCODINGS) {
      const about = `${encoding}: ${attribute} ${String(value).slice(0, 40)}`
      const found = parse([{ ...CHILD, name: 'kept', attributes: { [attribute]: value, other: 'kept' } }], encoding)
      assert.deepEqual([found.spans[0]?.step.name, found.rejected.count], ['kept', 0], about)
      assert.match(found.rejected.reasons[0]!, reason, about)
      const { metadata, ...body } = bodyOf(found)
      assert.equal(metadata['other'], 'kept', about)
      assert.ok((metadata['spoor.problems'] as unknown[]).length > 0, about)
      if (left !== undefined) assert.deepEqual(body, left, about)
    }
  }
})

test('what is moved aside is told with its place and its value, digit for digit', () => {
  const found = inBoth({
    ...CHILD,
    attributes: {
      'spoor.step.usage': '{"input": -9007199254740993, "output": 3}',
      'spoor.step.metadata': '{"exact": 1.0}',
    },
  })
  assert.deepEqual(found.spans[0]?.step.tokenUsage, {
    input: 0,
    output: 3,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
    more: null,
  })
  assert.match(
    found.spans[0]!.step.body.toString(),
    /"exact":1\.0,"spoor\.problems":\[\{"field":"token_usage\.input","problem":"[^"]+","value":-9007199254740993\}\]/,
  )
})

test('metadata with too many keys keeps them all, the surplus ones in a key of their own', () => {
  const given = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`k${at}`, at]))
  const { metadata } = bodyOf(inBoth({ ...CHILD, attributes: { 'spoor.step.metadata': JSON.stringify(given) } }))
  const { 'otel.more_attributes': more, ...others } = metadata
  for (const [key, value] of Object.entries(given)) assert.equal(others[key] ?? (more as Body['metadata'])[key], value)
  assert.equal(Object.keys(others).filter((key) => key in given).length, DEFAULT_LIMITS.metadataKeys - 2)
})

test('hundreds of bad messages are moved aside together', () => {
  const messages = Array.from({ length: 300 }, (_, at) => ({ role: at }))
  const found = inBoth({ ...CHILD, attributes: { 'spoor.step.messages': JSON.stringify(messages) } })
  const { metadata, messages: left } = bodyOf(found)
  const told = metadata['spoor.problems'] as readonly { readonly value: unknown }[]
  assert.deepEqual(left, [])
  assert.equal(told.flatMap(({ value }) => value).length, 300)
  const mixed = Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? { role: at } : { role: 'user', content: [] }))
  const some = inBoth({ ...CHILD, attributes: { 'spoor.step.messages': JSON.stringify(mixed) } })
  assert.equal(bodyOf(some).messages?.length, 200)
})

test('256 keys that are too long are moved together, and keys of an own list of problems are kept', () => {
  const keys = Object.fromEntries(Array.from({ length: 256 }, (_, at) => [`${'k'.repeat(300)}${at}`, at]))
  const own = { ...keys, 'spoor.problems': 'mine' }
  const { metadata } = bodyOf(inBoth({ ...CHILD, attributes: { 'spoor.step.metadata': JSON.stringify(own) } }))
  assert.equal(Object.keys(metadata['otel.more_attributes'] as object).length, 256)
  assert.equal((metadata['spoor.problems'] as unknown[])[0], 'mine')
})

test('surplus keys of the recorder and surplus attributes are put together', () => {
  const of = (prefix: string) => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${prefix}${at}`, at]))
  const attributes = { 'spoor.step.metadata': JSON.stringify(of('own')), ...of('other') }
  const { metadata } = bodyOf(inBoth({ ...CHILD, attributes }))
  const all = { ...metadata, ...(metadata['otel.more_attributes'] as object) } as Record<string, unknown>
  for (const prefix of ['own', 'other']) assert.equal(all[`${prefix}299`], 299)
  assert.equal(Object.keys(all).filter((key) => /^(own|other)\d/.test(key)).length, 600)
})

test('a bad value about the trace is told in the metadata of the trace', () => {
  const wrong: readonly (readonly [attribute: string, value: unknown, reason: RegExp])[] = [
    ['spoor.trace.name', '', /^spoor\.trace\.name: /],
    ['spoor.trace.run_type', '!', /^spoor\.trace\.run_type: /],
    ['spoor.trace.session_id', 'a\0b', /^spoor\.trace\.session_id: /],
    ['spoor.trace.user_id', 'x'.repeat(1001), /^spoor\.trace\.user_id: /],
    ['spoor.trace.metadata', '{', /^spoor\.trace\.metadata: It must be a string of JSON/],
    ['spoor.trace.metadata', 'null', /^spoor\.trace\.metadata: /],
    ['spoor.trace.metadata', JSON.stringify({ long: 'x'.repeat(300_000) }), /^spoor\.trace\.metadata: /],
  ]
  for (const [attribute, value, reason] of wrong) {
    const { spans, rejected } = inBoth({ name: 'root', attributes: { [attribute]: value } })
    assert.deepEqual([spans.length, rejected.count, spans[0]?.facts.name], [1, 0, 'root'], attribute)
    assert.match(rejected.reasons[0]!, reason)
    assert.ok('spoor.problems' in spans[0]!.facts.metadata, attribute)
  }
  const both = inBoth({
    name: 'root',
    attributes: {
      'spoor.span.kind': 'trace',
      'spoor.trace.run_type': '!',
      'spoor.step.error': `"${'e'.repeat(300_000)}"`,
    },
  })
  const told = both.spans[0]!.facts.metadata['spoor.problems'] as readonly { readonly field: string }[]
  assert.deepEqual(told.map(({ field }) => field).sort(), ['error', 'run_type'])
  assert.ok(JSON.stringify(both.spans[0]!.facts.metadata).length < DEFAULT_LIMITS.metadataBytes)
  const shortened = inBoth({
    name: 'root',
    attributes: { 'spoor.trace.user_id': 'x'.repeat(1001), 'spoor.trace.session_id': 'a\0b' },
  })
  assert.deepEqual([shortened.spans[0]?.facts.userId, shortened.spans[0]?.facts.sessionId], ['x'.repeat(1000), 'ab'])
})
