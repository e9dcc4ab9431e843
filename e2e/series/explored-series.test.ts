import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { times } from '../../packages/server/src/lib/times.test-support.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { ExploredWorld } from './explored-world.ts'

let service: Service
before(async () => void (service = await Service.start()))
after(() => service[Symbol.asyncDispose]())

const SEED = Number(process.env['SPOOR_TEST_SEED'] ?? 40)

test('series by any fields equal what reading every trace says, beside the time before', async () => {
  const world = new ExploredWorld(createRandom(SEED), service.client)
  await world.defineMetrics()
  for (let count = 0; count < 30; count++) await world.writeEarlier()
  for (let count = 0; count < 30; count++) await world.write()
  const from = Date.now()
  for (let count = 0; count < 20; count++) await world.write()
  await world.discoverClusters()
  await world.check(times(80), from)
})

test('bad requests of series say what is wrong', async () => {
  for (const [query, pointer] of [
    ['measure=duration_ms&stat=rate', '?stat'],
    ['measure=count&group_by=model&group_by=model', '?group_by'],
    ['measure=count&group_by=model&group_by=tool&group_by=name', '?group_by'],
    ['measure=count&group_by=metric.none', '?group_by'],
    ['measure=metric.none', '?measure'],
    ['measure=count&order=change', '?order'],
    ['measure=count&limit=101', '?limit'],
  ]) {
    const answer = await service.client.get(`/v1/steps/series?${query}`)
    assert.equal(answer.status, 422, answer.text)
    assert.match(answer.json<{ errors: { pointer: string }[] }>().errors[0]!.pointer, new RegExp(`^\\${pointer}`))
  }
})
