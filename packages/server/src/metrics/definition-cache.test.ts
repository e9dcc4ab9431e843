import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'
import { aMetric, OWN_PROJECT } from './metric-builders.test-support.ts'
import { DefinitionCache } from './definition-cache.ts'

test('a definition that another node changed is read again, and no other time', async () => {
  let [stored, version, reads]: [MetricDefinition, number, number] = [aMetric({ name: 'score' }), 1, 0]
  const find = async () => {
    reads += 1
    return stored
  }
  const cache = new DefinitionCache(
    { findByName: find, findById: find, list: async () => [] },
    1e6,
    async () => version,
  )
  const found = async () => [
    (await cache.findByName(OWN_PROJECT, 'score'))?.description,
    (await cache.findById(OWN_PROJECT, stored.id))?.description,
  ]
  assert.deepEqual(await found(), [stored.description, stored.description])
  assert.equal(reads, 1)
  stored = { ...stored, description: 'changed' }
  version += 1
  assert.deepEqual(await found(), ['changed', 'changed'])
  assert.deepEqual(await found(), ['changed', 'changed'])
  assert.equal(reads, 2)
})
