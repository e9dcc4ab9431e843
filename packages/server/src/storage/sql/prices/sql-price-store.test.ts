import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { aPrice, OTHER, OWN, testPriceStore } from '../../../ports/prices/price-store.conformance.ts'
import { numberedCommit } from '../../../ports/journal/numbered-commit.test-support.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'
import type { PriceTables } from './price-tables.ts'
import { SqlPriceStore } from './sql-price-store.ts'

testPriceStore(async (context) => temporaryStore(context).prices)

test('statements compile for PostgreSQL', () => {
  compiledForPostgresql<PriceTables>((database) => new SqlPriceStore(database))
})

test('prices are durable, and a change of another process is seen by the next query', async (context) => {
  const dataDir = temporaryFolder(context)
  const service = temporaryStore(context, { dataDir })
  const other = temporaryStore(context, { dataDir })
  await service.prices.put(OWN, aPrice('m'), 9)
  assert.equal((await service.prices.own(OWN)).size, 1)
  await other.prices.put(OWN, aPrice('n'), 9)
  assert.equal((await service.prices.own(OWN)).size, 2)
  await other.prices.remove(OWN, 'm')
  assert.deepEqual([...(await service.prices.own(OWN)).keys()], ['n'])
})

test("the service's own commits do not evict cached prices", async (context) => {
  const { prices, journal } = temporaryStore(context)
  await prices.put(OWN, aPrice('m'), 9)
  const first = await prices.own(OWN)
  journal.append(numberedCommit(1))
  await prices.put(OTHER, aPrice('m'), 9)
  assert.equal(await prices.own(OWN), first, 'the very same object: it was not read again')
})

test('a failing disk is reported as storage_unavailable, not as missing prices', async (context) => {
  const failures: unknown[] = []
  const { prices } = temporaryStore(context, { onReadError: (error) => failures.push(error) })
  const cause = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const statement = context.mock.method(StatementSync.prototype, 'all', () => {
    throw cause
  })
  await assert.rejects(prices.own(OWN), { code: 'storage_unavailable' })
  statement.mock.restore()
  assert.deepEqual(failures, [cause])
  assert.equal((await prices.own(OWN)).size, 0)
})

test('a price whose commit failed is evicted and read again', async (context) => {
  const { prices } = temporaryStore(context)
  await prices.put(OWN, aPrice('m'), 9)
  const before = await prices.own(OWN)
  await assert.rejects(prices.put(OWN, { ...aPrice('m'), input: Number.NaN }, 9), /NOT NULL/)
  assert.notEqual(await prices.own(OWN), before)
  assert.deepEqual([...(await prices.own(OWN)).values()], [aPrice('m')])
})
