import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumsOf } from './step-sums.ts'
import { layOutSteps } from './step-tree.ts'

test('a step without a value has the sum of the steps inside, at every level', () => {
  const tree = layOutSteps({
    ids: ['root', 'agent', 'a', 'b', 'own', 'c', 'none'],
    parentIds: [null, 'root', 'agent', 'agent', 'root', 'own', 'root'],
    inferred: Array<boolean>(7).fill(false),
    starts: Array<number>(7).fill(NaN),
    failed: Array<boolean>(7).fill(false),
  })
  const own = [NaN, NaN, 1, 2, 10, 4, NaN]
  assert.deepEqual([...sumsOf(tree, own)], [13, 3, 1, 2, 10, 4, NaN], 'an own value is not added to that of its parts')
})
