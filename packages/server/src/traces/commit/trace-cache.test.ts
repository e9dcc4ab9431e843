import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../trace-builders.test-support.ts'
import { TraceCache } from './trace-cache.ts'
import { UsageTree } from '../rules/usage-tree.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

const [FIRST, SECOND] = [idAt('tr', 1), idAt('tr', 2)]

function setup(maxBytes = 1_000_000) {
  const loads: {
    projectId: ProjectId
    ids: readonly TraceId[]
    answer: (...traces: readonly TraceRecord[]) => void
    fail: (error: Error) => void
  }[] = []
  const cache = new TraceCache(
    maxBytes,
    (projectId, ids) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly TraceRecord[]>()
      loads.push({ projectId, ids, answer: (...traces) => resolve(traces), fail: reject })
      return promise
    },
    async (trace) => new UsageTree(() => null, trace.version),
  )
  return { cache, loads }
}

/** Look-ups of one turn are loaded at its end. */
function turnEnd(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('callers at the same time share a load', async () => {
  const { cache, loads } = setup()
  const held = [cache.hold(PROJECT, FIRST), cache.hold(PROJECT, FIRST)]
  await turnEnd()
  assert.equal(loads.length, 1)
  loads[0]?.answer(traceRecord(FIRST))
  assert.deepEqual(
    (await Promise.all(held)).map((trace) => trace?.id),
    [FIRST, FIRST],
  )
  assert.equal((await cache.hold(PROJECT, FIRST))?.id, FIRST)
  assert.equal(loads.length, 1)
})

test('a look-up by another project does not hide a trace from its owner', async () => {
  const { cache, loads } = setup()
  const [foreign, own] = [cache.hold(OTHER_PROJECT, FIRST), cache.hold(PROJECT, FIRST)]
  await turnEnd()
  assert.equal(loads.length, 2)
  for (const load of loads) load.answer(...(load.projectId === PROJECT ? [traceRecord(FIRST)] : []))
  assert.equal(await foreign, null)
  assert.equal((await own)?.id, FIRST)
  assert.equal(await cache.hold(OTHER_PROJECT, FIRST), null, 'another project does not see what is in memory')
  assert.equal(cache.current(FIRST).id, FIRST)
})

test('look-ups during a load are batched into the next: one query for each project, at most 250 traces', async () => {
  const { cache, loads } = setup(100_000_000)
  const ids = Array.from({ length: 252 }, (_, index) => idAt('tr', 1, index))
  const held = [...ids.map((id) => cache.hold(PROJECT, id)), cache.hold(OTHER_PROJECT, SECOND)]
  await turnEnd()
  // One of them does not exist and one load fails; the others are loaded.
  loads[0]?.answer()
  loads[1]?.answer(traceRecord(SECOND, { projectId: OTHER_PROJECT }))
  await turnEnd()
  loads[2]?.answer(...ids.slice(1, 251).map((id) => traceRecord(id)))
  await turnEnd()
  loads[3]?.fail(new Error('no disk'))
  const results = await Promise.allSettled(held)
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value?.id : 'failed')),
    [undefined, ...ids.slice(1, 251), 'failed', SECOND],
  )
  assert.deepEqual(
    loads.map((load) => [load.projectId, load.ids]),
    [
      [PROJECT, ids.slice(0, 1)],
      [OTHER_PROJECT, [SECOND]],
      [PROJECT, ids.slice(1, 251)],
      [PROJECT, ids.slice(251)],
    ],
  )
  const later = [cache.hold(PROJECT, FIRST), cache.hold(PROJECT, ids[1]!)]
  await turnEnd()
  assert.deepEqual(loads[4]?.ids, [FIRST], 'a trace in memory is not loaded again')
  loads[4]?.answer(traceRecord(FIRST))
  await Promise.all(later)
})

test('a load never replaces a version that a commit has put meanwhile', async () => {
  const { cache, loads } = setup()
  const held = cache.hold(PROJECT, FIRST)
  await turnEnd()
  cache.put([traceRecord(FIRST, { version: 5 })])
  loads[0]?.answer(traceRecord(FIRST, { version: 4 }))
  assert.equal((await held)?.version, 5)
  assert.equal(cache.current(FIRST).version, 5)
})

test('deleted and missing traces are not held; a failed load is retried', async () => {
  const { cache, loads } = setup()
  const missing = cache.hold(PROJECT, FIRST)
  await turnEnd()
  loads[0]?.answer()
  assert.equal(await missing, null)
  assert.throws(() => cache.current(FIRST), /not held/)
  cache.put([traceRecord(SECOND, { deleted: true })])
  assert.equal(await cache.hold(PROJECT, SECOND), null)
  const failing = cache.hold(PROJECT, FIRST)
  await turnEnd()
  loads[1]?.fail(new Error('no disk'))
  await assert.rejects(failing, /no disk/)
  const again = cache.hold(PROJECT, FIRST)
  await turnEnd()
  loads[2]?.answer(traceRecord(FIRST))
  assert.equal((await again)?.id, FIRST)
})

test('the least recently used traces are evicted first, held ones never', async () => {
  const { cache, loads } = setup(6000)
  const big = (id: TraceId) => traceRecord(id, { metadata: Buffer.alloc(1500, 0x20) })
  const held = cache.hold(PROJECT, FIRST)
  await turnEnd()
  loads[0]?.answer(big(FIRST))
  await held
  const others = [10, 11, 12].map((at) => idAt('tr', at))
  for (const id of others) cache.put([big(id)])
  assert.equal(cache.current(FIRST).id, FIRST)
  assert.throws(() => cache.current(others[0]!), /not held/)
  assert.equal(cache.current(others[2]!).id, others[2])
  cache.release(FIRST)
  cache.put([big(SECOND), big(idAt('tr', 20))])
  assert.throws(() => cache.current(FIRST), /not held/)
})

test('a cached trace shares no memory with the request', () => {
  const { cache } = setup()
  const body = Buffer.from('x{"a":1}x')
  cache.put([traceRecord(FIRST, { metadata: body.subarray(1, 8) })])
  body.fill(0)
  assert.equal(cache.current(FIRST).metadata.toString(), '{"a":1}')
})

test('traces that may be old are forgotten; an operation that holds one fails, unless a later version comes', async () => {
  const { cache, loads } = setup()
  cache.put([traceRecord(FIRST), traceRecord(SECOND, { projectId: OTHER_PROJECT })])
  await cache.hold(PROJECT, FIRST)
  await cache.hold(OTHER_PROJECT, SECOND)
  cache.forget((projectId) => projectId === PROJECT)
  assert.throws(() => cache.current(FIRST), { code: 'storage_unavailable' })
  assert.equal(cache.current(SECOND).id, SECOND)
  cache.put([traceRecord(FIRST, { version: 7 })])
  assert.equal(cache.current(FIRST).version, 7)

  cache.forget((projectId) => projectId === PROJECT)
  cache.release(FIRST)
  const again = cache.hold(PROJECT, FIRST)
  await turnEnd()
  loads[0]?.answer(traceRecord(FIRST, { version: 8 }))
  assert.equal((await again)?.version, 8)
  cache.release(FIRST)
  cache.forget((projectId) => projectId === PROJECT)
  void cache.hold(PROJECT, FIRST)
  await turnEnd()
  assert.equal(loads.length, 2)
})
