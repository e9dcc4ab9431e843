import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import { stepIdOf } from './span-ids.ts'
import { exportJson, ns, spanId, type TestOrigin, type TestSpan, toRequest, TRACE } from './spans.test-support.ts'

class World extends TraceWorld {
  send(
    spans: readonly TestSpan[],
    { origin = {}, projectId = PROJECT, encoding = 'protobuf' as 'protobuf' | 'json' } = {},
  ) {
    return this.service.useCases.takeExport(toRequest(projectId, exportJson(spans, origin as TestOrigin), encoding))
  }

  async idOf(projectId: ProjectId = PROJECT): Promise<TraceId> {
    const id = await this.service.useCases.findOtelTrace(projectId, TRACE)
    assert.ok(id !== null)
    return id
  }

  async read(projectId: ProjectId = PROJECT) {
    const found = await this.service.useCases.read(projectId, await this.idOf(projectId))
    const steps: StepRecord[] = []
    for await (const page of found.steps) steps.push(...page)
    return { trace: found.trace, steps }
  }
}

const NONE = { count: 0, reasons: [] }

const ROOT = { spanId: spanId(1), name: 'root', startTimeUnixNano: ns(0), endTimeUnixNano: ns(90) }
const CHAT: TestSpan = {
  spanId: spanId(2),
  parentSpanId: spanId(1),
  name: 'chat',
  startTimeUnixNano: ns(10),
  endTimeUnixNano: ns(50),
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 4,
    'session.id': 's1',
  },
}
const TOOL: TestSpan = {
  spanId: spanId(3),
  parentSpanId: spanId(2),
  name: 'tool',
  startTimeUnixNano: ns(20),
  endTimeUnixNano: ns(30),
  status: { code: 2 },
  attributes: { 'user.id': 'u1', 'langfuse.trace.metadata.plan': 'pro' },
}

test('spans become steps of one trace, each under its parent, with the sums of the trace', async () => {
  const world = new World()
  assert.deepEqual(await world.send([CHAT, TOOL, ROOT]), NONE)
  const { trace, steps } = await world.read()
  assert.deepEqual(
    steps.map(({ id, name, parentStepId, parentInferred }) => ({ id, name, parentStepId, parentInferred })),
    [
      { id: stepIdOf(TRACE, spanId(2)), name: 'chat', parentStepId: stepIdOf(TRACE, spanId(1)), parentInferred: false },
      { id: stepIdOf(TRACE, spanId(3)), name: 'tool', parentStepId: stepIdOf(TRACE, spanId(2)), parentInferred: false },
      { id: stepIdOf(TRACE, spanId(1)), name: 'root', parentStepId: null, parentInferred: false },
    ],
  )
  assert.deepEqual(
    { ...trace, metadata: JSON.parse(trace.metadata.toString()) as unknown },
    {
      ...trace,
      name: 'root',
      runType: 'agent',
      status: 'ok',
      failedSteps: 1,
      flagged: false,
      sessionId: 's1',
      userId: 'u1',
      metadata: { plan: 'pro' },
      stepCount: 3,
      tokenUsage: { input: 10, output: 4, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
      spans: {
        rootSeen: true,
        rootStatus: 'unset',
        rootId: stepIdOf(TRACE, spanId(1)),
        nameRank: 3,
        nameStartedAt: trace.stepsStartedAt,
      },
    },
  )
  assert.deepEqual(await world.events(), [{ type: 'trace.committed', traceId: trace.id }])
})

test('the same export sent twice counts once, in whatever encoding, at once or later', async () => {
  const world = new World()
  await Promise.all([world.send([ROOT, CHAT]), world.send([ROOT, CHAT]), world.send([CHAT, TOOL, CHAT])])
  const before = await world.read()
  assert.equal(before.trace.stepCount, 3)
  assert.equal(before.trace.tokenUsage.input, 10)
  await world.send([TOOL, CHAT, ROOT])
  await world.send([TOOL, CHAT, ROOT], { encoding: 'json' })
  assert.deepEqual(await world.read(), before)
  assert.equal((await world.list()).traces.length, 1)
})

/** What does not depend on the order of the batches, except for positions. */
function essence(trace: TraceRecord) {
  const { name, runType, status, sessionId, userId, tokenUsage, stepCount, stepsStartedAt, stepsEndedAt } = trace
  const metadata = JSON.parse(trace.metadata.toString()) as object
  return {
    name,
    runType,
    status,
    sessionId,
    userId,
    tokenUsage,
    stepCount,
    stepsStartedAt,
    stepsEndedAt,
    metadata: Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)),
    rootSeen: trace.spans?.rootSeen,
  }
}

test('batches in any order, split in any way and repeated, give the same trace', async () => {
  const spans: TestSpan[] = [
    { ...ROOT, attributes: { 'langfuse.trace.metadata.plan': 'root', 'gen_ai.operation.name': 'invoke_workflow' } },
    CHAT,
    TOOL,
    {
      spanId: spanId(4),
      parentSpanId: spanId(1),
      name: 'early',
      startTimeUnixNano: ns(5),
      attributes: { 'langfuse.trace.name': 'given' },
    },
    { spanId: spanId(5), parentSpanId: spanId(9), name: 'orphan', startTimeUnixNano: ns(1) },
  ]
  const whole = new World()
  await whole.send(spans)
  const expected = essence((await whole.read()).trace)
  assert.deepEqual([expected.name, expected.runType], ['given', 'workflow'])
  const order = fc.shuffledSubarray(spans, { minLength: spans.length })
  await fc.assert(
    fc.asyncProperty(order, fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 5 }), async (shuffled, sizes) => {
      const world = new World()
      let from = 0
      for (const size of [...sizes, spans.length]) {
        await world.send(shuffled.slice(Math.max(0, from - 1), from + size))
        from += size
      }
      assert.deepEqual(essence((await world.read()).trace), expected)
    }),
    { numRuns: 25 },
  )
})

test('before the root has come, the earliest span names the trace', async () => {
  const world = new World()
  await world.send([TOOL])
  assert.equal((await world.read()).trace.name, 'tool')
  await world.send([CHAT])
  const { trace } = await world.read()
  assert.deepEqual([trace.name, trace.spans?.rootSeen], ['chat', false])
  await world.send([ROOT])
  const { trace: complete } = await world.read()
  assert.deepEqual([complete.name, complete.spans?.rootSeen], ['root', true])
})

test('a trace id of another project is a trace of its own', async () => {
  const world = new World()
  await world.send([ROOT])
  await world.send([CHAT], { projectId: OTHER_PROJECT })
  assert.notEqual(await world.idOf(), await world.idOf(OTHER_PROJECT))
  assert.equal((await world.read()).trace.stepCount, 1)
  assert.equal((await world.read(OTHER_PROJECT)).trace.stepCount, 1)
  assert.equal(await world.service.useCases.findOtelTrace(PROJECT, 'f'.repeat(32)), null)
  const uuid = TRACE.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  assert.notEqual(await world.service.useCases.findOtelTrace(PROJECT, uuid), null)
})

const started: TestSpan = { ...CHAT, endTimeUnixNano: 0, attributes: { 'gen_ai.operation.name': 'chat' } }

test('a span that is sent again with a later end replaces its step, and the sums follow', async () => {
  const world = new World()
  await world.send([started, TOOL])
  const before = await world.read()
  assert.equal(before.trace.tokenUsage.input, 0)
  assert.deepEqual(await world.send([CHAT, ROOT]), NONE)
  const { trace, steps } = await world.read()
  assert.deepEqual(
    steps.map(({ name, position, endedAt, tokenUsage }) => [name, position, endedAt !== null, tokenUsage.input]),
    [
      ['chat', 0, true, 10],
      ['tool', 1, true, 0],
      ['root', 2, true, 0],
    ],
  )
  assert.deepEqual(
    [trace.stepCount, trace.tokenUsage.input, trace.tokenUsage.output, trace.sessionId],
    [3, 10, 4, 's1'],
  )
  assert.equal(
    trace.bodyBytes,
    steps.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0),
  )
  // The earlier version, sent again, and the later one once more.
  for (const span of [started, CHAT]) assert.deepEqual(await world.send([span]), NONE)
  assert.deepEqual(await world.read(), { trace, steps })
  const longer = {
    ...CHAT,
    endTimeUnixNano: ns(70),
    attributes: { ...CHAT.attributes, 'gen_ai.usage.input_tokens': 30 },
  }
  await Promise.all([world.send([longer]), world.send([longer]), world.send([CHAT])])
  const last = await world.read()
  assert.deepEqual([last.trace.tokenUsage.input, last.trace.stepCount], [30, 3])
})

test('both versions of a span in one request, in any order, are its last version', async () => {
  for (const spans of [
    [started, CHAT],
    [CHAT, started],
    [started, CHAT, started, CHAT],
  ]) {
    const world = new World()
    await world.send(spans)
    const { trace, steps } = await world.read()
    assert.deepEqual([trace.stepCount, trace.tokenUsage.input, steps[0]?.tokenUsage.output], [1, 10, 4])
  }
})

test('a span may be the trace itself between two versions of a step, and new spans come with changed ones', async () => {
  const world = new World()
  const early = { ...CHAT, endTimeUnixNano: ns(40) }
  const itself = { ...CHAT, attributes: { ...CHAT.attributes, 'spoor.span.kind': 'trace' } }
  assert.deepEqual(await world.send([early, itself, CHAT]), NONE)
  const later = { ...CHAT, endTimeUnixNano: ns(80) }
  assert.deepEqual(await world.send([ROOT, later, TOOL]), NONE)
  const { trace, steps } = await world.read()
  const lasted = steps.map(({ name, startedAt, endedAt }) => [name, (endedAt ?? NaN) - (startedAt ?? NaN)])
  assert.deepEqual(Object.fromEntries(lasted), { chat: 70, root: 90, tool: 10 })
  assert.deepEqual([trace.stepCount, trace.tokenUsage.input], [3, 10])
})

test('a pending span of Logfire is the span itself until it comes, before or after', async () => {
  const pending = (of: TestSpan, number: number, parent: string): TestSpan => ({
    ...of,
    spanId: spanId(number),
    parentSpanId: of.spanId!,
    name: `${of.name} (pending)`,
    endTimeUnixNano: ns(1),
    attributes: { 'logfire.span_type': 'pending_span', 'logfire.pending_parent_id': parent },
  })
  const announced = [pending(ROOT, 11, spanId(0)), pending(CHAT, 12, spanId(1))]
  const world = new World()
  await world.send(announced)
  const before = await world.read()
  assert.deepEqual(
    before.steps.map(({ id, name, parentStepId, endedAt }) => [id, name, parentStepId, endedAt]),
    [
      [stepIdOf(TRACE, spanId(1)), 'root', null, null],
      [stepIdOf(TRACE, spanId(2)), 'chat', stepIdOf(TRACE, spanId(1)), null],
    ],
  )
  // A run that goes on is not complete.
  assert.equal(before.trace.spans?.rootSeen, false)
  await world.send([CHAT, ROOT])
  await world.send(announced)
  const { trace, steps } = await world.read()
  assert.deepEqual(
    steps.map(({ name }) => name),
    ['root', 'chat'],
  )
  assert.deepEqual([trace.name, trace.stepCount, trace.tokenUsage.input], ['root', 2, 10])
  assert.equal(trace.spans?.rootSeen, true)
})

test('spans of a deleted trace are refused for good', async () => {
  const world = new World()
  await world.send([ROOT])
  await world.service.useCases.delete(PROJECT, await world.idOf())
  const refused = { count: 2, reasons: ['the trace was deleted'] }
  assert.deepEqual(await world.send([CHAT, TOOL]), refused)
  assert.deepEqual(await world.send([{ ...ROOT, traceId: 'a'.repeat(32) }, CHAT, TOOL]), refused)
  assert.equal((await world.list()).traces.length, 1)
})

test('a large export is decoded in the thread and committed in groups', async () => {
  const world = new World()
  const spans = Array.from({ length: 5000 }, (_, number) => ({
    spanId: spanId(number + 1),
    ...(number === 0 ? {} : { parentSpanId: spanId(1) }),
    attributes: { text: 'x'.repeat(500), 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 1 },
  }))
  const bad = { ...ROOT, spanId: '0'.repeat(16) }
  const rejected = { count: 1, reasons: ['the span id must have 8 bytes, not all zero'] }
  assert.deepEqual(await world.send([...spans, bad]), rejected)
  const { trace, steps } = await world.read()
  assert.deepEqual([trace.stepCount, trace.tokenUsage.input, steps.length], [5000, 4999, 5000], 'the root is a sum')
  await world.service.close()
})

test('when the store fails, the request is refused, and sent again it is stored once', async () => {
  const world = new World()
  world.memory.failures += 1
  await assert.rejects(world.send([ROOT, CHAT]), { code: 'storage_unavailable' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await world.send([ROOT, CHAT]), NONE)
  assert.equal((await world.read()).trace.stepCount, 2)
})

test('steps of our own can be appended to a trace of spans', async () => {
  const world = new World()
  await world.send([ROOT])
  const [verdict] = await world.appendSteps(await world.idOf(), { name: 'own' })
  assert.equal(verdict?.status, 'created')
  const { steps } = await world.read()
  assert.equal(steps[1]?.parentStepId, stepIdOf(TRACE, spanId(1)))
})

const HTTP: TestSpan = { spanId: spanId(1), name: 'POST /chat', kind: 2, attributes: { 'http.route': '/chat' } }
const HANDLER: TestSpan = { spanId: spanId(2), parentSpanId: spanId(1), name: 'handler' }
const MODEL: TestSpan = {
  spanId: spanId(3),
  parentSpanId: spanId(2),
  name: 'chat gpt',
  attributes: { 'gen_ai.operation.name': 'chat' },
}
const SOCKET: TestSpan = { spanId: spanId(4), parentSpanId: spanId(3), name: 'tls.connect' }
const QUERY: TestSpan = {
  spanId: spanId(5),
  parentSpanId: spanId(2),
  name: 'SELECT',
  attributes: { 'session.id': 's' },
}

async function namesIn(world: World): Promise<readonly string[]> {
  return (await world.read()).steps.map(({ name }) => name)
}

test('a project may take spans about agents and their ancestors only; the others are counted', async () => {
  const world = new World()
  world.spanFilter = 'agents_only'
  assert.deepEqual(await world.send([HTTP, HANDLER, QUERY]), NONE)
  assert.deepEqual([(await world.list()).traces.length, world.spansFiltered], [0, 3])
  assert.deepEqual(await world.send([SOCKET, MODEL, QUERY, HANDLER, HTTP]), NONE)
  assert.deepEqual([await namesIn(world), world.spansFiltered], [['chat gpt', 'handler', 'POST /chat'], 5])
  // A scope is enough.
  const scope = { name: '@arizeai/openinference-instrumentation-openai' }
  await world.send([{ spanId: spanId(6), name: 'from its scope' }], { origin: { scope } })
  assert.equal((await world.read()).trace.stepCount, 4)
})

test('ancestors that come after their descendants are kept, also one by one and again', async () => {
  const world = new World()
  world.spanFilter = 'agents_only'
  await world.send([MODEL, SOCKET])
  await world.send([QUERY])
  await world.send([HANDLER, QUERY])
  await world.send([HTTP, QUERY])
  await world.send([HTTP, HANDLER, MODEL, SOCKET])
  assert.deepEqual(await namesIn(world), ['chat gpt', 'handler', 'POST /chat'])
  assert.equal((await world.read()).trace.spans?.rootSeen, true)
  // A correction of a span that is kept is kept.
  await world.send([{ ...HTTP, endTimeUnixNano: ns(500) }])
  assert.equal((await world.read()).steps[2]?.endedAt, Number(BigInt(ns(500)) / 1_000_000n))
})

test('an ancestor that came in an earlier export is not stored, and its descendant still names it', async () => {
  const world = new World()
  world.spanFilter = 'agents_only'
  await world.send([HANDLER])
  await world.send([MODEL])
  const { steps } = await world.read()
  assert.deepEqual(
    steps.map(({ name, parentStepId }) => [name, parentStepId]),
    [['chat gpt', stepIdOf(TRACE, spanId(2))]],
  )
})

test('spans and operations may be called as members of every object', async () => {
  const world = new World()
  const names = ['toString', 'constructor', '__proto__', 'valueOf']
  const spans = names.map((name, at) => ({
    spanId: spanId(at + 1),
    ...(at === 0 ? {} : { parentSpanId: spanId(1) }),
    name,
    attributes: { 'gen_ai.operation.name': name },
  }))
  assert.deepEqual(await world.send(spans), NONE)
  const { trace, steps } = await world.read()
  assert.deepEqual([trace.name, trace.runType], ['toString', 'agent'])
  assert.deepEqual(
    steps.map(({ name, type }) => [name, type]),
    names.map((name) => [name, 'other']),
  )
})
