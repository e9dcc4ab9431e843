import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancellable } from './cancel-read.ts'

const REASON = new Error('the client went away')

/**
 * A read that runs until a kill finds it. The first `misses` kills do not, because the engine has not started it yet.
 */
function setUp(misses: number) {
  const gone = new AbortController()
  const read = Promise.withResolvers<string>()
  const kills: boolean[] = []
  const kill = async () => {
    const found = kills.length >= misses
    kills.push(found)
    if (found) read.reject(new Error('the query was cancelled'))
    return found
  }
  return { gone, read, kills, kill, result: cancellable(gone.signal, () => read.promise, kill) }
}

test('a read whose client stays is not killed', async () => {
  const { read, kills, gone, result } = setUp(0)
  read.resolve('rows')
  assert.equal(await result, 'rows')
  gone.abort(REASON)
  assert.deepEqual(kills, [])
})

test('a read whose client disconnects is killed, also when the engine starts it later', async () => {
  const { gone, kills, result } = setUp(2)
  gone.abort(REASON)
  await assert.rejects(result, REASON)
  assert.deepEqual(kills, [false, false, true])
})

test("the read ends only after the kill has ended, so that the kill cannot hit the session's next read", async () => {
  const gone = new AbortController()
  const read = Promise.withResolvers<string>()
  const kill = Promise.withResolvers<boolean>()
  let over = false
  const result = cancellable(
    gone.signal,
    () => read.promise,
    () => kill.promise,
  ).catch((error: unknown) => {
    over = true
    return error
  })
  gone.abort(REASON)
  read.resolve('rows')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(over, false)
  kill.resolve(false)
  assert.equal(await result, REASON)
})

test('a failed kill is reported', async () => {
  const gone = new AbortController()
  const read = Promise.withResolvers<string>()
  const result = cancellable(
    gone.signal,
    () => read.promise,
    () => Promise.reject(new Error('no memory')),
  )
  gone.abort(REASON)
  read.resolve('rows')
  await assert.rejects(result, /no memory/)
})
