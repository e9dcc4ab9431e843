import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteBudget } from './byte-budget.ts'

test('never exceeds its limit, and reuses released bytes', () => {
  const budget = new ByteBudget(10)
  const account = budget.account('a')
  assert.ok(account.tryTake(10))
  assert.ok(!account.tryTake(1))
  account.release(4)
  assert.ok(!account.tryTake(5))
  assert.ok(account.tryTake(4))
  assert.equal(budget.usedBytes, 10)
})

test('many requests of one project leave bytes for another project', () => {
  const budget = new ByteBudget(100)
  let requests = 0
  while (budget.account('a').tryTake(1)) requests++
  assert.equal(requests, 50)
  assert.ok(budget.account('b').tryTake(50))
})

test('throws if more is released than was taken', () => {
  const budget = new ByteBudget(10)
  assert.ok(budget.account('a').tryTake(5))
  assert.throws(() => budget.account('a').release(1))
})
