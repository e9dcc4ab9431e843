import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkTurns } from './work-turns.ts'

function createWorld() {
  let now = 0
  const next: (() => void)[] = []
  const turns = new WorkTurns({ now: () => now, nextTurn: (run) => next.push(run) })
  const done: string[] = []
  return {
    done,
    scheduled: () => next.length,
    work: (name: string, ms: number) =>
      turns.run(() => {
        now += ms
        done.push(name)
        return name
      }),
    turn: () => next.splice(0).forEach((run) => run()),
  }
}

test('work that meets no other runs at once', async () => {
  const { work, done } = createWorld()
  const result = work('a', 4)
  assert.deepEqual(done, ['a'])
  assert.equal(await result, 'a')
})

test('what does not fit in a turn runs in the next ones, in order', () => {
  const { work, done, turn, scheduled } = createWorld()
  for (const name of ['a', 'b', 'c', 'd', 'e']) void work(name, 6)
  assert.deepEqual(done, ['a', 'b'])
  turn()
  assert.deepEqual(done, ['a', 'b', 'c', 'd'])
  void work('f', 6)
  assert.deepEqual(done, ['a', 'b', 'c', 'd'])
  turn()
  assert.deepEqual(done, ['a', 'b', 'c', 'd', 'e', 'f'])
  turn()
  assert.equal(scheduled(), 0)
})

test('work longer than a turn runs whole, and what throws fails alone', async () => {
  const { work, done, turn } = createWorld()
  const long = work('long', 500)
  const after = work('after', 1)
  turn()
  assert.deepEqual([await long, await after, done], ['long', 'after', ['long', 'after']])
  const turns = new WorkTurns({ now: () => 0, nextTurn: () => assert.fail('nothing took time') })
  await assert.rejects(
    turns.run(() => {
      throw new Error('broken')
    }),
    /broken/,
  )
  assert.equal(await turns.run(() => 1), 1)
})
