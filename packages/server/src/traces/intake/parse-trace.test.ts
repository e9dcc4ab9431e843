import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import fc from 'fast-check'
import { DomainError } from '../../lib/domain-error.ts'
import { jsonText, mutated, objectText } from '../../lib/json/json-arbitraries.test-support.ts'
import { valueOf } from '../../lib/validation/refusal.ts'
import { parseStep } from './parse-step.ts'
import { parseTrace } from './parse-trace.ts'

const STEPS = [
  '{"name": "plan", "type": "llm", "messages": [{"role": "user"}], "token_usage": {"input": 1}}',
  '{"name": "résumé", "metadata": {"k" : "v"}, "idempotency_key": "a"}',
  '{"name": "x"}',
]
const FULL_TRACE = `{"name": "airline agent", "run_type": "eval", "metadata": { "env": "prod", "n": 1.0 },
  "st\\u0065ps": [ ${STEPS.join(' ,\n')} ], "status": "ok", "started_at": "2026-01-31T12:00:00Z", "ended_at": "2026-01-31T12:00:01.5Z",
  "session_id": "s", "user_id": "u"}`

function parse(text: string | Buffer, limits = DEFAULT_LIMITS) {
  return parseTrace(typeof text === 'string' ? Buffer.from(text) : text, limits)
}

function problems(text: string | Buffer, limits = DEFAULT_LIMITS): string[] {
  try {
    parse(text, limits)
  } catch (error) {
    assert.ok(error instanceof DomainError, String(error))
    return error.code === 'validation_failed'
      ? error.errors.map(({ pointer, code }) => `${pointer} ${code}`)
      : [error.code]
  }
  return []
}

test('a trace with all fields; each step is parsed as it would be alone', () => {
  const { steps, metadata, ...trace } = parse(FULL_TRACE)
  assert.deepEqual(trace, {
    name: 'airline agent',
    runType: 'eval',
    ownStatus: 'ok',
    ownStartedAt: Date.UTC(2026, 0, 31, 12, 0, 0),
    ownEndedAt: Date.UTC(2026, 0, 31, 12, 0, 1, 500),
    sessionId: 's',
    userId: 'u',
  })
  assert.equal(metadata.toString(), '{ "env": "prod", "n": 1.0 }')
  assert.deepEqual(
    steps,
    STEPS.map((step) => valueOf(parseStep(Buffer.from(step), DEFAULT_LIMITS))),
  )
})

test('the smallest trace', () => {
  const trace = parse(' {"name":"x"} ')
  assert.deepEqual([trace.runType, trace.metadata.toString(), trace.steps], ['agent', '{}', []])
  assert.deepEqual(parse('{"name":"x","steps":[]}').steps, [])
})

test('metadata and steps are stored byte for byte', () => {
  const object = objectText(fc.constantFrom('"a"', '"__proto__"', '"\\ud800"'), jsonText)
  fc.assert(
    fc.property(object, fc.array(object), (metadata, stepMetadata) => {
      const steps = stepMetadata.map((text) => `{"metadata": ${text},"name":"s"}`)
      const trace = parse(`{"steps":[${steps.join(',')}],"name":"x","metadata":${metadata}}`)
      assert.equal(trace.metadata.toString(), metadata)
      assert.deepEqual(
        trace.steps.map(({ body }) => body.toString()),
        stepMetadata.map((text) => `{"metadata":${text}}`),
      )
    }),
  )
})

test('invalid bytes throw only DomainError', () => {
  const bytes = fc.oneof(
    mutated(fc.constant(Buffer.from(FULL_TRACE))),
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

test('the result shares no memory with the body', () => {
  const bytes = Buffer.from(FULL_TRACE)
  const trace = parse(bytes)
  const before = structuredClone(trace)
  bytes.fill(0)
  assert.deepEqual(structuredClone(trace), before)
})

test('each problem has its field and code', () => {
  const id = 'st_01h455vb4pex5vsknk084sn02q'
  for (const [text, expected] of [
    ['null', [' wrong_type']],
    [
      '{"name":"x","run_type":"a b","session_id":"","user_id":"\\u0000"}',
      ['/run_type invalid_format', '/session_id too_short', '/user_id invalid_value'],
    ],
    ['{"name":"x","steps":{}}', ['/steps wrong_type']],
    ['{"name":"x","steps":[1,{"name":"a"},{}]}', ['/steps/0 wrong_type', '/steps/2/name required']],
    ['{"name":"x","steps":[{"name":"a","name":"b"}]}', ['/steps/0/name duplicate_field']],
    [
      '{"name":"x","steps":[{"name":"a"}],"steps":[{"name":"a"},{"name":"b","x":1}]}',
      ['/steps/1/x unknown_field', '/steps duplicate_field'],
    ],
    [
      `{"name":"x","steps":[{"name":"a","id":"${id}"},{"name":"b"},{"name":"c","id":"${id}"}]}`,
      ['/steps/2/id duplicate_id'],
    ],
    [
      '{"name":"x","steps":[{"name":"a","idempotency_key":"k"},{"name":"b","idempotency_key":"\\u006b"}]}',
      ['/steps/1/idempotency_key duplicate_id'],
    ],
    [
      '{"name":"x","steps":[{"name":"a","attachments":[{"uri":"u"}]}]}',
      ['/steps/0/attachments/0/uri attachment_not_found'],
    ],
    ['{"name":"x","started_at":"2026-01-02T00:00:00Z","ended_at":"2026-01-01T00:00:00Z"}', ['/ended_at out_of_range']],
    ['{"name":"x","metadata":[]}', ['/metadata wrong_type']],
    ['{"name":"x","id":"tr_1"}', ['/id unknown_field']],
    [
      `{"name":"x","steps":[${'1,'.repeat(30)}1]}`,
      Array.from({ length: 20 }, (_, index) => `/steps/${index} wrong_type`),
    ],
  ] as const) {
    assert.deepEqual(problems(text), expected, text.slice(0, 100))
  }
})

test('the metadata of a trace is limited in bytes, that of a step is not', () => {
  const limits = { ...DEFAULT_LIMITS, metadataBytes: 20 }
  const metadata = (bytes: number) => `{"k": "${'é'.repeat((bytes - 9) / 2)}"}`
  assert.deepEqual(problems(`{"name":"a","metadata":${metadata(19)}}`, limits), [])
  assert.deepEqual(problems(`{"metadata":${metadata(21)},"name":"a"}`, limits), ['/metadata too_long'])
  assert.deepEqual(problems(`{"name":"a","steps":[{"name":"b","metadata":${metadata(99)}}]}`, limits), [])
})

test('too many steps are refused before they are read', () => {
  const limits = { ...DEFAULT_LIMITS, stepsPerTraceBody: 2 }
  assert.deepEqual(problems('{"name":"x","steps":[{"name":"a"},{"name":"b"}]}', limits), [])
  assert.deepEqual(problems('{"name":"x","steps":[{"name":"a"},{"name":"b"},{}]}', limits), ['/steps too_many'])
})

test('16 MB of hostile bytes are refused in one pass', () => {
  const size = DEFAULT_LIMITS.traceBodyBytes
  const fill = (start: string, unit: string) =>
    Buffer.concat([Buffer.from(start), Buffer.alloc(size - start.length, unit)])
  for (const [bytes, expected] of [
    [fill('', '['), [' too_deep']],
    [fill('', '"'), ['malformed_json']],
    [fill('"', '\\'), ['malformed_json']],
    [fill('{"steps":[', '{},'), ['/steps too_many']],
    [fill('{"name":"x"', ',"name":1'), ['malformed_json']],
  ] as const) {
    assert.deepEqual(problems(bytes), expected)
  }
})

test('a trace or step with more members than there are fields is refused before they are read', () => {
  const many = (value: string) => Array.from({ length: 40 }, (_, i) => `"k${i}":${value}`).join(',')
  // No value of it reaches the parser, which would refuse these.
  assert.equal(problems(`{"name":"x",${many('nul')}}`)[0], '/k0 unknown_field')
  assert.equal(problems(`{"name":"x","steps":[{"name":"s"},{${many('nul')}}]}`)[0], '/steps/1/k0 unknown_field')
  assert.deepEqual(problems(`{"name":"x","steps":[{"name":"s","error":{${many('1')}}}]}`), ['/steps/0/error too_many'])
})
