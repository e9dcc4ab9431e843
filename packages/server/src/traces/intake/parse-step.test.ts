import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import fc from 'fast-check'
import { DomainError } from '../../lib/domain-error.ts'
import { jsonText, mutated, objectText } from '../../lib/json/json-arbitraries.test-support.ts'
import { valueOf } from '../../lib/validation/refusal.ts'
import { parseStep } from './parse-step.ts'

const FULL_STEP = `{
  "id": "st_01h455vb4pex5vsknk084sn02q", "name": "Look up", "type": "llm", "model": "gpt-4o",
  "messages": [ {"role": "user", "content": [{"type": "text", "text": "Wo ist Café?"}, {"type": "image", "uri": "x"}], "extra": 1.0} ],
  "token_usage": {"input": 10, "output": 2, "cache_read": 20, "reasoning": 1},
  "metadata": {"a":  -0, "a": 1e400}, "idempotency_key": "k1", "parent_step_id": "st_01h455vb4pex5vsknk084sn02r",
  "status": "error", "error": {"type": "TimeoutError", "message": "took\\u0000long", "stack": "at run"},
  "started_at": "2026-01-31T12:00:00.1239+01:00", "ended_at": "2026-01-31T11:00:01Z", "attachments": []
}`

function parse(text: string | Buffer) {
  return valueOf(parseStep(typeof text === 'string' ? Buffer.from(text) : text, DEFAULT_LIMITS))
}

function problems(text: string | Buffer): string[] {
  try {
    parse(text)
  } catch (error) {
    assert.ok(error instanceof DomainError, String(error))
    return error.code === 'validation_failed'
      ? error.errors.map(({ pointer, code }) => `${pointer} ${code}`)
      : [error.code]
  }
  return []
}

test('a step with all fields', () => {
  assert.deepEqual(
    { ...parse(` \n${FULL_STEP}\t`), body: null },
    {
      id: 'st_01h455vb4pex5vsknk084sn02q',
      parentStepId: 'st_01h455vb4pex5vsknk084sn02r',
      idempotencyKey: 'k1',
      contentHash: createHash('sha256').update(FULL_STEP).digest('hex'),
      name: 'Look up',
      type: 'llm',
      model: 'gpt-4o',
      status: 'error',
      startedAt: Date.UTC(2026, 0, 31, 11, 0, 0, 123),
      endedAt: Date.UTC(2026, 0, 31, 11, 0, 1),
      firstTokenMs: null,
      tokenUsage: { input: 10, output: 2, cacheRead: 20, cacheWrite: 0, reasoning: 1, more: null },
      attachments: [],
      body: null,
      texts: ['Look up', 'TimeoutError', 'took\0long', 'Wo ist Café?', 'x', '1'],
      otherWords: 'cafe',
      said: { input: 'Wo ist Café?', output: null, error: 'TimeoutError: tooklong', errorType: 'TimeoutError' },
      calls: { tools: [], arguments: [], exchange: { call: null, given: '3fzD9ZMJy7Kr', returned: null } },
      sender: '["api","",["billed"]]',
    },
  )
})

test('the body contains the stored members byte for byte, in the order sent', () => {
  assert.equal(
    parse(FULL_STEP).body.toString(),
    '{"messages":[ {"role": "user", "content": [{"type": "text", "text": "Wo ist Café?"}, {"type": "image", "uri": "x"}], "extra": 1.0} ]' +
      ',"token_usage":{"input": 10, "output": 2, "cache_read": 20, "reasoning": 1}' +
      ',"metadata":{"a":  -0, "a": 1e400},"error":{"type": "TimeoutError", "message": "took\\u0000long", "stack": "at run"}}',
  )
  assert.equal(parse('{"m\\u0065tadata": {} ,"name":"x"}').body.toString(), '{"metadata":{}}')
})

test('the smallest step', () => {
  const step = parse('{"name":"x"}')
  assert.deepEqual([step.type, step.body.toString(), step.contentHash, step.tokenUsage], ['other', '{}', '', null])
})

test('any JSON in metadata and open message fields is stored byte for byte', () => {
  const metadata = objectText(fc.constantFrom('"a"', '"__proto__"', '"\\ud800"'), jsonText)
  fc.assert(
    fc.property(metadata, jsonText, (object, value) => {
      const messages = `[{"role":"user","x":${value}}]`
      const body = parse(`{"metadata":${object},"name":"x","messages": ${messages}}`).body
      assert.equal(body.toString(), `{"metadata":${object.trim()},"messages":${messages}}`)
    }),
  )
})

test('invalid bytes throw only DomainError', () => {
  const bytes = fc.oneof(
    mutated(fc.constant(Buffer.from(FULL_STEP))),
    mutated(jsonText.map((text) => Buffer.from(text))),
    fc.uint8Array().map(Buffer.from),
  )
  fc.assert(
    fc.property(bytes, (input) => {
      problems(input)
    }),
    { numRuns: 5000 },
  )
})

test('the result shares no memory with the line', () => {
  const line = Buffer.from(FULL_STEP)
  const { body } = parse(line)
  const before = body.toString()
  line.fill(0)
  assert.equal(body.toString(), before)
})

test('encoding and syntax', () => {
  assert.deepEqual(problems(Buffer.from([0x22, 0xff, 0x22])), ['invalid_encoding'])
  assert.deepEqual(problems(Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1')), ['invalid_encoding'])
  assert.deepEqual(problems('\ufeff{"name":"x"}'), ['malformed_json'])
  assert.throws(() => parse('\ufeff{"name":"x"}'), /byte order mark/)
  assert.throws(() => parse('{"name":\n "x",}'), /Line 2, column 6 \(byte 14\): a key in double quotes is expected/)
  assert.deepEqual(problems(''), ['malformed_json'])
})

test('depth is checked before syntax; the deepest allowed nesting passes', () => {
  const nested = (depth: number) => `{"name":"x","metadata":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`
  assert.deepEqual(problems(nested(62)), [])
  assert.deepEqual(problems(nested(63)), [' too_deep'])
  assert.deepEqual(problems('['.repeat(1_000_000)), [' too_deep'])
})

test('each problem has its field and code', () => {
  const name = '"name":"x"'
  for (const [text, expected] of [
    ['{}', ['/name required']],
    ['1', [' wrong_type']],
    ['[]', [' wrong_type']],
    ['{"name":""}', ['/name too_short']],
    [`{"name":"${'x'.repeat(1001)}"}`, ['/name too_long']],
    ['{"name":null}', ['/name wrong_type']],
    ['{"name":"\\ud800"}', ['/name invalid_value']],
    ['{"name":"a\\u0000"}', ['/name invalid_value']],
    [`{${name},"model":""}`, ['/model too_short']],
    [`{${name},"type":"a b"}`, ['/type invalid_format']],
    [`{${name},"type":"${'x'.repeat(65)}"}`, ['/type too_long']],
    [`{${name},"id":"st_1"}`, ['/id invalid_format']],
    [`{${name},"id":"tr_01h455vb4pex5vsknk084sn02q"}`, ['/id invalid_format']],
    [`{${name},"status":"failed"}`, ['/status invalid_value']],
    [`{${name},"messages":[{}]}`, ['/messages/0/role required']],
    [`{${name},"messages":[{"role":"u","content":"x"}]}`, ['/messages/0/content wrong_type']],
    [
      `{${name},"messages":[{"role":"u","content":[{"text":1}]}]}`,
      ['/messages/0/content/0/type required', '/messages/0/content/0/text wrong_type'],
    ],
    [`{${name},"token_usage":{"input":1e400}}`, ['/token_usage/input out_of_range']],
    [`{${name},"token_usage":{"input":9007199254740992}}`, ['/token_usage/input out_of_range']],
    [`{${name},"token_usage":{"input":1.5}}`, ['/token_usage/input wrong_type']],
    [`{${name},"token_usage":{"total":1}}`, ['/token_usage/total unknown_field']],
    [`{${name},"token_usage":{"input":1,"inp\\u0075t":1}}`, ['/token_usage/input duplicate_field']],
    [`{${name},"error":{"type":"\\udc00","type":"x"}}`, ['/error/type duplicate_field']],
    [`{${name},"error":{"message":"\\udc00"}}`, ['/error/message invalid_value']],
    [`{${name},${name}}`, ['/name duplicate_field']],
    [`{${name},"token_usage":{},"token_usage":{"input":1}}`, ['/token_usage duplicate_field']],
    [`{${name},"__proto__":{}}`, ['/__proto__ unknown_field']],
    [`{${name},"0":1}`, ['/0 unknown_field']],
    [`{${name},"started_at":"2026-02-30T00:00:00Z"}`, ['/started_at invalid_format']],
    [`{${name},"started_at":"2026-02-20"}`, ['/started_at invalid_format']],
    [`{${name},"started_at":"1970-01-01T00:00:00+01:00"}`, ['/started_at out_of_range']],
    [`{${name},"started_at":"2026-01-02T00:00:00Z","ended_at":"2026-01-01T00:00:00Z"}`, ['/ended_at out_of_range']],
    [`{${name},"metadata":{"${'k'.repeat(201)}":1}}`, [`/metadata/${'k'.repeat(200)}… too_long`]],
    [`{${name},"metadata":{${Array.from({ length: 257 }, (_, i) => `"k${i}":1`).join(',')}}}`, ['/metadata too_many']],
    [
      `{${name},"id":"st_01h455vb4pex5vsknk084sn02q","parent_step_id":"st_01h455vb4pex5vsknk084sn02q"}`,
      ['/parent_step_id invalid_value'],
    ],
    [`{${name},"attachments":[{"uri":"media://p/1"}]}`, ['/attachments/0/uri attachment_not_found']],
    [
      '{"nam":"x","status":1,"ended_at":5}',
      ['/name required', '/status invalid_value', '/ended_at wrong_type', '/nam unknown_field'],
    ],
  ] as const) {
    assert.deepEqual(problems(text), expected, text.slice(0, 80))
  }
})

test('a step with more members than there are fields is refused before they are read', () => {
  const many = (value: string) => Array.from({ length: 40 }, (_, i) => `"k${i}":${value}`).join(',')
  assert.deepEqual(problems(`{${many('1')},"nam\\u0065":"x"}`).slice(0, 2), ['/k0 unknown_field', '/k1 unknown_field'])
  assert.equal(problems(`{${many('1')}}`).length, 20)
  assert.deepEqual(problems(`{"name":"x",${'"nam\\u0065":"x",'.repeat(40)}"type":"x"}`)[0], '/name duplicate_field')
  assert.deepEqual(problems(`{"name":"x","token_usage":{${many('1')}}}`), ['/token_usage too_many'])
  // No value of it reaches the parser, which would refuse these.
  assert.equal(problems(`{${many('nul')}}`)[0], '/k0 unknown_field')
  assert.deepEqual(problems(`{"\\x":1,${many('1')}}`), ['malformed_json'])
})

test('valid edge cases pass', () => {
  for (const text of [
    `{"name":"${'😀'.repeat(1000)}"}`,
    '{"name":"x","type":"LLM.v2_a-b","token_usage":{"input":9007199254740991,"output":-0,"cache_read":1e3}}',
    '{"name":"x","messages":[{"role":"","content":[]},{"role":"a","content":[{"type":"t"}]}],"token_usage":{},"error":{}}',
    `{"name":"x","metadata":{${Array.from({ length: 256 }, (_, i) => `"k${i}":1`).join(',')}}}`,
    '{"name":"x","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:00Z"}',
  ]) {
    assert.deepEqual(problems(text), [], text.slice(0, 80))
  }
})
