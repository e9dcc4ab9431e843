import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { ByteGate } from '../lib/flow/byte-gate.ts'
import { createIdGenerator } from '../lib/ids/ids.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { eventsOf } from './list-events.ts'
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
