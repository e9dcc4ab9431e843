import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendBatch, emptyBatch } from './step-batch.ts'
import { costByModel, slowestSteps } from './step-ranks.ts'
import { layOutSteps } from './step-tree.ts'

test('models are summed, the dearest first; a model without a price has no cost, and nothing counts twice', () => {
  const sums = costByModel({
    models: ['a', 'b', null, 'b', 'c', 'a'],
    tokens: [10, 20, NaN, 30, NaN, 10],
    costs: [0.1, 0.2, 5, 0.3, NaN, 0.1],
    countedElsewhere: [false, false, false, false, false, true],
  })
  assert.deepEqual(sums, [
    { model: 'b', steps: 2, tokens: 50, cost: 0.5 },
    { model: 'a', steps: 1, tokens: 10, cost: 0.1 },
    { model: 'c', steps: 1, tokens: 0, cost: NaN },
  ])
})

test('the slowest steps are those that work themselves', () => {
  const steps = emptyBatch()
  const add = (id: string, parent: string | null, start: number, end: number) =>
    appendBatch(steps, {
      ...emptyBatch(),
      ids: [id],
      parentIds: [parent],
      inferred: [false],
      names: [id],
      types: ['tool'],
      models: [null],
      failed: [false],
      starts: [start],
      ends: [end],
      tokens: [NaN],
      costs: [NaN],
      errors: [null],
    })
  add('root', null, 0, 100)
  add('fast', 'root', 0, 10)
  add('slow', 'root', 10, 100)
  add('unknown', 'root', NaN, NaN)
  assert.deepEqual(slowestSteps(steps, layOutSteps(steps), 5), [2, 1])
})
