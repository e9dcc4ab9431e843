import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, inSlices } from './in-slices.ts'

/** The duration of each piece. */
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

test('returns the result of work that ends within a slice at once', () => {
  const { slicing, pieces, turns } = world()
  assert.equal(inSlices(pieces(2), slicing), 2)
  assert.equal(turns(), 0)
})

test('yields to the event loop after every 5 ms', async () => {
  const { slicing, pieces, turns } = world()
  assert.equal(await inSlices(pieces(30), slicing), 30)
  assert.equal(turns(), 10)
})

test('passes on errors of the work, in the first slice and in a later one', async () => {
  const { slicing, pieces } = world()
  function* failing(after: number): Generator<void, never> {
    yield* pieces(after)
    throw new Error('broken')
  }
  assert.throws(() => inSlices(failing(1), slicing), /broken/)
  await assert.rejects(async () => inSlices(failing(10), slicing), /broken/)
})

test('atOnce runs without yielding to the event loop', () => {
  const { pieces } = world()
  assert.equal(atOnce(pieces(30)), 30)
})
