import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../api/client/api-error.ts'
import { changedWords, changeEach } from './change-each.ts'

test('each is changed once, four at most at once, and a failure stops no other', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `tr_${n}`)
  const seen: string[] = []
  let running = 0
  let most = 0
  const changed = await changeEach(ids, async (id) => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    seen.push(id)
    if (id === 'tr_3' || id === 'tr_7') throw new ApiError(404, { detail: 'No such trace.' })
  })
  assert.deepEqual(seen.toSorted(), ids.toSorted())
  assert.equal(most, 4)
  assert.equal(changed.done.length, 18)
  assert.deepEqual([...changed.failed.keys()].toSorted(), ['tr_3', 'tr_7'])
  assert.equal(changedWords(changed, 'flagged'), '18 of 20 traces flagged. No such trace.')
})

test('words for one and for several', async () => {
  const change = async () => {}
  assert.equal(changedWords(await changeEach(['a'], change), 'deleted'), '1 trace deleted')
  assert.equal(changedWords(await changeEach(['a', 'b'], change), 'deleted'), '2 traces deleted')
  assert.equal(
    changedWords(await changeEach(['a'], change), 'deleted', 'For a while.'),
    '1 trace deleted. For a while.',
  )
})
