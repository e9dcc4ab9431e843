import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import type { StepRecord } from '../../../ports/traces/step-record.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import { PROJECT } from '../../trace-builders.test-support.ts'
import { TraceWorld } from '../../trace-world.test-support.ts'
import { parseExport } from '../parse-export.ts'
import type { RecordEvaluations } from '../take-export.ts'
import { errorOf } from '../map/error-text.ts'

const ROOT = '01a21a21-3072-71dc-9316-87aed2b4c901'
const CALL = '01a21a21-3072-71dc-9316-87aed2b4c902'
const dottedOrder = `20261126T231152434001Z${ROOT}`
const text = (content: string) => ({ lc: 1, id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: { content } })
const usage = { input_tokens: 120, output_tokens: 30, total_tokens: 150, input_token_details: { cache_read: 64 } }
const answer = {
  lc: 1,
  id: ['langchain_core', 'messages', 'AIMessage'],
  kwargs: { content: 'Sunny.', usage_metadata: usage, response_metadata: { model_name: 'gpt-5-2026-05-01' } },
}

const root = {
  id: ROOT,
  trace_id: ROOT,
  dotted_order: dottedOrder,
  name: 'agent',
  run_type: 'chain',
  session_name: 'weather',
  start_time: '2026-11-26T23:11:52.434001',
  inputs: { messages: [text('How warm is it?')] },
  tags: ['beta'],
  extra: { metadata: { thread_id: 'thread-7', user_id: 'user-7', plan: 'pro', LANGSMITH_TRACING: 'true' } },
}
const rootEnd = {
  id: ROOT,
  trace_id: ROOT,
  dotted_order: dottedOrder,
  end_time: '2026-11-26T23:11:53.434001',
  outputs: { messages: [text('How warm is it?'), answer] },
}
const call = {
  id: CALL,
  trace_id: ROOT,
  parent_run_id: ROOT,
  dotted_order: `${dottedOrder}.20261126T231152500000Z${CALL}`,
  name: 'ChatOpenAI',
  run_type: 'llm',
  start_time: '2026-11-26T23:11:52.5Z',
  inputs: { messages: [[text('How warm is it?')]] },
  extra: { metadata: { thread_id: 'thread-7', model: 'gpt-5' }, invocation_params: { model: 'gpt-5' } },
}
const callEnd = {
  id: CALL,
  trace_id: ROOT,
  parent_run_id: ROOT,
  end_time: 1795734713000,
  outputs: { generations: [[{ text: 'Sunny.', message: answer }]] },
}

class World extends TraceWorld {
  send(body: object | Buffer) {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    return this.service.useCases.takeExport({ projectId: PROJECT, body: bytes, encoding: 'langsmith' })
  }

  async read() {
    const { traces } = await this.list()
    const [trace] = traces
    assert.ok(trace !== undefined && traces.length === 1, `${traces.length} traces`)
    const steps: StepRecord[] = []
    const found = await this.service.useCases.read(PROJECT, trace.id)
    for await (const page of found.steps) steps.push(...page)
    const metadata = JSON.parse(trace.metadata.toString()) as unknown
    return {
      trace,
      metadata,
      steps: steps.map((step) => Object.assign({}, step, { body: JSON.parse(step.body) as Body })),
    }
  }

  /** What a reader sees, whatever the order of arrival was. */
  async seen() {
    const { trace, metadata, steps } = await this.read()
    const { name, status, sessionId, userId, tokenUsage, models, digest } = trace
    return {
      trace: { name, status, sessionId, userId, tokenUsage, models, metadata, input: digest.input?.text },
      output: digest.output?.text,
      steps: steps
        .map(({ id, parentStepId, type, model, startedAt, endedAt, body }) => ({
          id,
          parentStepId,
          type,
          model,
          startedAt,
          endedAt,
          messages: body.messages,
          // While a call runs, it is its model.
          metadata: Object.assign({}, body.metadata, { 'gen_ai.request.model': '' }),
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    }
  }
}

interface Body {
  readonly messages?: readonly { readonly role: string; readonly content: readonly { readonly text: string }[] }[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly error?: unknown
}

const NONE = { count: 0, reasons: [] }

test('a run tree with a call of a model: names, thread, user, tags, tokens, messages', async () => {
  const world = new World()
  assert.deepEqual(await world.send({ post: [root, call], patch: [callEnd, rootEnd] }), NONE)
  const { trace, metadata, steps } = await world.read()
  assert.deepEqual(
    [trace.name, trace.status, trace.sessionId, trace.userId, trace.spans?.rootStatus, trace.models],
    ['agent', 'ok', 'thread-7', 'user-7', 'ok', ['gpt-5-2026-05-01']],
  )
  assert.deepEqual(metadata, { plan: 'pro', tags: ['beta'], 'service.name': 'weather' })
  assert.deepEqual(trace.tokenUsage, { input: 120, output: 30, cacheRead: 64, cacheWrite: 0, reasoning: 0 })
  assert.deepEqual(
    steps.map(({ name, type, startedAt, endedAt, body }) => [
      name,
      type,
      endedAt! - startedAt!,
      body.messages?.map(({ role, content }) => [role, content[0]?.text]),
    ]),
    [
      [
        'agent',
        'chain',
        1000,
        [
          ['user', 'How warm is it?'],
          ['assistant', 'Sunny.'],
        ],
      ],
      [
        'ChatOpenAI',
        'llm',
        500,
        [
          ['user', 'How warm is it?'],
          ['assistant', 'Sunny.'],
        ],
      ],
    ],
  )
  assert.equal(steps[1]?.parentStepId, steps[0]?.id)
})

test('parts of a run may come in any order, over any requests, and any number of times', async () => {
  const whole = new World()
  await whole.send({ post: [root, call], patch: [callEnd, rootEnd] })
  const wanted = await whole.seen()
  const parts = [{ post: [root] }, { post: [call] }, { patch: [callEnd] }, { patch: [rootEnd] }]
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [3, 0, 1, 2],
  ]) {
    const world = new World()
    for (const at of order) assert.deepEqual(await world.send(parts[at]!), NONE)
    assert.deepEqual(await world.seen(), wanted, `${order}`)
    const { version } = (await world.read()).trace
    for (const at of [...order, ...order]) assert.deepEqual(await world.send(parts[at]!), NONE)
    assert.equal((await world.read()).trace.version, version, 'nothing was written again')
  }
  const together = new World()
  await Promise.all(parts.map((part) => together.send(part)))
  assert.deepEqual(await together.seen(), wanted)
})

test('a start without an end is running; an end without a start has what it says', async () => {
  const world = new World()
  await world.send({ post: [root] })
  const { trace, steps } = await world.read()
  assert.deepEqual([steps[0]?.endedAt, trace.spans?.rootSeen, steps[0]?.status], [null, false, 'ok'])
  const other = new World()
  await other.send({ patch: [{ ...callEnd, dotted_order: call.dotted_order }] })
  const [step] = (await other.read()).steps
  assert.deepEqual([step?.name, step?.startedAt, step?.endedAt], ['span', null, 1795734713000])
  assert.equal(step?.parentStepId === null, false)
})

test('a form has the fields of runs in parts of their own, and attachments', async () => {
  const world = new World()
  const { inputs, extra, ...main } = root
  const parts: [string, string, string][] = [
    [`post.${ROOT}`, 'application/json', JSON.stringify(main)],
    [`post.${ROOT}.inputs`, 'application/json; length=9', JSON.stringify(inputs)],
    [`post.${ROOT}.extra`, 'application/json', JSON.stringify(extra)],
    [`patch.${ROOT}`, 'application/json', JSON.stringify(rootEnd)],
    [`attachment.${ROOT}.a picture.png`, 'image/png; length=4', '\r\n--'],
  ]
  const form = parts.map(
    ([name, type, content]) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`,
  )
  assert.deepEqual(await world.send(Buffer.from(`${form.slice(0, -1).join('')}--b--\r\n`)), NONE)
  assert.equal((await world.seen()).trace.input, 'How warm is it?')
  const whole = parseExport(PROJECT, Buffer.from(`${form.join('')}--b--\r\n`), 'langsmith', DEFAULT_LIMITS)
  assert.deepEqual(
    whole.media.map(({ kind, contentType, filename, bytes }) => [kind, contentType, filename, String(bytes)]),
    [['image', 'image/png', 'a picture.png', '\r\n--']],
  )
  assert.deepEqual(whole.spans[0]?.step.attachments, [whole.media[0]?.sha256])
  await assert.rejects(world.send(Buffer.from(form.join(''))), { code: 'malformed_multipart' })
  await assert.rejects(world.send(Buffer.from('no form')), { code: 'malformed_multipart' })
})

test('a run that cannot be taken is refused alone, with the reason', async () => {
  const world = new World()
  const { trace_id: _trace, dotted_order: _order, ...nowhere } = call
  const sent = [root, { ...call, id: 'seven' }, nowhere, {}]
  const { count, reasons } = await world.send({ post: sent })
  assert.equal(count, 3)
  assert.deepEqual(reasons, [
    'the `id` of a run must be a UUID',
    'a run with a parent needs its `trace_id` or its `dotted_order`',
  ])
  assert.equal((await world.read()).steps.length, 1)
  for (const body of ['[]', '{"post":1}', '{', '{"post":[}']) {
    await assert.rejects(world.send(Buffer.from(body)), (error) => error instanceof DomainError, body)
  }
})

test('runs in a circle, and a run that is its own parent, are stored', async () => {
  const world = new World()
  const other = { ...call, id: ROOT, parent_run_id: CALL, dotted_order: undefined }
  assert.deepEqual(await world.send({ post: [call, other] }), NONE)
  assert.deepEqual(await world.send({ post: [{ ...root, id: ROOT, parent_run_id: ROOT }] }), NONE)
  assert.equal((await world.read()).steps.length, 2)
})

test('values nested too deep are cut, and the run is taken', async () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const body = JSON.stringify({ post: [root] }).replace('"plan":"pro"', `"plan":${deep}`)
  const world = new World()
  assert.deepEqual(await world.send(Buffer.from(body)), NONE)
  assert.match(JSON.stringify((await world.read()).metadata), /nested more than 64 deep/)
})

test('the types of errors are found, and messages are without stacks', () => {
  const cases: [string, string | undefined, string, boolean][] = [
    ['Error: boom', 'Error', 'boom', false],
    ['no such city\n\nRangeError: no such city\n    at run (file:///a.js:1:2)', 'RangeError', 'no such city', true],
    ['RangeError: no such city\n    at run (file:///a.js:1:2)', 'RangeError', 'no such city', true],
    [
      `ValueError('too hot')Traceback (most recent call last):\n\n  File "a.py", line 1\n\nValueError: too hot`,
      'ValueError',
      'too hot',
      true,
    ],
    ['it failed', undefined, 'it failed', false],
    ['', undefined, '', false],
    ['failed\n  at the third step', undefined, 'failed\n  at the third step', false],
    // In time that grows with their length.
    ...['\n', ' ', '\n ', '\n at ', 'Error: x\n'].map((one): (typeof cases)[number] => {
      const long = one.repeat(50_000)
      return one.startsWith('E') ? [long, 'Error', long.slice(7), false] : [long, undefined, long, false]
    }),
  ]
  for (const [sent, type, message, hasStack] of cases) {
    const { type: foundType, message: foundMessage, stacktrace } = errorOf(sent)
    assert.deepEqual([foundType, foundMessage, stacktrace !== undefined], [type, message, hasStack], sent.slice(0, 100))
  }
})

test('a failed run has its error, without the exception again in its metadata', async () => {
  const world = new World()
  await world.send({ post: [root], patch: [{ ...rootEnd, outputs: null, error: 'Error: boom' }] })
  const { trace, steps } = await world.read()
  assert.deepEqual([trace.status, steps[0]?.body.error], ['error', { type: 'Error', message: 'boom' }])
  assert.equal(steps[0]?.body.metadata['otel.events'], undefined)
})

test('tokens are found wherever they stand, and each once', async () => {
  const outputs: [object, number, number][] = [
    [{ generations: [[{ message: answer }, { message: answer }]] }, 120, 30],
    [{ generations: [[{ message: answer }], [{ message: answer }]] }, 240, 60],
    [{ llm_output: { token_usage: { prompt_tokens: 7, completion_tokens: 2 } }, generations: [[{ text: 'a' }]] }, 7, 2],
    [{ choices: [{ message: { role: 'assistant', content: 'a' } }], usage_metadata: usage }, 120, 30],
    [{ message: answer }, 120, 30],
  ]
  for (const [sent, input, output] of outputs) {
    const world = new World()
    await world.send({ post: [call], patch: [{ ...callEnd, outputs: sent }] })
    const { tokenUsage } = (await world.read()).trace
    assert.deepEqual([tokenUsage.input, tokenUsage.output], [input, output], JSON.stringify(sent))
  }
})

test('feedback is recorded for its run, also before the run has come, and for the trace on its root', async () => {
  const recorded: unknown[] = []
  const recordEvaluations: RecordEvaluations = async (_project, evaluations) => {
    recorded.push(
      ...evaluations.map(({ name, score, label, stepId, defines, key }) => ({
        name,
        score,
        label,
        stepId,
        defines,
        key,
      })),
    )
    return []
  }
  const world = new World({ recordEvaluations })
  const scores = [
    { id: 'f1', run_id: CALL, trace_id: ROOT, key: 'helpful', score: true },
    { id: 'f2', run_id: ROOT, trace_id: ROOT, key: 'grade', value: 'good', comment: 'yes' },
    { id: 'f3', run_id: CALL, trace_id: ROOT, key: 'warmth', score: 0.5 },
  ]
  assert.deepEqual(await world.send({ feedback: scores }), NONE)
  assert.deepEqual(await world.send({ post: [root, call], patch: [rootEnd, callEnd], feedback: scores }), NONE)
  const { steps, trace } = await world.read()
  assert.equal(trace.name, 'agent')
  const stepId = steps.find(({ name }) => name === 'ChatOpenAI')?.id
  const wanted = [
    { name: 'helpful', score: 1, label: null, stepId, defines: 'boolean', key: 'langsmith:f1' },
    { name: 'warmth', score: 0.5, label: null, stepId, defines: 'numeric', key: 'langsmith:f3' },
    { name: 'grade', score: null, label: 'good', stepId: null, defines: 'enum', key: 'langsmith:f2' },
  ]
  const byKey = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).sort()
  assert.deepEqual(byKey(recorded), byKey([...wanted, ...wanted]))
  assert.equal(
    (
      await world.send({
        feedback: [
          { run_id: 'x', key: 'a', score: 1 },
          { run_id: ROOT, score: 1 },
        ],
      })
    ).count,
    2,
  )
})

test('a large batch of runs, created and then updated, is whole', async () => {
  const world = new World()
  const ids = Array.from({ length: 2500 }, (_, at) => `01a21a21-3072-71dc-9316-${String(at).padStart(12, '0')}`)
  const runs = ids.map((id) => Object.assign({}, call, { id, dotted_order: undefined, extra: undefined }))
  assert.deepEqual(await world.send({ post: [root, ...runs] }), NONE)
  assert.deepEqual(await world.send({ patch: [rootEnd, ...ids.map((id) => Object.assign({}, callEnd, { id }))] }), NONE)
  const { trace, steps } = await world.read()
  assert.equal(steps.length, 2501)
  assert.ok(steps.every(({ endedAt, body }) => endedAt !== null && body.messages?.length === 2))
  assert.equal(trace.tokenUsage.input, 300_000)
})

test('what a tool takes and returns is read out of the object that SDKs put around it', async () => {
  const tool = { ...call, run_type: 'tool', name: 'weather', inputs: { input: '{"city":"Bern"}' } }
  const message = { lc: 1, id: ['langchain_core', 'messages', 'ToolMessage'], kwargs: { content: 'sun' } }
  for (const output of [message, 'sun']) {
    const world = new World()
    await world.send({ post: [tool], patch: [{ ...callEnd, outputs: { output } }] })
    const { messages } = (await world.read()).steps[0]!.body
    assert.deepEqual(JSON.parse(JSON.stringify(messages?.map(({ content }) => content[0]))), [
      { type: 'data', data: { city: 'Bern' } },
      { type: 'text', text: 'sun' },
    ])
  }
})

test('what a part of the root says wins over a child, in whatever order the parts come', async () => {
  const child = { ...call, tags: ['of a child'], extra: { metadata: { thread_id: 'thread-of-child' } } }
  for (const order of [
    [{ post: [root] }, { post: [child] }, { patch: [rootEnd] }],
    [{ post: [child] }, { post: [root] }, { patch: [rootEnd] }],
    [{ post: [child] }, { patch: [rootEnd] }, { post: [root] }],
    [{ patch: [rootEnd] }, { post: [child] }, { post: [root] }],
  ]) {
    const world = new World()
    for (const part of order) await world.send(part)
    const { trace, metadata } = await world.read()
    assert.deepEqual([trace.sessionId, trace.userId], ['thread-7', 'user-7'])
    assert.deepEqual((metadata as { tags: unknown }).tags, ['beta'])
  }
})

test('tags of a run below the root stay on its step', async () => {
  const world = new World()
  const { tags: _tags, ...untagged } = root
  assert.deepEqual(await world.send({ post: [untagged, { ...call, tags: ['graph:step:1'] }], patch: [rootEnd] }), NONE)
  const { metadata, steps } = await world.read()
  assert.deepEqual(metadata, { plan: 'pro', 'service.name': 'weather' })
  const found = steps.map(({ body }) => (body.metadata as Readonly<Record<string, unknown>>)['langsmith.run_tags'])
  assert.deepEqual(found, [undefined, ['graph:step:1']])
})
