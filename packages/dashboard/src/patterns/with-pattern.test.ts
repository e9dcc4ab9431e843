import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPattern } from './with-pattern.ts'

test('filters of a pattern join those of the query', () => {
  const search = { name: 'run', argument: { city: 'Oslo' }, meta: [['env', 'prod']] } as const
  assert.deepEqual(withPattern(search, { tool: 'pay', step_status: 'error' }), {
    ...search,
    tool: 'pay',
    step_status: 'error',
  })
  assert.equal(withPattern(search, { min_step_count: '12' }).min_step_count, 12)
  assert.deepEqual(withPattern(search, { 'argument.a.b': '7' }).argument, { city: 'Oslo', 'a.b': '7' })
  assert.deepEqual(withPattern(search, { meta_key: 'v', meta_value: '"2"' }).meta, [
    ['env', 'prod'],
    ['v', '"2"'],
  ])
})
