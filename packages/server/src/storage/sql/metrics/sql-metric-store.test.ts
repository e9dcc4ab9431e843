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

test('a definition that another process changed is read again, and no other time', async (context) => {
  const dataDir = temporaryFolder(context)
  const [own, other] = [temporaryStore(context, { dataDir }), temporaryStore(context, { dataDir })]
  await own.projects.create({ id: OWN_PROJECT, name: 'p', createdAt: 0 }, [])
  const { id, name, description } = aMetric()
  await own.metrics.add(aMetric(), 10)
  const found = async () => [
    (await own.metrics.findByName(OWN_PROJECT, name))?.description,
    (await own.metrics.findById(OWN_PROJECT, id))?.description,
  ]
  assert.deepEqual(await found(), [description, description])
  await other.metrics.change(OWN_PROJECT, name, (present) => ({ ...present, description: 'changed' }))
  assert.deepEqual(await found(), ['changed', 'changed'])
  const kept = await own.metrics.findByName(OWN_PROJECT, name)
  assert.equal(await own.metrics.findByName(OWN_PROJECT, name), kept, 'the same object')
  await own.metrics.change(OWN_PROJECT, name, (present) => ({ ...present, description: 'again' }))
  assert.deepEqual(await found(), ['again', 'again'])
})
