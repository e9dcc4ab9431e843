import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import type { OwnPrice } from '../../../ports/prices/price.ts'
import { numberedCommit, numberedId } from '../journal/numbered-commit.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

const OWN = numberedId('proj', 1)
const OTHER = numberedId('proj', 2)

function price(model: string, input = 0.1 + 0.2): OwnPrice {
  return { model, input, output: 1e-7, cacheRead: null, cacheWrite: 0, updatedAt: 5 }
}

test('prices come back as they were set, by project, the last one of a model', async (context) => {
  const { prices } = temporaryStore(context)
  assert.equal(prices.own(OWN).size, 0)
  for (const model of ['openai/gpt-4o', 'ü\u{1F600}"\'', 'x'.repeat(1000)]) {
    assert.equal(await prices.put(OWN, price(model), 9), true)
  }
  await prices.put(OWN, price('openai/gpt-4o', 7), 9)
  assert.deepEqual(prices.own(OWN).get('openai/gpt-4o'), price('openai/gpt-4o', 7))
  assert.deepEqual(prices.own(OWN).get('ü\u{1F600}"\''), price('ü\u{1F600}"\''))
  assert.equal(prices.own(OWN).size, 3)
  assert.equal(prices.own(OTHER).size, 0)
})

test('removing says whether there was one, and touches no other', async (context) => {
  const { prices } = temporaryStore(context)
  for (const project of [OWN, OTHER]) await prices.put(project, price('m'), 9)
  await prices.put(OWN, price('n'), 9)
  const given = prices.own(OWN)
  assert.deepEqual([await prices.remove(OWN, 'm'), await prices.remove(OWN, 'm')], [true, false])
  assert.deepEqual([[...prices.own(OWN).keys()], [...prices.own(OTHER).keys()]], [['n'], ['m']])
  assert.equal(given.size, 2, 'what was given out stays as it was')
})

test('one more than the most is refused, changing one of them is not', async (context) => {
  const { prices } = temporaryStore(context)
  for (const model of ['a', 'b']) assert.equal(await prices.put(OWN, price(model), 2), true)
  assert.equal(await prices.put(OWN, price('c'), 2), false)
  assert.equal(await prices.put(OWN, price('b', 9), 2), true)
  assert.equal(await prices.put(OTHER, price('c'), 2), true)
  assert.deepEqual([[...prices.own(OWN).keys()], prices.own(OWN).get('b')?.input], [['a', 'b'], 9])
})

test('prices outlast the process, and what another one changes is seen by the next question', async (context) => {
  const dataDir = temporaryFolder(context)
  const service = temporaryStore(context, { dataDir })
  const other = temporaryStore(context, { dataDir })
  await service.prices.put(OWN, price('m'), 9)
  assert.equal(service.prices.own(OWN).size, 1)
  await other.prices.put(OWN, price('n'), 9)
  assert.equal(service.prices.own(OWN).size, 2)
  await other.prices.remove(OWN, 'm')
  assert.deepEqual([...service.prices.own(OWN).keys()], ['n'])
})

test("the service's own commits leave what is remembered in place", async (context) => {
  const { prices, journal } = temporaryStore(context)
  await prices.put(OWN, price('m'), 9)
  const first = prices.own(OWN)
  journal.append(numberedCommit(1))
  await prices.put(OTHER, price('m'), 9)
  assert.equal(prices.own(OWN), first, 'the very same object: it was not read again')
})

test('prices that the disk cannot tell are neither none nor a fault: not now', (context) => {
  const failures: unknown[] = []
  const { prices } = temporaryStore(context, { onReadError: (error) => failures.push(error) })
  const cause = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const statement = context.mock.method(StatementSync.prototype, 'all', () => {
    throw cause
  })
  assert.throws(
    () => prices.own(OWN),
    (error) => error instanceof DomainError && error.code === 'storage_unavailable',
  )
  statement.mock.restore()
  assert.deepEqual(failures, [cause])
  assert.equal(prices.own(OWN).size, 0)
})

test('a price whose commit failed is asked for again, not remembered', async (context) => {
  const { prices } = temporaryStore(context)
  await prices.put(OWN, price('m'), 9)
  const before = prices.own(OWN)
  await assert.rejects(prices.put(OWN, { ...price('m'), input: Number.NaN }, 9), /NOT NULL/)
  assert.notEqual(prices.own(OWN), before)
  assert.deepEqual([...prices.own(OWN).values()], [price('m')])
})
