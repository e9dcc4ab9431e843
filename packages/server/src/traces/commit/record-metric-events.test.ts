import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { MemoryRows } from '../../storage/embedded/memory-rows.test-support.ts'
import type { NewScore } from './plan/events.ts'
import { score } from './metric-event-builders.test-support.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import type { StepPlace } from '../../ports/traces/trace-store.ts'
import { TraceWorld } from '../trace-world.test-support.ts'

const UNKNOWN = idAt('tr', 1)

/** A store that counts its queries. */
class CountingStore extends MemoryRows {
  readonly asked: number[] = []
  readonly askedSteps: number[] = []

  override findTraces(...given: Parameters<MemoryRows['findTraces']>) {
    this.asked.push(given[1].length)
    return super.findTraces(...given)
  }

  override findStepsAmong(...given: Parameters<MemoryRows['findStepsAmong']>): Promise<StepPlace[]> {
    this.askedSteps.push(given[1].length)
    return super.findStepsAmong(...given)
  }
}

async function opened(bodies: readonly object[]) {
  const store = new CountingStore()
  const world = new TraceWorld({ store })
  const receipts = []
  for (const body of bodies) receipts.push(await world.commit(body))
  const record = (...scores: readonly NewScore[]) => world.service.recordMetricEvents(PROJECT, scores)
  return { world, store, receipts, record }
}

const summary = (verdicts: readonly { status: string; code?: string }[]) =>
  verdicts.map((verdict) => verdict.code ?? verdict.status)

test('events are durable, journaled and readable in arrival order; no trace is written', async () => {
  const { world, store, receipts, record } = await opened([{ name: 'a' }, { name: 'b' }])
  const before = world.published.length
  const [a, b] = receipts.map(({ id }) => id) as [TraceId, TraceId]
  const verdicts = await record(score({ traceId: b }), score({ traceId: a }), score({ traceId: b }))
  const events = verdicts.map((verdict) => (verdict.status === 'created' ? verdict.event : assert.fail()))
  assert.deepEqual(
    events.map(({ traceId }) => traceId),
    [b, a, b],
  )
  assert.deepEqual(
    events.map(({ id }) => id).toSorted(),
    events.map(({ id }) => id),
  )
  assert.deepEqual(store.metricEvents, events)
  assert.deepEqual(
    world.published.slice(before).flatMap((row) => row.events),
    events.map(({ id, traceId }) => ({ type: 'metric.event', traceId, eventId: id })),
  )
  assert.deepEqual((await world.events()).slice(-3), world.published.at(-1)?.events)
  const { traces } = await world.list()
  assert.deepEqual(
    traces.map(({ version }) => version),
    [2, 1],
  )
  assert.equal(world.journal.last().version, 3)
})

test('an invalid event does not affect the others', async () => {
  const { world, receipts, record } = await opened([{ name: 'a', steps: [{ name: 's' }] }, { name: 'gone' }])
  const [{ id, stepIds }, { id: gone }] = receipts as [(typeof receipts)[0], (typeof receipts)[0]]
  await world.service.useCases.delete(PROJECT, gone)
  const foreign = await world.commit({ name: 'theirs' }, { projectId: OTHER_PROJECT })
  const verdicts = await record(
    score({ traceId: UNKNOWN }),
    score({ traceId: id, stepId: stepIds[0]! }),
    score({ traceId: id, stepId: idAt('st', 7) }),
    score({ traceId: gone }),
    score({ traceId: foreign.id }),
    score({ traceId: id }),
  )
  const expected = ['unknown_trace', 'created', 'unknown_step', 'unknown_trace', 'unknown_trace', 'created']
  assert.deepEqual(summary(verdicts), expected)
  assert.deepEqual(await record(), [])
  const before = world.journal.last().version
  assert.deepEqual(summary(await record(score({ traceId: UNKNOWN }))), ['unknown_trace'])
  assert.equal(world.journal.last().version, before, 'a call without valid events makes no commit')
})

test('a key is recognised within its trace, in the same call and later, and separately from keys of steps', async () => {
  const { world, receipts, record } = await opened([
    { name: 'a', steps: [{ name: 's', idempotency_key: 'one' }] },
    { name: 'b' },
  ])
  const [a, b] = receipts.map(({ id }) => id) as [TraceId, TraceId]
  const keyed = (traceId: TraceId, idempotencyKey: string, content = 'a') =>
    score({ traceId, idempotencyKey, contentHash: content.repeat(64) })
  const first = await record(keyed(a, 'one'), keyed(a, 'one'), keyed(a, 'one', 'b'), keyed(b, 'one'), keyed(a, 'two'))
  assert.deepEqual(summary(first), ['created', 'duplicate', 'idempotency_conflict', 'created', 'created'])
  const [created, duplicate] = first
  assert.ok(created?.status === 'created' && duplicate?.status === 'duplicate')
  assert.equal(duplicate.eventId, created.event.id)
  const version = world.journal.last().version
  const again = await record(keyed(a, 'one'), keyed(a, 'one', 'b'))
  assert.deepEqual(summary(again), ['duplicate', 'idempotency_conflict'])
  assert.deepEqual(again[0], duplicate)
  assert.equal(world.journal.last().version, version)
  // Two calls at the same time share a commit.
  const both = await Promise.all([record(keyed(b, 'three')), record(keyed(b, 'three'))])
  assert.deepEqual(summary(both.flat()), ['created', 'duplicate'])
  assert.deepEqual(summary(await world.appendSteps(a, { name: 's', idempotency_key: 'one' })), ['duplicate'])
})

test('many traces and steps that are not cached need few queries', async () => {
  const bodies = Array.from({ length: 60 }, () => ({
    name: 't',
    metadata: { filler: 'x'.repeat(200_000) },
    steps: [{ name: 's' }],
  }))
  const { store, receipts, record } = await opened(bodies)
  store.asked.length = 0
  const verdicts = await record(
    ...receipts.flatMap(({ id, stepIds }) => [
      score({ traceId: id, stepId: stepIds[0]! }),
      score({ traceId: id, stepId: stepIds[0]! }),
      score({ traceId: id, stepId: idAt('st', 3) }),
    ]),
  )
  assert.deepEqual(new Set(summary(verdicts.filter((_, index) => index % 3 < 2))), new Set(['created']))
  assert.deepEqual(new Set(summary(verdicts.filter((_, index) => index % 3 === 2))), new Set(['unknown_step']))
  assert.ok(store.asked.length <= 2, 'the first alone, then all others')
  assert.ok(Math.max(...store.asked) > 20, 'a cache of six megabytes cannot hold them')
  assert.deepEqual(store.askedSteps, [120])
})

test('an event stores the metadata that series need; its own metadata overrides that of the trace', async () => {
  const { store, receipts, record } = await opened([
    {
      name: 'a',
      run_type: 'eval',
      metadata: { task: 7, env: 'prod', twice: 'trace' },
      steps: [
        { name: 's', model: 'm1' },
        { name: 's', model: 'm2' },
      ],
    },
  ])
  const staged: unknown[] = []
  const stage = store.stage.bind(store)
  store.stage = async (commit) => (staged.push(...commit.metricEvents), stage(commit))
  await record(score({ traceId: receipts[0]!.id, metadata: Buffer.from('{ "env": "test", "own": true }') }))
  const [{ runType, models, terms }] = staged as [{ runType: string; models: string[]; terms: string[] }]
  assert.deepEqual([runType, models], ['eval', ['m1', 'm2']])
  assert.deepEqual(terms.toSorted(), [
    'h\0env',
    'h\0own',
    'h\0task',
    'h\0twice',
    'k\0env\0"test"',
    'k\0own\0true',
    'k\0task\x007',
    'k\0twice\0"trace"',
  ])
})

test('a failed commit rejects the call, stores nothing and leaves the keys unused', async () => {
  const { world, store, receipts, record } = await opened([{ name: 'a' }])
  const event = score({ traceId: receipts[0]!.id, idempotencyKey: 'k' })
  store.failures = 1
  await assert.rejects(
    record(event, event),
    (error) => error instanceof DomainError && error.code === 'storage_unavailable',
  )
  assert.deepEqual(store.metricEvents, [])
  assert.deepEqual(summary(await record(event, event)), ['created', 'duplicate'])
  assert.equal(store.metricEvents.length, 1)
  world.block = new DomainError('disk_full', 'full')
  await assert.rejects(record(event), (error) => error instanceof DomainError && error.code === 'disk_full')
})

test('a trace whose look-up fails rejects the call and releases the other traces', async () => {
  const { store, record } = await opened([])
  store.beforeRead = () => {
    throw new DomainError('storage_unavailable', 'no disk')
  }
  await assert.rejects(record(score({ traceId: UNKNOWN })), DomainError)
  store.beforeRead = () => undefined
  assert.deepEqual(summary(await record(score({ traceId: UNKNOWN }))), ['unknown_trace'])
})

test('when a trace is deleted between look-up and commit, its event is refused; an event before the deletion is deleted with it', async () => {
  const { world, store, receipts, record } = await opened([{ name: 'a' }, { name: 'b' }])
  const [a, b] = receipts.map(({ id }) => id) as [TraceId, TraceId]
  const { promise: written, resolve: endWrite } = Promise.withResolvers<void>()
  store.beforeStage = () => written
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const running = world.commit({ name: 'c' })
  await turn()
  await turn()
  const early = record(score({ traceId: b }))
  await turn()
  const deletions = [a, b].map((id) => world.service.useCases.delete(PROJECT, id))
  await turn()
  const late = record(score({ traceId: a, idempotencyKey: 'x' }))
  await turn()
  const { version } = world.journal.last()
  endWrite()
  await Promise.all([running, ...deletions])
  assert.equal(world.journal.last().version, version + 2, 'all three in one commit')
  assert.deepEqual(summary(await early), ['created'])
  assert.deepEqual(summary(await late), ['unknown_trace'])
  assert.deepEqual(
    store.metricEvents.map(({ traceId }) => traceId),
    [b],
  )
  assert.equal(world.journal.findMetricEventKey(a, 'x'), undefined)
})

test('a call beyond the limit is a programming error', async () => {
  const { record } = await opened([])
  await assert.rejects(record(...Array.from({ length: 1001 }, () => score())), RangeError)
})

test('trace metadata is parsed once for all its events and shared by events without their own', async () => {
  const { store, receipts, record } = await opened([{ name: 'a', metadata: { env: 'prod', team: 'x' } }, { name: 'b' }])
  const terms: (readonly string[])[] = []
  const stage = store.stage.bind(store)
  store.stage = async (commit) => {
    for (const event of commit.metricEvents) terms.push(event.terms)
    return stage(commit)
  }
  const [a, b] = receipts.map(({ id }) => id) as [TraceId, TraceId]
  const metadata = Buffer.from('{"env":"dev"}')
  await record(score({ traceId: a }), score({ traceId: b }), score({ traceId: a, metadata }), score({ traceId: a }))
  assert.deepEqual(terms[0], ['k\0env\0"prod"', 'k\0team\0"x"', 'h\0env', 'h\0team'])
  assert.equal(terms[3], terms[0])
  assert.deepEqual(terms[1], [])
  assert.deepEqual(terms[2], ['k\0env\0"dev"', 'k\0team\0"x"', 'h\0env', 'h\0team'])
})
