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

test('a malformed value refuses its span alone, and the answer names the attribute and the place', () => {
  const wrong: readonly (readonly [attribute: string, value: unknown, reason: string | RegExp])[] = [
    ['spoor.span.kind', 'tracer', 'spoor.span.kind: it must be `trace`'],
    ['spoor.step.type', 'a b', /^spoor\.step\.type: /],
    ['spoor.step.type', 5, 'spoor.step.type: it must be a string'],
    ['spoor.step.model', '', /^spoor\.step\.model: /],
    ['spoor.step.messages', '[', 'spoor.step.messages: it must be a string of JSON'],
    ['spoor.step.messages', '[],"name":"y"', 'spoor.step.messages: it must be a string of JSON'],
    ['spoor.step.messages', '{}', /^spoor\.step\.messages: /],
    ['spoor.step.messages', '[{"role":1}]', /^spoor\.step\.messages\/0\/role: /],
    ['spoor.step.messages', '['.repeat(70) + ']'.repeat(70), /nested more than/],
    ['spoor.step.usage', '{"input":-1}', /^spoor\.step\.usage\/input: /],
    ['spoor.step.usage', '{"input":1,"input":2}', /^spoor\.step\.usage\/input: .*more than once/],
    ['spoor.step.usage', '{"total":1}', /^spoor\.step\.usage\/total: /],
    ['spoor.step.usage', { input: 1 }, 'spoor.step.usage: it must be a string'],
    ['spoor.step.metadata', '[1]', /^spoor\.step\.metadata: /],
    ['spoor.step.metadata', JSON.stringify({ ['k'.repeat(201)]: 1 }), /^spoor\.step\.metadata\/kkk/],
    ['spoor.step.error', '"no"', /^spoor\.step\.error: /],
    ['spoor.step.attachments', '[{"uri":"media://other/1"}]', /^spoor\.step\.attachments\/0\/uri: /],
    ['spoor.trace.name', '', /^spoor\.trace\.name: /],
    ['spoor.trace.run_type', '!', /^spoor\.trace\.run_type: /],
    ['spoor.trace.session_id', 'a\0b', /^spoor\.trace\.session_id: /],
    ['spoor.trace.user_id', 'x'.repeat(1001), /^spoor\.trace\.user_id: /],
    ['spoor.trace.metadata', '{', 'spoor.trace.metadata: it must be a string of JSON'],
    ['spoor.trace.metadata', 'null', /^spoor\.trace\.metadata: /],
  ]
  for (const [attribute, value, reason] of wrong) {
    for (const encoding of ENCODINGS) {
      const bad = { ...CHILD, attributes: { [attribute]: value } }
      const { spans, rejected } = parse([bad, { name: 'good', spanId: spanId(7) }], encoding)
      const about = `${encoding}: ${attribute} ${String(value).slice(0, 20)} ${rejected.reasons.join()}`
      assert.deepEqual([spans.map(({ step }) => step.name), rejected.count], [['good'], 1], about)
      if (typeof reason === 'string') assert.equal(rejected.reasons[0], reason)
      else assert.match(rejected.reasons[0]!, reason)
    }
  }
})
