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
    turns,
    scheduled: () => next.length,
    work: (name: string, ms: number, owner = 'one') =>
      turns.run(owner, () => {
        now += ms
        done.push(name)
        return name
      }),
    /** This many steps of one millisecond each. */
    steps: (name: string, count: number, owner = 'one') => {
      let left = count
      return turns.steps(owner, () => {
        now += 1
        done.push(name)
        return --left > 0
      })
    },
    turn: () => next.splice(0).forEach((run) => run()),
    /** The steps since the last call. */
    taken: () => done.splice(0).join(''),
  }
}

test('runs work at once if there is no other', async () => {
  const { work, done } = createWorld()
  const result = work('a', 4)
  assert.deepEqual(done, ['a'])
  assert.equal(await result, 'a')
})

test('work that does not fit into a turn runs in the next turns, in order', () => {
  const { work, taken, turn, scheduled } = createWorld()
  for (const name of ['a', 'b', 'c', 'd', 'e']) void work(name, 3)
  assert.equal(taken(), 'ab')
  turn()
  assert.equal(taken(), 'cd')
  void work('f', 3)
  assert.equal(taken(), '')
  turn()
  assert.equal(taken(), 'ef')
  turn()
  assert.equal(scheduled(), 0)
})

test('steps continue in the next turn, and the promise resolves with the last step', async () => {
  const { steps, taken, turn } = createWorld()
  let over = false
  const all = steps('a', 12).then(() => (over = true))
  const counts = [taken().length]
  for (let turns = 0; turns < 2; turns++) {
    await Promise.resolve()
    assert.equal(over, false)
    turn()
    counts.push(taken().length)
  }
  await all
  assert.deepEqual(counts, [5, 5, 2])
})

test('forty tasks together get one turn, not one each', () => {
  const { steps, taken, turn } = createWorld()
  for (let task = 0; task < 40; task++) void steps('a', 100, `owner ${task}`)
  assert.equal(taken().length, 5)
  turn()
  assert.equal(taken().length, 5)
})

test('owners take turns, however many tasks each has, and so do the tasks of one owner', () => {
  const { steps, taken, turn } = createWorld()
  for (const name of ['a', 'b', 'c']) void steps(name, 10, 'many')
  void steps('x', 10, 'few')
  const turns = [taken()]
  for (let count = 0; count < 7; count++) {
    turn()
    turns.push(taken())
  }
  assert.deepEqual(turns, ['aaaaa', 'aaaaa', 'xxxxx', 'bbbbb', 'xxxxx', 'ccccc', 'bbbbb', 'ccccc'])
})

test('work longer than a turn runs to its end, and an error fails only its own task', async () => {
  const { work, done, turn, turns } = createWorld()
  const long = work('long', 500)
  const broken = turns.steps('one', () => {
    throw new Error('broken')
  })
  const after = work('after', 1)
  turn()
  await assert.rejects(broken, /broken/)
  assert.deepEqual([await long, await after, done], ['long', 'after', ['long', 'after']])
})

test('work that takes no time needs no turn', async () => {
  const turns = new WorkTurns({ now: () => 0, nextTurn: () => assert.fail('nothing took time') })
  await assert.rejects(
    turns.run('one', () => {
      throw new Error('broken')
    }),
    /broken/,
  )
  assert.equal(await turns.run('one', () => 1), 1)
})
