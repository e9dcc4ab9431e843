import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aMetric, FOREIGN_PROJECT, OWN_PROJECT } from '../../../metrics/metric-builders.test-support.ts'
import { testMetricStore } from '../../../ports/metrics/metric-store.conformance.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

testMetricStore(async (context) => {
  const store = temporaryStore(context)
  for (const projectId of [OWN_PROJECT, FOREIGN_PROJECT]) {
    await store.projects.create({ id: projectId, name: 'p', createdAt: 0 }, [])
  }
  return store.metrics
})

test('definitions are durable', async (context) => {
  const dataDir = temporaryFolder(context)
  const first = temporaryStore(context, { dataDir })
  await first.projects.create({ id: OWN_PROJECT, name: 'p', createdAt: 0 }, [])
  await first.metrics.add(aMetric(), 10)
  const second = temporaryStore(context, { dataDir })
  assert.deepEqual(await second.metrics.findByName(OWN_PROJECT, aMetric().name), aMetric())
})
