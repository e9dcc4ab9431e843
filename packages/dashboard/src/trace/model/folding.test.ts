import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allFolds,
  failedInside,
  failedLines,
  linesAround,
  nextOf,
  rowOf,
  runAround,
  runsOf,
  shownLines,
  stuckLines,
  unfoldTo,
} from './folding.ts'
import { layOutSteps } from './step-tree.ts'

/** a(b(c*) d) e(f*), `*` failed. */
const tree = layOutSteps({
  ids: ['a', 'b', 'c', 'd', 'e', 'f'],
  parentIds: [null, 'a', 'b', 'a', null, 'e'],
  inferred: Array(6).fill(false),
  starts: Array(6).fill(NaN),
  failed: [false, false, true, false, false, true],
})

test('collapsed steps hide their descendants', () => {
  assert.deepEqual([...shownLines(tree, new Set())], [0, 1, 2, 3, 4, 5])
  assert.deepEqual([...shownLines(tree, new Set([1]))], [0, 1, 3, 4, 5])
  assert.deepEqual([...shownLines(tree, allFolds(tree))], [0, 4])
})

test('some steps are listed with the steps around them', () => {
  assert.deepEqual([...linesAround(tree, [3, 2, -1, 99])].toSorted(), [0, 1, 2, 3])
  assert.deepEqual([...linesAround(tree, [])], [])
})

test('a hidden line has the row of the collapsed step around it', () => {
  const shown = shownLines(tree, new Set([0]))
  assert.deepEqual(
    [0, 1, 3, 4, 5].map((line) => rowOf(shown, line)),
    [0, 0, 0, 1, 2],
  )
  assert.equal(rowOf(new Int32Array(), 0), -1)
})

test('the ancestors of the first visible row stay at the top, and leave one after the other', () => {
  const shown = shownLines(tree, new Set())
  const at = (top: number, most = 4) => stuckLines(tree, shown, top, most)
  // Rows: a, b, c in b, d in a, e, f in e.
  assert.deepEqual([at(0), at(1), at(2), at(3), at(4), at(5), at(6)], [[], [0, 1], [0], [0], [], [4], []])
  // A chain of ten.
  const ids = Array.from({ length: 10 }, (_, step) => String(step))
  const parentIds = [null, ...ids.slice(0, -1)]
  const chain = layOutSteps({
    ids,
    parentIds,
    inferred: Array(10).fill(false),
    starts: Array(10).fill(NaN),
    failed: Array(10).fill(false),
  })
  const rows = shownLines(chain, new Set())
  assert.deepEqual(stuckLines(chain, rows, 0, 3), [])
  assert.deepEqual(stuckLines(chain, rows, 1, 3), [1, 2, 3])
  assert.deepEqual(stuckLines(chain, rows, 5, 3), [5, 6, 7])
})

test('expanding to a line opens its ancestors only', () => {
  assert.deepEqual([...unfoldTo(tree, new Set([0, 1, 4]), 2)], [4])
  const folded = new Set([4])
  assert.equal(unfoldTo(tree, folded, 2), folded)
})

test('failures are counted in a collapsed subtree, and navigation wraps around', () => {
  assert.deepEqual(failedLines(tree), [2, 5])
  assert.deepEqual([failedInside(tree, 0), failedInside(tree, 2), failedInside(tree, 4)], [1, 0, 1])
  assert.deepEqual(
    [nextOf([2, 5], -1, 1), nextOf([2, 5], 2, 1), nextOf([2, 5], 5, 1), nextOf([2, 5], 2, -1)],
    [2, 5, 2, 5],
  )
  assert.equal(nextOf([], 3, 1), -1)
})

test('neighbours of one name without steps inside are one row, until it is opened', () => {
  // a(x x x) x x b x x x*, `b` of another name.
  const names = ['a', 'x', 'x', 'x', 'x', 'x', 'b', 'x', 'x', 'x']
  const run = layOutSteps({
    ids: names.map((_, step) => String(step)),
    parentIds: names.map((_, step) => (step >= 1 && step <= 3 ? '0' : null)),
    inferred: Array(10).fill(false),
    starts: Array(10).fill(NaN),
    failed: names.map((_, step) => step === 9),
  })
  const runs = runsOf(run, { names, types: names })
  assert.deepEqual(
    [...runs],
    [
      [1, 4],
      [7, 10],
    ],
  )
  assert.deepEqual([...shownLines(run, new Set(), runs)], [0, 1, 4, 5, 6, 7])
  assert.deepEqual([...shownLines(run, new Set([0]), runs, new Set([7]))], [0, 4, 5, 6, 7, 8, 9])
  assert.deepEqual(
    [0, 1, 3, 4, 6, 9].map((line) => runAround(run, runs, line)),
    [-1, 1, 1, -1, -1, 7],
  )
  assert.equal(failedInside(run, 7, 10), 1)
  assert.equal(runsOf(run, { names, types: names.map((_, step) => String(step)) }).size, 0)
})
