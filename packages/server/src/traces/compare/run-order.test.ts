import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepId } from '@spoor/contract/ids'
import { runOrder } from './run-order.ts'

type Given = readonly [id: string, parent?: string | null, startedAt?: number | null]

const order = (...steps: readonly Given[]) =>
  runOrder(
    steps.map(([id, parent, startedAt = null]) => ({
      id: id as StepId,
      parentStepId: (parent ?? null) as StepId | null,
      parentInferred: id.startsWith('~'),
      startedAt,
    })),
  ).map(({ step, parent }) => `${steps[step]![0]}${parent === -1 ? '' : ` in ${steps[parent]![0]}`}`)

test('a parent comes before its children, also when it arrived after them', () => {
  assert.deepEqual(order(['b', 'a'], ['c', 'b'], ['a'], ['d', 'a']), ['a', 'b in a', 'c in b', 'd in a'])
})

test('siblings are in the order of their starts, or of their arrival if one has none', () => {
  assert.deepEqual(order(['a', null, 3], ['b', null, 1]), ['b', 'a'])
  assert.deepEqual(order(['a', null, 3], ['b', null, 1], ['c']), ['a', 'b', 'c'])
})

test('a step with an inferred parent is its sibling', () => {
  assert.deepEqual(order(['a'], ['b', 'a'], ['~c', 'b'], ['~d', '~c']), ['a', 'b in a', '~c in a', '~d in a'])
})

test('no step is lost: unknown parents count as none, and so does a parent in a circle', () => {
  assert.deepEqual(order(['a', 'elsewhere'], ['b', 'c'], ['c', 'b'], ['d', 'd']), ['a', 'b', 'c in b', 'd'])
})
