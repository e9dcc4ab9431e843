import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, inSlices } from './in-slices.ts'

/** Each piece takes this long. */
const PIECE_MS = 2

function world() {
  let nowMs = 0
  let turns = 0
  const slicing = { now: () => nowMs, nextTurn: async () => void (turns += 1) }
  function* pieces(count: number) {
    for (let index = 0; index < count; index++) {
      nowMs += PIECE_MS
      yield
    }
    return count
  }
  return { slicing, pieces, turns: () => turns }
}

test('work that ends within a slice is returned at once', () => {
  const { slicing, pieces, turns } = world()
  assert.equal(inSlices(pieces(2), slicing), 2)
  assert.equal(turns(), 0)
})

test('the event loop turns after every 5 ms', async () => {
  const { slicing, pieces, turns } = world()
  assert.equal(await inSlices(pieces(30), slicing), 30)
  assert.equal(turns(), 10)
})

test('what the work throws arrives, in the first slice and in a later one', async () => {
  const { slicing, pieces } = world()
  function* failing(after: number): Generator<void, never> {
    yield* pieces(after)
    throw new Error('broken')
  }
  assert.throws(() => inSlices(failing(1), slicing), /broken/)
  await assert.rejects(async () => inSlices(failing(10), slicing), /broken/)
})

test('at once: no turn between', () => {
  const { pieces } = world()
  assert.equal(atOnce(pieces(30)), 30)
})
