import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { StepId } from '@spoor/contract/ids'
import { idAt } from '../trace-builders.test-support.ts'
import type { StepUsage } from '../../ports/traces/trace-record.ts'
import { NO_USAGE } from './rollup.ts'
import { UsageTree } from './usage-tree.ts'

interface Step {
  readonly id: StepId
  readonly parent: StepId | null
  readonly model: string | null
  readonly usage: StepUsage | null
}

const id = (n: number) => idAt('st', n)
const used = (input: number, output: number, more: Partial<StepUsage> = {}): StepUsage => ({
  ...NO_USAGE,
  input,
  output,
  ...more,
})
const sent = (dollars: number) => ({
  more: {
    cacheWriteHour: 0,
    audioInput: 0,
    audioOutput: 0,
    imageInput: 0,
    imageOutput: 0,
    sentCost: dollars * 1e9,
    isBatch: false,
  },
})

function treeOf(steps: readonly Step[], contextLimit: (model: string) => number | null = () => null): UsageTree {
  const tree = new UsageTree(contextLimit, 1)
  for (const { id: own, parent, model, usage } of steps) tree.set(own, parent, model, usage)
  return tree
}

function step(n: number, parent: number | null, model: string | null, usage: StepUsage | null): Step {
  return { id: id(n), parent: parent === null ? null : id(parent), model, usage }
}

const inputs = (tree: UsageTree) =>
  Object.fromEntries((tree.usage ?? []).map(({ model, tokens }) => [model, tokens.input]))

test('a call that a framework and the library below it tell about counts once, with the model of the library', () => {
  const tree = treeOf([step(1, null, 'gpt', used(500, 50)), step(2, 1, 'gpt-dated', used(500, 50))])
  assert.deepEqual(tree.tokens, used(500, 50) && { input: 500, output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0 })
  assert.deepEqual(inputs(tree), { 'gpt-dated': 500 })
  assert.deepEqual([...tree.countedOn()], [[id(1), id(2)]])
})

test('an agent that alone tells its usage counts; one that tells more than its calls counts for the rest', () => {
  assert.deepEqual(inputs(treeOf([step(1, null, 'm', used(1200, 300)), step(2, 1, null, null)])), { m: 1200 })
  const half = treeOf([step(1, null, 'm', used(1200, 300)), step(2, 1, null, null), step(3, 2, 'n', used(1000, 200))])
  assert.deepEqual([half.tokens.input, half.tokens.output, inputs(half)], [1200, 300, { m: 200, n: 1000 }])
  assert.deepEqual(half.overlaps, true)
})

test('cached tokens that only the step above tells of are among the input of the call below', () => {
  const tree = treeOf([step(1, null, 'm', used(900, 10, { cacheRead: 80 })), step(2, 1, 'n', used(900, 10))])
  assert.deepEqual(tree.usage, [{ model: 'n', tokens: { input: 900, output: 10, cacheRead: 80, cacheWrite: 0 } }])
})

test('tokens without a model have that of the step above', () => {
  assert.deepEqual(inputs(treeOf([step(1, null, 'm', used(5, 1)), step(2, 1, null, used(5, 1))])), { m: 5 })
  assert.deepEqual(treeOf([step(1, null, null, used(5, 1))]).usage, [])
})

test('a cost that the sender gives covers what is below, and the greater of two counts', () => {
  const above = treeOf([step(1, null, 'm', used(5, 1, sent(0.5))), step(2, 1, 'n', used(5, 1))])
  assert.deepEqual(inputs(above), { 'm\nsent': 500_000_000 })
  const both = treeOf([step(1, null, 'm', used(5, 1, sent(0.5))), step(2, 1, 'n', used(5, 1, sent(0.2)))])
  assert.deepEqual(inputs(both), { 'n\nsent': 200_000_000, 'm\nsent': 300_000_000 })
  const below = treeOf([step(1, null, 'm', used(5, 1)), step(2, 1, 'n', used(5, 1, sent(0.2)))])
  assert.deepEqual(inputs(below), { 'n\nsent': 200_000_000 })
})

test('kinds with a price of their own, batches and long contexts have rates of their own', () => {
  const more = { ...sent(0).more, cacheWriteHour: 2, audioInput: 3, imageOutput: 4 }
  const usage = { ...NO_USAGE, input: 100, output: 10, cacheWrite: 5, more }
  assert.deepEqual(treeOf([step(1, null, 'm', usage)]).usage, [
    { model: 'm', tokens: { input: 95, output: 6, cacheRead: 0, cacheWrite: 3 } },
    { model: 'm\n1h', tokens: { input: 2, output: 0, cacheRead: 0, cacheWrite: 2 } },
    { model: 'm\naudio', tokens: { input: 3, output: 0, cacheRead: 0, cacheWrite: 0 } },
    { model: 'm\nimage', tokens: { input: 0, output: 4, cacheRead: 0, cacheWrite: 0 } },
  ])
  const batch = { ...used(300_000, 1), more: { ...sent(0).more, isBatch: true } }
  assert.deepEqual(inputs(treeOf([step(1, null, 'm', batch)], () => 200_000)), { 'm\nbatch>200000': 300_000 })
})

test('parents that name each other, and steps that are very deep, are counted and end', () => {
  const circle = treeOf([step(1, 2, 'm', used(3, 0)), step(2, 1, 'm', used(4, 0)), step(3, 3, 'm', used(5, 0))])
  assert.equal(circle.tokens.input, 9)
  const deep = Array.from({ length: 5000 }, (_, n) => step(n + 1, n === 0 ? null : n, 'm', used(1, 0)))
  assert.ok(treeOf(deep).tokens.input >= 1)
})

/** The rule, said once more as a recursion over a whole tree. */
function counted(steps: readonly Step[], of: Step, kind: 'input' | 'output' | 'cacheRead'): number {
  const below = steps.filter(({ parent }) => parent === of.id)
  const sum = below.reduce((total, child) => total + counted(steps, child, kind), 0)
  return Math.max(of.usage?.[kind] ?? 0, sum)
}

const forest = fc
  .array(
    fc.record({
      parent: fc.double({ min: 0, max: 1, noNaN: true }),
      isRoot: fc.boolean(),
      model: fc.option(fc.constantFrom('a', 'b')),
      usage: fc.option(fc.record({ input: fc.nat(50), output: fc.nat(20), cacheRead: fc.nat(9) })),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) =>
    all.map(({ parent, isRoot, model, usage }, at): Step => {
      const above = isRoot || at === 0 ? null : Math.floor(parent * at) + 1
      return step(at + 1, Math.min(above ?? 0, at) || null, model, usage === null ? null : { ...NO_USAGE, ...usage })
    }),
  )

test('steps that come in any order, twice, and first with other numbers, count by the rule', () => {
  fc.assert(
    fc.property(
      forest.chain((steps) =>
        fc.tuple(
          fc.constant(steps),
          fc.shuffledSubarray([...steps], { minLength: steps.length }),
          fc.array(fc.tuple(fc.constantFrom(...steps), fc.constantFrom(...steps))),
        ),
      ),
      ([steps, order, early]) => {
        const tree = new UsageTree(() => null, 1)
        for (const [one, other] of early) tree.set(one.id, one.parent, other.model, used(99, 7))
        for (const { id: own, parent, model, usage } of order) tree.set(own, parent, model, usage)
        const roots = steps.filter(({ parent }) => parent === null)
        for (const kind of ['input', 'output', 'cacheRead'] as const) {
          const expected = roots.reduce((sum, root) => sum + counted(steps, root, kind), 0)
          assert.equal(tree.tokens[kind], expected, kind)
        }
        const fresh = treeOf(steps)
        const sorted = (of: UsageTree) => [...(of.usage ?? [])].sort((a, b) => (a.model < b.model ? -1 : 1))
        assert.deepEqual(sorted(tree), sorted(fresh))
        assert.equal(tree.overlaps, fresh.overlaps)
        if (!fresh.overlaps) assert.equal(fresh.countedOn().size, 0)
      },
    ),
    { numRuns: 500 },
  )
})

test('details that only the step above tells of are part of what is billed below', () => {
  const more = { ...sent(0).more, cacheWriteHour: 800, audioInput: 500 }
  const above = { ...NO_USAGE, input: 1000, cacheWrite: 800, more }
  const tree = treeOf([step(1, null, 'm', above), step(2, 1, 'm', used(1000, 0, { cacheWrite: 800 }))])
  assert.deepEqual(inputs(tree), { m: 1000 })
  const long = [step(1, null, 'n', used(900, 0, { cacheRead: 400 })), step(2, 1, 'n', used(900, 0))]
  assert.deepEqual(treeOf(long, () => 500).usage, [
    { model: 'n\n>500', tokens: { input: 900, output: 0, cacheRead: 400, cacheWrite: 0 } },
  ])
})

test('the name of a model cannot name a rate', () => {
  assert.deepEqual(inputs(treeOf([step(1, null, 'm\nsent', used(5, 0))])), { 'm sent': 5 })
})

test('deep chains of many models, from either end, end soon and have no deep recursion', () => {
  const deep = Array.from({ length: 3000 }, (_, n) => step(n + 1, n === 0 ? null : n, `m${n}`, used(n + 1, 1)))
  for (const steps of [deep, deep.toReversed()]) {
    const tree = treeOf(steps)
    assert.ok(tree.tokens.input > 0)
    assert.ok(tree.countedOn().size > 0)
  }
})
