import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import type { OwnPrice } from '../ports/prices/price.ts'
import { createPricer } from './pricer.ts'

const OWN = 'proj_own' as ProjectId
const OTHER = 'proj_other' as ProjectId
const TOKENS = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }

function price(input: number): ReadonlyMap<string, OwnPrice> {
  const model = 'house-model'
  return new Map([[model, { model, input, output: 0, cacheRead: null, cacheWrite: null, updatedAt: 1 }]])
}

test('prices are those of the project; the next pricer sees a change, an earlier one does not', async () => {
  const stored = new Map([[OWN, price(3)]])
  const pricer = createPricer({ own: async (projectId) => stored.get(projectId) ?? new Map() })
  const before = await pricer(OWN)
  assert.equal(before('house-model', TOKENS), 3)
  assert.equal(await pricer(OWN), before, 'kept as long as the prices stand')
  assert.equal((await pricer(OTHER))('house-model', TOKENS), null)
  stored.set(OWN, price(4))
  assert.deepEqual([(await pricer(OWN))('house-model', TOKENS), before('house-model', TOKENS)], [4, 3])
  stored.delete(OWN)
  assert.equal((await pricer(OWN))('house-model', TOKENS), null)
  assert.equal((await pricer(OWN))('gpt-4o-2024-08-06', TOKENS), 2.5)
})

test('more models and projects than are cached are priced all the same', async () => {
  const pricer = createPricer({ own: async () => price(3) })
  for (let i = 0; i < 300; i++) {
    const project = `proj_${i}` as ProjectId
    assert.equal((await pricer(project))('house-model', TOKENS), 3)
    assert.equal((await pricer(OWN))(`unknown ${i}`, TOKENS), null)
    assert.equal((await pricer(OWN))('house-model', TOKENS), 3)
  }
  assert.equal((await pricer(OWN))('x'.repeat(1000), TOKENS), null)
})
