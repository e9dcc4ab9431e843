import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inParallel } from './in-parallel.ts'

const turn = () => new Promise<void>((go) => setImmediate(go))

test('runs no more than the allowed number at once, and returns results in the order of the items', async () => {
  let running = 0
  let most = 0
  const results = await inParallel([3, 1, 2, 5, 4], 2, async (turns, index) => {
    most = Math.max(most, ++running)
    for (let passed = 0; passed < turns; passed++) await turn()
    running--
    return `${index}:${turns}`
  })
  assert.deepEqual([most, results], [2, ['0:3', '1:1', '2:2', '3:5', '4:4']])
  assert.deepEqual(await inParallel([], 2, turn), [])
})

test('after a failure nothing more is started, and running work ends before it rejects', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  const failing = inParallel([0, 1, 2, 3], 2, async (item) => {
    begun.push(item)
    await turn()
    if (item === 0) throw new Error('the first')
    await turn()
    ended.push(item)
  })
  await assert.rejects(failing, /the first/)
  assert.deepEqual([begun, ended], [[0, 1], [1]])
})
