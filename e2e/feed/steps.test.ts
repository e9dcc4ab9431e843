import { test } from 'node:test'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { StepsWorld } from './steps-world.ts'

const SEED = Number(process.env['SPOOR_TEST_SEED'] ?? 40)

test('lists of steps and of traces by their steps equal what reading every trace says', async () => {
  await using service = await Service.start()
  const world = new StepsWorld(createRandom(SEED), [service.client])
  for (let count = 0; count < 60; count++) await world.write()
  await world.check(60)
})
