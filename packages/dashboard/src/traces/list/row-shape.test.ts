import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowShape } from './row-shape.ts'

test('with two lines, input and output are below the others', () => {
  const columns = ['status', 'name', 'input', 'output', 'cost_usd'] as const
  const two = rowShape({ columns, lines: 2 })
  assert.deepEqual(
    [two.columns, two.below],
    [
      ['status', 'name', 'cost_usd'],
      ['input', 'output'],
    ],
  )
  const one = rowShape({ columns, lines: 1 })
  assert.deepEqual([one.columns, one.below], [columns, []])
  assert.ok(two.rowPx > one.rowPx && two.leastWidthPx < one.leastWidthPx)
  assert.equal(rowShape({ columns: ['name'], lines: 2 }).rowPx, one.rowPx, 'an empty second line takes no space')
})
