import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { readSender } from '../../ports/traces/sender-counts.ts'
import { exportJson, spanId, type TestOrigin, type TestSpan } from '../otlp/spans.test-support.ts'
import { parseExport } from '../otlp/parse-export.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { parseStep } from './parse-step.ts'

type Attributes = NonNullable<TestSpan['attributes']>

/** What is said about a span: `kind` or `kind attribute`. */
function ofSpan(attributes: Attributes, span: TestSpan = {}, origin?: TestOrigin) {
  const json = exportJson([{ ...span, attributes }], origin)
  const { spans, rejected } = parseExport(PROJECT, Buffer.from(JSON.stringify(json)), 'json', DEFAULT_LIMITS)
  assert.equal(rejected.count, 0, rejected.reasons.join())
  return readSender(spans[0]!.step.sender)
}

function ofStep(step: object) {
  const outcome = parseStep(Buffer.from(JSON.stringify({ name: 'a', ...step })), DEFAULT_LIMITS)
  if (!('value' in outcome)) throw new Error(JSON.stringify(outcome))
  return readSender(outcome.value.sender)
}

function marks(sender: ReturnType<typeof readSender>): readonly string[] {
  return sender.marks.map(({ kind, attribute }) => (attribute === null ? kind : `${kind} ${attribute}`))
}

const SAID = '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]'
const ANSWERED = '[{"role":"assistant","parts":[{"type":"text","content":"Hello"}]}]'
const CALL = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-5',
  'gen_ai.usage.input_tokens': 7,
  'gen_ai.input.messages': SAID,
  'gen_ai.output.messages': ANSWERED,
}
const TOOL = {
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.call.arguments': '{"city":"Oslo"}',
  'gen_ai.tool.call.result': '21',
}
const without = (attributes: Attributes, ...names: readonly string[]): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !names.includes(name)))
const FAILED: TestSpan = { status: { code: 2 } }

const SPANS: readonly (readonly [what: string, expected: readonly string[], Attributes, TestSpan?])[] = [
  ['a call of a model that says all', ['billed'], CALL],
  ['whose cost the sender gives', [], { ...CALL, 'gen_ai.usage.cost': 0.1 }],
  ['a call without tokens', ['tokens'], without(CALL, 'gen_ai.usage.input_tokens')],
  ['that failed', [], without(CALL, 'gen_ai.usage.input_tokens', 'gen_ai.output.messages'), FAILED],
  ['that goes on', [], without(CALL, 'gen_ai.usage.input_tokens'), { endTimeUnixNano: '0' }],
  ['without a model', ['model'], without(CALL, 'gen_ai.request.model')],
  ['without messages', ['billed', 'text'], without(CALL, 'gen_ai.input.messages', 'gen_ai.output.messages')],
  [
    'whose messages have no text',
    ['billed', 'text'],
    { ...CALL, 'gen_ai.input.messages': '[{"role":"user","parts":[]}]', 'gen_ai.output.messages': '[]' },
  ],
  ['a call of a tool that says all', [], TOOL],
  ['without arguments', ['arguments'], without(TOOL, 'gen_ai.tool.call.arguments')],
  ['that takes nothing', [], { ...TOOL, 'gen_ai.tool.call.arguments': '{}' }],
  ['that returns nothing', [], { ...TOOL, 'gen_ai.tool.call.result': '' }],
  ['without a result', ['result'], without(TOOL, 'gen_ai.tool.call.result')],
  ['a tool that failed', [], without(TOOL, 'gen_ai.tool.call.result'), FAILED],
  [
    'an embedding',
    ['billed'],
    { ...without(CALL, 'gen_ai.output.messages'), 'gen_ai.operation.name': 'embeddings', output: '[0.1, 0.2]' },
  ],
  // Signs that something was not read.
  ['a model of no call', ['other', 'type'], { 'gen_ai.request.model': 'gpt-5' }],
  ['tokens by other names', ['other', 'type my.prompt_tokens'], { 'my.prompt_tokens': 12 }],
  ['tokens in small and large letters', ['other', 'type usage.inputTokens'], { 'usage.inputTokens': '12' }],
  [
    'a word beside tokens',
    ['other', 'type my.prompt_tokens', 'content my.completion'],
    { 'my.prompt_tokens': 12, 'my.completion': 'Cold.' },
  ],
  ['sums of a run', ['other'], { 'codex.turn.token_usage.input_tokens': 12 }],
  [
    'a prompt and an answer by other names',
    ['other', 'content my.prompt', 'content my.completion'],
    { 'my.prompt': 'How warm is it?', 'my.completion': 'It is warm.' },
  ],
  ['messages by another name', ['other', 'content dialog'], { dialog: '[{"role":"user","content":"Hi"}]' }],
  ['messages as a value', ['other', 'content dialog'], { dialog: [{ role: 'user', content: 'Hi' }] as never }],
  [
    'an answer that is not read',
    ['billed', 'content my.answer'],
    { ...without(CALL, 'gen_ai.output.messages'), 'my.answer': 'Hello.' },
  ],
  ['a copy of what was read', ['billed'], { ...without(CALL, 'gen_ai.output.messages'), 'my.input': 'Hi there' }],
  ['and of all', ['billed'], { ...CALL, 'my.output': 'Hello you', 'my.input': 'Hi you', 'my.messages': SAID }],
  [
    'a long text',
    ['billed', 'content note'],
    { ...without(CALL, 'gen_ai.output.messages'), note: 'so it said '.repeat(20) },
  ],
  [
    'numbers in names',
    ['other', 'content my.llm.*.text'],
    { 'my.llm.0.text': 'Hi there', 'my.llm.1.text': 'Hello you' },
  ],
  [
    'names that are no names',
    ['other'],
    { 'prompt of Jane, jane@example.org': 'Hi there', [`prompt.${'x'.repeat(100)}`]: 'Hi there' },
  ],
  [
    'many names',
    ['other', ...['a', 'b', 'c'].map((name) => `content ${name}.prompt`)],
    Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [`${name}.prompt`, 'Hi there']).concat([['completion', 'Hi you']]),
    ),
  ],
  [
    'names with ids',
    ['other', 'content memory.*.llm_prompt'],
    {
      'memory.0af76519-16cd-43dd-8448-eb211c80319c.llm_prompt': 'Hi there',
      'memory.9f86d081884c7d65.llm_prompt': 'Hi',
    },
  ],
  ['odd values', ['other', 'content completion'], { prompt_tokens: { toString: 1 }, completion: { toString: 1 } }],
  // Prompts and tokens of others.
  ['a prompt of a terminal', ['other'], { 'cli.prompt': 'Enter your name', 'oauth.prompt': 'login consent' }],
  ['a task that is half done', ['other'], { 'task.completion': 'half done', 'order.total_tokens': 12 }],
  // Spans of other things.
  [
    'HTTP',
    ['other'],
    {
      'http.request.method': 'POST',
      'url.full': 'https://x/?prompt=a b',
      'http.request.header.x-prompt': 'a b c',
      'http.request.body': '{"messages":[{"role":"user","content":"x"}]}',
    },
    { kind: 3 },
  ],
  [
    'a database',
    ['other'],
    { 'db.query.text': `SELECT prompt, completion FROM messages ${'x '.repeat(200)}`, 'db.statement': 'SELECT 1' },
    { kind: 3 },
  ],
  [
    'a queue',
    ['other'],
    {
      'messaging.message.id': 'a b',
      'messaging.message.body': 'a b',
      'order.message': 'It is paid.',
      'job.result': 'all well done',
    },
  ],
  ['an ORM', ['other'], { model: 'User', method: 'findMany', 'prisma.model': 'User' }],
]

for (const [what, expected, attributes, span] of SPANS) {
  test(`of a span: ${what}`, () => {
    assert.deepEqual(marks(ofSpan(attributes, { parentSpanId: spanId(9), ...span })), expected)
  })
}

const MESSAGES = [
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
]
const STEPS: readonly (readonly [what: string, expected: readonly string[], step: object])[] = [
  ['a call of a model', ['billed'], { type: 'llm', model: 'm', token_usage: { input: 1 }, messages: MESSAGES }],
  ['whose cost is given', [], { type: 'llm', model: 'm', token_usage: { input: 1, cost_usd: 1 }, messages: MESSAGES }],
  ['without tokens and messages', ['tokens', 'text'], { type: 'llm', model: 'm' }],
  [
    'that answers with a call',
    ['tokens'],
    { type: 'llm', model: 'm', messages: [{ role: 'assistant', tool_calls: [{ id: '1' }] }] },
  ],
  [
    'a tool',
    [],
    {
      type: 'tool',
      messages: [
        { role: 'assistant', content: [{ type: 'data', data: {} }] },
        { role: 'tool', content: [{ type: 'text', text: 'x' }] },
      ],
    },
  ],
  ['a tool by a question and an answer', [], { type: 'tool', messages: MESSAGES }],
  ['a tool without messages', ['arguments', 'result'], { type: 'tool' }],
  [
    'a tool in the metadata',
    ['arguments', 'result', 'content args', 'content result'],
    { type: 'tool', metadata: { args: { city: 'Oslo' }, result: 'warm', n: 1 } },
  ],
  ['any other step', ['other'], { metadata: { result: 'all is well' } }],
  [
    'a call that does not say so',
    ['other', 'billed', 'type'],
    { model: 'm', token_usage: { input: 1 }, messages: MESSAGES },
  ],
]

for (const [what, expected, step] of STEPS) {
  test(`of a step of the API: ${what}`, () => {
    const sender = ofStep(step)
    assert.deepEqual([sender.scope, sender.version], ['api', ''])
    assert.deepEqual(marks(sender), expected)
  })
}

test('the sender is the scope and its version, cut if they are long', () => {
  const of = (name: string, version: string) => ofSpan({}, {}, { scope: { name, version } })
  assert.deepEqual(of('@vendor/otel', '1.2').scope, '@vendor/otel')
  assert.deepEqual(of('@vendor/otel', '1.2').version, '1.2')
  assert.deepEqual([of('', '').scope, of('', '').version], ['', ''])
  const long = of(`${'s'.repeat(99)}🦊`, 'v'.repeat(200))
  assert.deepEqual([long.scope, long.version], [`${'s'.repeat(99)}\ufffd`, 'v'.repeat(100)])
})

test('a step that a recorder gives whole has its marks', () => {
  const given = { 'spoor.step.type': 'llm', 'spoor.step.model': 'm', 'spoor.step.messages': JSON.stringify(MESSAGES) }
  const origin = { scope: { name: 'spoor' } }
  assert.deepEqual(marks(ofSpan({ ...given, 'spoor.step.usage': '{"input":1}' }, {}, origin)), ['billed'])
  assert.deepEqual(marks(ofSpan(given, {}, origin)), ['tokens'])
  assert.deepEqual(marks(ofSpan(given, FAILED, origin)), [])
  assert.deepEqual(marks(ofSpan({ ...given, 'gen_ai.usage.input_tokens': 3 }, {}, origin)), ['billed'])
  assert.equal(ofSpan(given, {}, origin).scope, 'spoor')
})
