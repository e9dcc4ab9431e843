import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { parquetMetadata } from 'hyparquet'
import { onBehalfOf } from '../../../lib/flow/requester.ts'
import { temporaryEngine } from './temporary-engine.test-support.ts'

const engine = await temporaryEngine()
/** It would run until the engine's time limit of half a minute, and then fail. */
const ENDLESS = 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)'

const isRunning = async () => {
  const rows = await engine.select(`SELECT query FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64%'`)
  return rows.length > 0
}

test('a running query is ended in the engine when its client disconnects, and its session continues', async () => {
  const gone = new AbortController()
  const forClient = <T>(work: () => Promise<T>) =>
    onBehalfOf({ kind: 'project', projectId: 'proj_a' as ProjectId, signal: gone.signal }, work)
  const reason = new Error('the client went away')
  const read = forClient(() => engine.select(ENDLESS))
  // A rejection during the test is not unhandled.
  const outcome = assert.rejects(read, reason)
  while (!(await isRunning()));
  gone.abort(reason)
  await outcome
  assert.equal(await isRunning(), false)
  await assert.rejects(
    forClient(() => engine.select('SELECT 1')),
    reason,
  )
  // One for each session.
  assert.deepEqual(await Promise.all([engine.select('SELECT 1'), engine.select('SELECT 2')]), [[[1]], [[2]]])
})

test('rows that a read returned before it failed are not part of the next result', async () => {
  const failsLate = `SELECT 'of the read that failed', throwIf(number = 50) FROM numbers(100) SETTINGS max_block_size = 10`
  // One for each session.
  for (const read of await Promise.allSettled([engine.select(failsLate), engine.select(failsLate)])) {
    assert.equal(read.status, 'rejected')
  }
  assert.deepEqual(await Promise.all([engine.select('SELECT 1'), engine.select('SELECT 2')]), [[[1]], [[2]]])
})

test('a file of Parquet is whole, also after one that failed', async () => {
  const failsLate = `SELECT number, throwIf(number = 50) FROM numbers(100) SETTINGS max_block_size = 10`
  for (const read of await Promise.allSettled([engine.selectParquet(failsLate), engine.selectParquet(failsLate)])) {
    assert.equal(read.status, 'rejected')
  }
  const files = await Promise.all([0, 1].map((n) => engine.selectParquet(`SELECT toInt64(${n}) AS n`)))
  for (const [n, file] of files.entries()) {
    assert.equal(file.subarray(0, 4).toString() + file.subarray(-4).toString(), 'PAR1PAR1')
    assert.equal(Number(parquetMetadata(file).num_rows), 1, `file ${n}`)
  }
  assert.deepEqual(await engine.select('SELECT 1'), [[1]])
})
