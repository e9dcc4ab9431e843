import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { MetricId } from '@spoor/contract/ids'
import { aMetric, FOREIGN_PROJECT, OWN_PROJECT } from '../../metrics/metric-builders.test-support.ts'
import type { MetricStore } from './metric-store.ts'

const id = (last: number) => `met_01h2xcejqtf2nbrexx3vqjhp4${last}` as MetricId

const whole = aMetric({
  name: 'größe / 100%\u{1F600}',
  kind: 'enum',
  description: 'd',
  options: [{ value: 'a', label: null }],
  direction: 'lower',
})

/** Guarantees of every metric store. `open` gives an empty one that knows OWN_PROJECT and FOREIGN_PROJECT. */
export function testMetricStore(open: (context: TestContext) => Promise<MetricStore>): void {
  test('what was added is found by name, by id and in the list, in its own project alone', async (context) => {
    const store = await open(context)
    assert.equal(await store.hasAny(OWN_PROJECT), false)
    assert.deepEqual(await store.add(whole, 10), { status: 'added' })
    assert.deepEqual([await store.hasAny(OWN_PROJECT), await store.hasAny(FOREIGN_PROJECT)], [true, false])
    assert.deepEqual(await store.findByName(OWN_PROJECT, whole.name), whole)
    assert.deepEqual(await store.findById(OWN_PROJECT, whole.id), whole)
    assert.deepEqual(await store.list(OWN_PROJECT, null, 10), [whole])
    assert.equal(await store.findByName(FOREIGN_PROJECT, whole.name), undefined)
    assert.equal(await store.findById(FOREIGN_PROJECT, whole.id), undefined)
    assert.deepEqual(await store.list(FOREIGN_PROJECT, null, 10), [])
    assert.equal(await store.findByName(OWN_PROJECT, whole.name.toUpperCase()), undefined)
  })

  test('a name is taken once in a project, however many ask at once', async (context) => {
    const store = await open(context)
    const outcomes = await Promise.all(
      [1, 2, 3].map((last) => store.add(aMetric({ id: id(last), description: `${last}` }), 10)),
    )
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['added', 'exists', 'exists'])
    const kept = await store.findByName(OWN_PROJECT, 'solved')
    for (const outcome of outcomes) if (outcome.status === 'exists') assert.deepEqual(outcome.definition, kept)
    assert.equal((await store.add(aMetric({ id: id(4), projectId: FOREIGN_PROJECT }), 10)).status, 'added')
  })

  test('a project has at most as many as it may; what is there already is still found', async (context) => {
    const store = await open(context)
    for (const last of [1, 2]) await store.add(aMetric({ id: id(last), name: `n${last}` }), 2)
    assert.deepEqual(await store.add(aMetric({ id: id(3), name: 'n3' }), 2), { status: 'full' })
    assert.equal((await store.add(aMetric({ id: id(3), name: 'n2' }), 2)).status, 'exists')
    const page = await store.list(OWN_PROJECT, id(1), 5)
    assert.deepEqual(
      page.map((metric) => metric.name),
      ['n2'],
    )
  })

  test('a change is seen at once, and one that throws changes nothing', async (context) => {
    const store = await open(context)
    await store.add(aMetric({ kind: 'numeric', min: 0, max: 1 }), 10)
    const changed = await store.change(OWN_PROJECT, 'solved', (present) => ({ ...present, max: 1e300, updatedAt: 7 }))
    assert.deepEqual(changed, aMetric({ kind: 'numeric', min: 0, max: 1e300, updatedAt: 7 }))
    assert.deepEqual(await store.findByName(OWN_PROJECT, 'solved'), changed)
    const refuse = () => {
      throw new RangeError('no')
    }
    await assert.rejects(store.change(OWN_PROJECT, 'solved', refuse), RangeError)
    assert.deepEqual(await store.findByName(OWN_PROJECT, 'solved'), changed)
    assert.equal(await store.change(FOREIGN_PROJECT, 'solved', refuse), undefined)
  })
}
