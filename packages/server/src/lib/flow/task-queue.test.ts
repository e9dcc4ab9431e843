import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskQueue } from './task-queue.ts'

test('a task starts when the previous one has ended', async () => {
  const queue = new TaskQueue()
  const seen: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = queue.add(async () => {
    seen.push('first begins')
    await promise
    seen.push('first ends')
  })
  const second = queue.add(async () => {
    seen.push('second')
  })
  await new Promise((turn) => setImmediate(turn))
  assert.deepEqual(seen, ['first begins'])
  resolve()
  await Promise.all([first, second])
  assert.deepEqual(seen, ['first begins', 'first ends', 'second'])
})

test('the caller gets the error of its task, and later tasks run', async () => {
  const queue = new TaskQueue()
  const failed = queue.add(() => Promise.reject(new Error('no')))
  let hasRun = false
  const next = queue.add(async () => {
    hasRun = true
  })
  await assert.rejects(failed, /no/)
  await next
  assert.ok(hasRun)
})
