import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parts } from './parts.ts'

test('parts stop in reverse order, also after one that fails, which is logged by its name', async () => {
  const logged: unknown[] = []
  const parts = new Parts({ error: (fields: object) => logged.push(fields) } as never)
  const seen: string[] = []
  const failure = new Error('still busy')
  assert.equal(
    await parts.startWith(
      'first',
      () => 1,
      (part) => seen.push(`first ${part}`),
    ),
    1,
  )
  await parts.startWith(
    'second',
    () => Promise.resolve(2),
    () => Promise.reject(failure),
  )
  await parts.startWith(
    'third',
    () => 3,
    (part) => seen.push(`third ${part}`),
  )
  await assert.rejects(
    parts.startWith(
      'fourth',
      () => Promise.reject(failure),
      () => seen.push('fourth'),
    ),
    failure,
  )
  await assert.rejects(parts.stop(), failure)
  assert.deepEqual(seen, ['third 3', 'first 1'])
  assert.deepEqual(logged, [{ error: failure, part: 'second' }])
  await parts.stop()
  assert.deepEqual(seen, ['third 3', 'first 1'])
})
