import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import { stepIdOf } from './span-ids.ts'
import { exportJson, ns, spanId, type TestSpan, toRequest, TRACE } from './spans.test-support.ts'

/** Spans as a recorder of Spoor sends them. */
class World extends TraceWorld {
  send(spans: readonly TestSpan[], encoding: 'protobuf' | 'json' = 'json', scope = 'spoor') {
    const json = exportJson(spans, { scope: { name: scope } })
    return this.service.useCases.takeExport(toRequest(PROJECT, json, encoding))
  }

  async read() {
    const id = await this.service.useCases.findOtelTrace(PROJECT, TRACE)
    const found = await this.service.useCases.read(PROJECT, id!)
    const steps: StepRecord[] = []
    for await (const page of found.steps) steps.push(...page)
    return { trace: found.trace, steps }
  }
}

const NONE = { count: 0, reasons: [] }

const ROOT: TestSpan = {
  spanId: spanId(1),
  name: 'booking',
  startTimeUnixNano: ns(0),
  endTimeUnixNano: ns(100),
  status: { code: 1 },
  attributes: { 'spoor.span.kind': 'trace', 'spoor.trace.run_type': 'chat', 'spoor.trace.metadata': '{"plan":"pro"}' },
}
const PLAN: TestSpan = {
  spanId: spanId(2),
  parentSpanId: spanId(1),
  name: 'plan',
  startTimeUnixNano: ns(10),
  endTimeUnixNano: ns(60),
  attributes: { 'spoor.step.type': 'agent', 'spoor.step.usage': '{"input":10,"output":4}' },
}
const MODEL: TestSpan = {
  spanId: spanId(3),
  parentSpanId: spanId(2),
  name: 'model',
  startTimeUnixNano: ns(20),
  endTimeUnixNano: ns(30),
  attributes: { 'spoor.step.type': 'llm', 'spoor.step.usage': '{"input":5,"output":1}' },
}
/** Of an instrumentation that knows nothing of the recorder. */
const FOREIGN: TestSpan = {
  spanId: spanId(4),
  parentSpanId: spanId(1),
  name: 'chat',
  startTimeUnixNano: ns(40),
  endTimeUnixNano: ns(50),
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 3 },
}

function essence({
  name,
  runType,
  status,
  tokenUsage,
  stepCount,
  ownStartedAt,
  ownEndedAt,
  spans,
  ...trace
}: TraceRecord) {
  const metadata = JSON.parse(trace.metadata.toString()) as unknown
  return { name, runType, status, tokenUsage, stepCount, ownStartedAt, ownEndedAt, metadata, rootSeen: spans?.rootSeen }
}

function treeOf(steps: readonly StepRecord[]) {
  const names = new Map(steps.map(({ id, name }) => [id, name]))
  return Object.fromEntries(
    steps.map(({ name, parentStepId: parent }) => [name, parent && (names.get(parent) ?? parent)]),
  )
}

const START = Number(BigInt(ns(0)) / 1_000_000n)

test('spans of a recorder and of another library make one trace, in any order, split and repeated in any way', async () => {
  const spans = [ROOT, PLAN, MODEL, FOREIGN]
  const order = fc.shuffledSubarray(spans, { minLength: spans.length })
  const encoding = fc.constantFrom('protobuf' as const, 'json' as const)
  await fc.assert(
    fc.asyncProperty(order, fc.integer({ min: 0, max: 4 }), encoding, async (shuffled, cut, first) => {
      const world = new World()
      assert.deepEqual(await world.send(shuffled.slice(0, cut), first), NONE)
      assert.deepEqual(await world.send(shuffled.slice(Math.max(0, cut - 1))), NONE)
      const before = await world.read()
      assert.deepEqual(essence(before.trace), {
        name: 'booking',
        runType: 'chat',
        status: 'ok',
        tokenUsage: { input: 13, output: 4, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
        stepCount: 3,
        ownStartedAt: START,
        ownEndedAt: START + 100,
        metadata: { plan: 'pro' },
        rootSeen: true,
      })
      assert.deepEqual(treeOf(before.steps), { plan: null, model: 'plan', chat: null })
      assert.deepEqual(await world.send(spans, 'protobuf'), NONE)
      assert.deepEqual(await world.read(), before)
    }),
    { numRuns: 25 },
  )
})

test('the root comes last: until then the trace is not complete, and its children name their parent', async () => {
  const world = new World()
  await world.send([PLAN])
  const { trace, steps } = await world.read()
  assert.deepEqual([trace.spans?.rootSeen, steps[0]?.parentStepId], [false, stepIdOf(TRACE, spanId(1))])
  await world.send([ROOT])
  const after = await world.read()
  assert.deepEqual([after.trace.spans?.rootSeen, after.steps[0]?.parentStepId], [true, null])
  const listed = await world.service.useCases.listSteps({
    projectId: PROJECT,
    traceId: trace.id,
    limit: 10,
    cursor: null,
  })
  assert.deepEqual(treeOf(listed.steps), { plan: null })
})

test('a trace without steps can fail, and says why', async () => {
  const world = new World()
  const failed = { ...ROOT, status: { code: 2, message: 'no seats' } }
  await world.send([failed])
  const { trace, steps } = await world.read()
  assert.deepEqual([trace.status, trace.flagged, steps.length], ['error', true, 0])
  assert.deepEqual(JSON.parse(trace.metadata.toString()), { plan: 'pro', error: { message: 'no seats' } })
  await world.send([failed])
  assert.deepEqual(
    (await world.events()).map(({ type }) => type),
    ['trace.committed', 'trace.flagged'],
  )
})

test('the trace of a recorder within the span of another service keeps its name and type, and joins the tree', async () => {
  const caller: TestSpan = { spanId: spanId(8), parentSpanId: spanId(7), name: 'call', startTimeUnixNano: ns(-5) }
  const server: TestSpan = {
    spanId: spanId(7),
    name: 'POST /book',
    startTimeUnixNano: ns(-9),
    endTimeUnixNano: ns(200),
  }
  const inner = { ...ROOT, parentSpanId: spanId(8) }
  for (const batches of [
    [
      [server, caller],
      [PLAN, inner],
    ],
    [[PLAN], [inner], [caller, server]],
  ]) {
    const world = new World()
    for (const spans of batches) await world.send(spans)
    const { trace, steps } = await world.read()
    assert.deepEqual([trace.name, trace.runType, trace.spans?.rootSeen], ['booking', 'chat', true])
    assert.deepEqual(treeOf(steps), { 'POST /book': null, call: 'POST /book', plan: 'call' })
  }
})

test('a span of the trace that comes again with other content is merged, also as its own parent', async () => {
  const world = new World()
  await world.send([{ ...ROOT, parentSpanId: spanId(1), endTimeUnixNano: 0 }, PLAN])
  const more = { ...ROOT, attributes: { ...ROOT.attributes, 'spoor.trace.user_id': 'u1' } }
  for (let times = 0; times < 2; times++) await world.send([more])
  const { trace, steps } = await world.read()
  assert.deepEqual([trace.userId, trace.ownEndedAt, steps.length], ['u1', START + 100, 1])
  assert.deepEqual(treeOf(steps), { plan: null })
})

test('a link to media that the project does not have refuses its span alone', async () => {
  const world = new World()
  const uri = `media://${PROJECT}/${'a'.repeat(64)}`
  const linking = { ...PLAN, attributes: { 'spoor.step.attachments': JSON.stringify([{ uri }]) } }
  assert.deepEqual(await world.send([ROOT, linking, MODEL]), {
    count: 1,
    reasons: [`there is no media ${uri} in the project`],
  })
  assert.deepEqual(
    (await world.read()).steps.map(({ name }) => name),
    ['model'],
  )
})

test('a project that takes spans about agents only takes all of a recorder, and the caller above it', async () => {
  const world = new World()
  world.spanFilter = 'agents_only'
  await world.send([{ spanId: spanId(5), parentSpanId: spanId(1), name: 'plain' }])
  await world.send([{ ...ROOT, parentSpanId: spanId(8) }])
  const others = [
    { spanId: spanId(8), name: 'POST /book' },
    { spanId: spanId(9), name: 'SELECT' },
  ]
  await world.send(others, 'json', 'http')
  assert.deepEqual(treeOf((await world.read()).steps), { plain: 'POST /book', 'POST /book': null })
})
