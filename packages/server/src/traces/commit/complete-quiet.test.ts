import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { numberedId } from '../../ports/journal/numbered-commit.test-support.ts'
import { exportJson, ns, spanId, type TestSpan, toRequest, TRACE } from '../otlp/spans.test-support.ts'
import { OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'

class World extends TraceWorld {
  send(...spans: readonly TestSpan[]) {
    return this.service.useCases.takeExport(toRequest(PROJECT, exportJson(spans)))
  }

  get version(): number {
    return this.log.watermark().version
  }

  async completed() {
    const events = await this.events()
    return events.flatMap((event) => (event.type === 'trace.completed' ? [event.traceId] : []))
  }

  async shown(fields: Parameters<TraceWorld['list']>[0] = {}) {
    return (await this.list(fields)).traces
  }
}

const ROOT: TestSpan = { spanId: spanId(1), name: 'root' }
const CHILD: TestSpan = { spanId: spanId(2), parentSpanId: spanId(1), name: 'child' }
const LATER: TestSpan = { spanId: spanId(3), parentSpanId: spanId(1), name: 'later' }

test('a trace of spans is completed once, when it was quiet after its root', async () => {
  const world = new World()
  await world.send(CHILD)
  await world.service.completeQuiet(world.version)
  assert.deepEqual(await world.completed(), [], 'its root has not come')
  await world.send(ROOT)
  const rootAt = world.version
  await world.send(LATER)
  await world.service.completeQuiet(rootAt)
  assert.deepEqual(await world.completed(), [], 'something has come since')
  const [growing] = await world.shown({ growing: true })
  assert.deepEqual(
    [growing?.growing, growing?.spans?.rootSeen, await world.shown({ growing: false })],
    [true, true, []],
  )
  await world.service.completeQuiet(world.version)
  const id = await world.service.useCases.findOtelTrace(PROJECT, TRACE)
  assert.deepEqual(await world.completed(), [id])
  assert.deepEqual(await world.shown({ growing: true }), [])
  await world.send({ ...LATER, spanId: spanId(4) })
  await world.service.completeQuiet(world.version)
  assert.deepEqual(await world.completed(), [id], 'later spans do not repeat it')
  const [complete] = await world.shown({ growing: false })
  assert.deepEqual([complete?.growing, complete?.stepCount], [false, 4])
})

test('another process goes on where one ended, and several at once complete each trace once', async () => {
  const first = new World()
  const otelIds = Array.from({ length: 600 }, (_, number) => (number + 1).toString(16).padStart(32, '0'))
  await first.send(...otelIds.map((traceId) => ({ ...ROOT, traceId })))
  const ids = await Promise.all(otelIds.map((traceId) => first.service.useCases.findOtelTrace(PROJECT, traceId)))
  const { version } = first
  const second = new World({ journal: first.journal, store: first.memory })
  await Promise.all([second.service.completeQuiet(version), second.service.completeQuiet(version)])
  assert.deepEqual((await second.completed()).sort(), ids.sort())
  assert.deepEqual(await first.journal.quietSince(second.version, 9), [])
})

test('traces of other owners stay for their own nodes, however many are quiet', async () => {
  const world = new World()
  const otelIds = Array.from({ length: 1100 }, (_, number) => (number + 1).toString(16).padStart(32, '0'))
  await world.send(...otelIds.map((traceId): TestSpan => ({ spanId: spanId(1), name: 'root', traceId })))
  await world.service.useCases.takeExport(toRequest(OTHER_PROJECT, exportJson([ROOT])))
  await world.service.completeQuiet(world.version, (projectId) => projectId === OTHER_PROJECT)
  const isComplete = (await world.events(OTHER_PROJECT)).some(({ type }) => type === 'trace.completed')
  assert.deepEqual([isComplete, await world.completed()], [true, []])
  assert.equal((await world.journal.quietSince(world.version, 2000)).length, 1100)
  await world.service.completeQuiet(world.version, (projectId) => projectId === PROJECT)
  assert.equal((await world.completed()).length, 1100)
})

test('a trace that is deleted or lost while it waits is not completed, and waits no more', async () => {
  const world = new World()
  await world.send(ROOT)
  const { version } = world
  const sent = await world.service.useCases.findOtelTrace(PROJECT, TRACE)
  assert.ok(sent !== null)
  await world.service.useCases.delete(PROJECT, sent)
  assert.deepEqual(await world.journal.quietSince(world.version, 9), [])
  const lost = { projectId: PROJECT, traceId: numberedId('tr', 1), waits: true }
  world.journal.append({
    version: version + 2,
    committedAt: 0,
    lastTraceId: null,
    projects: [],
    traceKeys: [],
    stepKeys: [],
    metricEventKeys: [],
    superseded: [],
    attachments: [],
    deleted: [],
    removedEvents: [],
    monitorTransitions: [],
    onceEvents: [],
    quietWaits: [lost],
  })
  const restarted = new World({ journal: world.journal, store: world.memory })
  await restarted.service.completeQuiet(version + 2)
  assert.deepEqual(await restarted.journal.quietSince(version + 9, 9), [])
  assert.deepEqual(await restarted.completed(), [])
})

test('while nothing can be committed nothing is completed; a later round goes on', async () => {
  const world = new World()
  await world.send(ROOT)
  world.block = new DomainError('disk_full', 'full')
  assert.equal(await world.service.completeQuiet(world.version), false)
  assert.deepEqual(await world.completed(), [])
  world.block = null
  assert.equal(await world.service.completeQuiet(world.version), true)
  assert.equal((await world.completed()).length, 1)
})

const FAILED: TestSpan = { ...CHILD, status: { code: 2 } }
const ENDED: TestSpan = { ...ROOT, startTimeUnixNano: ns(0), endTimeUnixNano: ns(90) }

test('a run that copes with a failed step is ok; quiet without the end of a root makes it fail', async () => {
  const world = new World()
  const seen = async () => {
    const [trace] = await world.shown()
    return [trace?.status, trace?.failedSteps, trace?.flagged, trace?.growing]
  }
  await world.send(FAILED)
  assert.deepEqual(await seen(), ['ok', 1, false, true], 'it may recover')
  await world.service.completeQuiet(world.version)
  assert.deepEqual(await seen(), ['error', 1, true, true])
  assert.deepEqual(await world.completed(), [])
  await world.send({ ...ENDED, status: { code: 1 } })
  assert.deepEqual(await seen(), ['ok', 1, true, true], 'the root says so')
  await world.service.completeQuiet(world.version)
  assert.deepEqual(await seen(), ['ok', 1, true, false])
  const types = (await world.events()).map(({ type }) => type)
  assert.deepEqual(types, ['trace.committed', 'trace.flagged', 'trace.completed'])
})

test('a root that fails makes the run fail at once; one that never ends, when it is quiet', async () => {
  const failed = new World()
  await failed.send(CHILD, { ...ENDED, status: { code: 2 } })
  assert.deepEqual(
    (await failed.shown()).map(({ status, flagged }) => [status, flagged]),
    [['error', true]],
  )
  const endless = new World()
  await endless.send({ ...ROOT, startTimeUnixNano: ns(0), endTimeUnixNano: 0 }, FAILED)
  assert.equal((await endless.shown())[0]?.status, 'ok')
  await endless.service.completeQuiet(endless.version)
  assert.deepEqual(
    (await endless.shown()).map(({ status, growing }) => [status, growing]),
    [['error', false]],
  )
})

test('after the trees have left memory, late spans are counted with those before', async () => {
  const first = new World()
  const usage = (n: number) => ({ attributes: { 'gen_ai.usage.input_tokens': n } })
  await first.send({ ...CHILD, ...usage(7) })
  const second = new World({ journal: first.journal, store: first.memory })
  await second.send({ ...LATER, ...usage(5) })
  await second.send({ ...ROOT, ...usage(15) })
  assert.equal((await second.shown())[0]?.tokenUsage.input, 15)
})

test('a root that says nothing: what its last call of a model says counts, else the failed steps', async () => {
  const seen = async (...spans: readonly TestSpan[]) => {
    const world = new World()
    await world.send(...spans, ENDED)
    return (await world.shown()).map(({ status, failedSteps }) => [status, failedSteps])[0]
  }
  const call = (n: number, from: number, to: number, code?: number): TestSpan => ({
    spanId: spanId(n),
    parentSpanId: spanId(1),
    name: 'chat',
    startTimeUnixNano: ns(from),
    endTimeUnixNano: ns(to),
    attributes: { 'gen_ai.operation.name': 'chat' },
    ...(code === undefined ? {} : { status: { code } }),
  })
  assert.deepEqual(await seen(call(2, 0, 10, 2), call(3, 20, 30)), ['ok', 1])
  assert.deepEqual(await seen(call(2, 0, 10), call(3, 20, 30, 2)), ['error', 1])
  assert.deepEqual(await seen({ ...FAILED, startTimeUnixNano: ns(0), endTimeUnixNano: ns(5) }), ['error', 1])
})
