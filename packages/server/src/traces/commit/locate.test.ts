import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'

/**
 * A service that has just started on `count` traces with one step each, and the number of places in each query to its
 * store.
 */
async function startCold(context: TestContext, count: number) {
  const before = new TraceWorld()
  const places = []
  for (let number = 0; number < count; number++) {
    const { id, stepIds } = await before.commit({ name: `trace ${number}`, steps: [{ name: 'step' }] })
    const [stepId] = stepIds
    assert.ok(stepId !== undefined)
    places.push({ projectId: PROJECT, traceId: id, stepId })
  }
  const { memory, journal } = before
  const traces = context.mock.method(memory, 'findTraces')
  const steps = context.mock.method(memory, 'findStepsAmong')
  const { service } = new TraceWorld({ journal, store: memory })
  const asked = () => ({
    traces: traces.mock.calls.map(({ arguments: [, ids] }) => ids.length),
    steps: steps.mock.calls.map(({ arguments: [, ids] }) => ids.length),
  })
  return { locate: service.locate, memory, places, asked }
}

test('look-ups at the same time share a query', async (context) => {
  const { locate, places, asked } = await startCold(context, 100)
  const found = await Promise.all(places.map(locate))
  assert.deepEqual(found, Array(100).fill('found'))
  const { traces, steps } = asked()
  for (const questions of [traces, steps]) {
    assert.ok(questions.length <= 4, `${questions.length} questions`)
    assert.ok(Math.max(...questions) <= 250)
    assert.equal(
      questions.reduce((sum, count) => sum + count, 0),
      100,
    )
  }
  assert.deepEqual(traces, [1, 99])
})

test('a single look-up is sent at once and is not repeated', async (context) => {
  const { locate, places, asked } = await startCold(context, 2)
  const [first, second] = places
  for (const place of [first, second, first, second]) assert.equal(await locate(place!), 'found')
  assert.deepEqual(asked(), { traces: [1, 1], steps: [1, 1] })
})

test('each caller gets the result for its own place, whatever shares the query', async (context) => {
  const { locate, places } = await startCold(context, 3)
  const [first, second, third] = places as [(typeof places)[0], (typeof places)[0], (typeof places)[0]]
  const cases = [
    [first, 'found'],
    [{ ...second, stepId: null }, 'found'],
    [{ ...third, stepId: first.stepId }, 'no_step'],
    [{ ...second, stepId: idAt('st', 9) }, 'no_step'],
    [{ ...second, traceId: idAt('tr', 9) }, 'no_trace'],
    [{ ...first, projectId: OTHER_PROJECT }, 'no_trace'],
    [third, 'found'],
  ] as const
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(
      await Promise.all(cases.map(([place]) => locate(place))),
      cases.map(([, outcome]) => outcome),
    )
  }
})

test('a failed query rejects its callers; later look-ups query again', async (context) => {
  const { locate, memory, places } = await startCold(context, 5)
  memory.beforeRead = () => {
    throw new DomainError('storage_unavailable', 'not now')
  }
  for (const outcome of await Promise.allSettled(places.map(locate))) {
    assert.equal(outcome.status === 'rejected' && (outcome.reason as DomainError).code, 'storage_unavailable')
  }
  memory.beforeRead = () => undefined
  assert.deepEqual(await Promise.all(places.map(locate)), Array(5).fill('found'))
})
