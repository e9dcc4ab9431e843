import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteBudget } from './byte-budget.ts'

test('gives out no more than its limit, and again what came back', () => {
  const budget = new ByteBudget(10)
  assert.ok(budget.tryTake(10))
  assert.ok(!budget.tryTake(1))
  budget.release(4)
  assert.ok(!budget.tryTake(5))
  assert.ok(budget.tryTake(4))
  assert.equal(budget.usedBytes, 10)
})

test('notices when more comes back than was given', () => {
  assert.throws(() => new ByteBudget(10).release(1))
})
