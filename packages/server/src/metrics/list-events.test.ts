import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { ByteGate } from '../lib/flow/byte-gate.ts'
import { createIdGenerator } from '../lib/ids/ids.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { metricEventRecord } from '../traces/commit/metric-event-builders.test-support.ts'
import { idAt } from '../traces/trace-builders.test-support.ts'
import { eventsOf, listEvents, type ListEventsDependencies } from './list-events.ts'
import { MemoryMetricStore } from '../ports/metrics/memory-metrics.test-support.ts'

const ids = createIdGenerator({ now: () => Date.UTC(2026, 2, 3) }, systemRandomBytes)
const PROJECT: ProjectId = ids.newId('proj')
const TRACE: TraceId = ids.newId('tr')

test('metric events of a trace are not queried until its project has a metric', async () => {
  const store = new MemoryMetricStore()
  let asked = 0
  const events = {
    list: () => assert.fail('no list is read'),
    findByTraces: async () => {
      asked += 1
      return []
    },
  }
  const dependencies = { events, definitions: store, answers: new ByteGate(10_000_000) }
  const read = async (projectId: ProjectId) => {
    for await (const page of eventsOf(dependencies, projectId, TRACE)) assert.deepEqual(page, [])
  }

  await read(PROJECT)
  assert.equal(asked, 0)
  const meaning = { description: null, min: null, max: null, unit: null, options: null, direction: null }
  const times = { createdAt: 0, updatedAt: 0 }
  const definition = { ...meaning, ...times, projectId: PROJECT, id: ids.newId('met'), name: 'score' }
  await store.add({ ...definition, kind: 'numeric' }, 10)
  await read(PROJECT)
  await read(PROJECT)
  assert.equal(asked, 2)
  await read(ids.newId('proj'))
  assert.equal(asked, 2)
})

test('a list of events of traces that pass has each of them once, and its pages end early', async () => {
  const store = new MemoryMetricStore()
  const meaning = { description: null, min: null, max: null, unit: null, options: null, direction: null }
  const times = { createdAt: 0, updatedAt: 0 }
  const metricId = ids.newId('met')
  await store.add({ ...meaning, ...times, projectId: PROJECT, id: metricId, name: 'score', kind: 'boolean' }, 10)
  const count = 45_000
  const all = Array.from({ length: count }, (_, n) =>
    metricEventRecord(idAt('mev', count - n), { metricId, traceId: idAt('tr', n % 1000), at: count - n }),
  )
  let widest = 0
  const events: ListEventsDependencies['events'] = {
    list: async ({ after, limit }) => {
      const from = after === null ? 0 : count - after.at + 1
      return all.slice(from, from + limit)
    },
    findByTraces: () => assert.fail('traces are not read'),
  }
  const dependencies = { events, definitions: store, answers: new ByteGate(10_000_000) }
  const wanted = new Set([idAt('tr', 7), idAt('tr', 999)])
  const passing = async (traceIds: readonly TraceId[]) => {
    widest = Math.max(widest, traceIds.length)
    assert.equal(new Set(traceIds).size, traceIds.length)
    return new Set(traceIds.filter((id) => wanted.has(id)))
  }
  const none = { traceId: null, stepId: null, source: null, metadata: [], startTime: null, endTime: null }
  const query = { projectId: PROJECT, name: 'score', ...none, ...toTraceFilters('events', {}), passing }
  for (const limit of [1, 7, 1000]) {
    const seen: string[] = []
    let pages = 0
    for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
      const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(dependencies, { ...query, limit, cursor })
      assert.ok(page.events.length <= limit)
      seen.push(...page.events.map(({ event }) => event.id))
      cursor = page.nextCursor
    }
    assert.deepEqual(
      seen,
      all.filter(({ traceId }) => wanted.has(traceId)).map(({ id }) => id),
    )
    if (limit === 1000) assert.equal(pages, 3)
  }
  assert.ok(widest > 64 && widest <= 512)
})
