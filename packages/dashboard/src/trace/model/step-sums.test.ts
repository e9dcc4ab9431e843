import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumsOf } from './step-sums.ts'
import { layOutSteps } from './step-tree.ts'

/** A root with an agent of two steps, a step with one inside, and a last one. */
const tree = layOutSteps({
  ids: ['root', 'agent', 'a', 'b', 'own', 'c', 'none'],
  parentIds: [null, 'root', 'agent', 'agent', 'root', 'own', 'root'],
  inferred: Array<boolean>(7).fill(false),
  starts: Array<number>(7).fill(NaN),
  failed: Array<boolean>(7).fill(false),
})

test('a step without a value has the sum of the steps inside, at every level', () => {
  const own = [NaN, NaN, 1, 2, 10, 4, NaN]
  assert.deepEqual([...sumsOf(tree, own)], [13, 3, 1, 2, 10, 4, NaN], 'an own value is not added to that of its parts')
})

test('a step that says less than the steps inside has their sum, unless its value covers them', () => {
  // The root of a run repeats what its last call used.
  const own = [2, NaN, 1, 2, 3, 4, NaN]
  assert.deepEqual([...sumsOf(tree, own)], [7, 3, 1, 2, 4, 4, NaN])
  const covers = [false, false, false, false, true, false, false]
  assert.deepEqual([...sumsOf(tree, own, covers)], [6, 3, 1, 2, 3, 4, NaN])
})
