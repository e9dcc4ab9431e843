import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOutSteps, type StepTree } from './step-tree.ts'

interface Given {
  readonly id: string
  readonly parent?: string
  readonly inferred?: boolean
  readonly start?: number
  readonly failed?: boolean
}

function layOut(given: readonly Given[]): StepTree {
  return layOutSteps({
    ids: given.map(({ id }) => id),
    parentIds: given.map(({ parent }) => parent ?? null),
    inferred: given.map(({ inferred }) => inferred ?? false),
    starts: given.map(({ start }) => start ?? NaN),
    failed: given.map(({ failed }) => failed ?? false),
  })
}

/** "a b(c d)" */
function draw(given: readonly Given[]): string {
  const tree = layOut(given)
  return Array.from(tree.steps, (step, line) => '  '.repeat(tree.depths[line] as number) + given[step]?.id).join('\n')
}

test('explicit parents form a tree, in any order of arrival', () => {
  assert.equal(
    draw([{ id: 'leaf', parent: 'b' }, { id: 'a' }, { id: 'b', parent: 'a' }, { id: 'c', parent: 'a' }]),
    'a\n  b\n    leaf\n  c',
  )
})

test('steps with inferred parents are siblings, below the parent that the first of them names', () => {
  const run = [
    { id: 'a' },
    { id: 'b', parent: 'a', inferred: true },
    { id: 'c', parent: 'b', inferred: true },
    { id: 'd', parent: 'c' },
    { id: 'e', parent: 'd', inferred: true },
  ]
  assert.equal(draw(run), 'a\nb\nc\n  d\n  e')
})

test('steps with unknown or cyclic parents are all included', () => {
  assert.equal(
    draw([
      { id: 'a', parent: 'gone' },
      { id: 'b', parent: 'b' },
    ]),
    'a\nb',
  )
  const circle = [
    { id: 'x', parent: 'c' },
    { id: 'a', parent: 'b' },
    { id: 'b', parent: 'c' },
    { id: 'c', parent: 'a' },
  ]
  assert.equal(draw(circle), 'a\n  c\n    x\n    b')
})

test('siblings are sorted by time, unless one has none', () => {
  const times = [
    { id: 'p', start: 0 },
    { id: 'late', parent: 'p', start: 9 },
    { id: 'early', parent: 'p', start: 1 },
  ]
  assert.equal(draw(times), 'p\n  early\n  late')
  assert.equal(draw([...times, { id: 'untimed', parent: 'p' }]), 'p\n  late\n  early\n  untimed')
  assert.equal(
    draw([
      { id: 'second', start: 2 },
      { id: 'first', start: 1 },
    ]),
    'first\nsecond',
  )
})

test('each line has its parent, its end and the number of failures above', () => {
  const tree = layOut([
    { id: 'a' },
    { id: 'b', parent: 'a', failed: true },
    { id: 'c', parent: 'b' },
    { id: 'd', parent: 'a', failed: true },
    { id: 'e' },
  ])
  assert.deepEqual([...tree.ends], [4, 3, 3, 4, 5])
  assert.deepEqual([...tree.parents], [-1, 0, 1, 0, -1])
  assert.deepEqual([...tree.failedBefore], [0, 0, 1, 1, 2, 2])
  assert.deepEqual(layOut([]).count, 0)
})

test('with any parents, each step has one line, inside its parent', () => {
  // A linear congruential generator: the same trees in every run.
  let seed = 7
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  for (let round = 0; round < 200; round += 1) {
    const count = 1 + random(40)
    const tree = layOut(
      Array.from({ length: count }, (_, step) => ({
        id: String(step),
        ...(random(5) === 0 ? {} : { parent: String(random(count + 3)) }),
        inferred: random(3) === 0,
        ...(random(4) === 0 ? {} : { start: random(50) }),
      })),
    )
    assert.deepEqual(
      [...tree.steps].sort((a, b) => a - b),
      [...Array(count).keys()],
    )
    for (let line = 0; line < count; line += 1) {
      const parent = tree.parents[line] as number
      assert.equal(tree.lines[tree.steps[line] as number], line)
      assert.equal(tree.depths[line], parent === -1 ? 0 : (tree.depths[parent] as number) + 1)
      assert.ok(parent === -1 || (parent < line && (tree.ends[line] as number) <= (tree.ends[parent] as number)))
    }
  }
})

test('a chain of 30,000 explicit parents is laid out without recursion', () => {
  const tree = layOut(Array.from({ length: 30_000 }, (_, step) => ({ id: `${step}`, parent: `${step - 1}` })))
  assert.equal(tree.depths[29_999], 29_999)
  assert.equal(tree.ends[0], 30_000)
})
