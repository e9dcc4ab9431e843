import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailurePatterns } from '@spoor/contract/schemas/traces/failure-patterns'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import { times } from '../../packages/server/src/lib/times.test-support.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { StepsWorld } from './steps-world.ts'

const SEED = Number(process.env['SPOOR_TEST_SEED'] ?? 40)

test('lists of steps and of traces by their steps equal what reading every trace says; filters of patterns find their runs', async () => {
  await using service = await Service.start()
  const world = new StepsWorld(createRandom(SEED), [service.client])
  for (let count = 0; count < 60; count++) await world.write()
  await world.check(times(10))
  const { patterns, failed, ok, complete } = (
    await service.client.get('/v1/patterns?failure_by=status&limit=100')
  ).json<FailurePatterns>()
  assert.deepEqual([patterns.some(({ kind }) => kind === 'failed_tool'), complete], [true, true])
  const idsOf = async (filters: Record<string, string>, status: string) => {
    const query = new URLSearchParams({ ...filters, status, limit: '200' })
    return (await service.client.get(`/v1/traces?${query}`)).json<TraceFeed>().traces.map(({ id }) => id)
  }
  assert.deepEqual([(await idsOf({}, 'error')).length, (await idsOf({}, 'ok')).length], [failed, ok])
  for (const pattern of patterns) {
    if (pattern.filters === null) continue
    const [bad, good] = [await idsOf(pattern.filters, 'error'), await idsOf(pattern.filters, 'ok')]
    assert.deepEqual([bad.length, good.length], [pattern.failed.with, pattern.ok.with], pattern.what)
    const most = pattern.effect > 0 ? bad : good
    assert.deepEqual(pattern.example_trace_ids, most.toSorted().slice(0, 3), pattern.what)
  }
})
