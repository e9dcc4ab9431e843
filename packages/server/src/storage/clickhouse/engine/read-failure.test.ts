import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import { toReadFailure } from './read-failure.ts'
import { temporaryEngine } from './temporary-engine.test-support.ts'

const failures: unknown[] = []
const engine = await temporaryEngine({ onReadError: (error) => failures.push(error) })

test('a read that runs out of time or memory is storage_unavailable, and the operator gets what helps and its cause', async () => {
  const slow =
    'SELECT count() FROM numbers(1000000000000) WHERE cityHash64(number) = 1 SETTINGS max_execution_time = 0.05'
  const large = 'SELECT groupArray(number) FROM numbers(100000000) SETTINGS max_memory_usage = 10000000'
  for (const [sql, clickhouseCode, advice] of [
    [slow, 159, /takes longer .* shorter time/],
    [large, 241, /SPOOR_MEMORY_MB/],
  ] as const) {
    failures.length = 0
    await assert.rejects(engine.select(sql), (error) => {
      assert.ok(error instanceof DomainError)
      assert.deepEqual([error.code, error.retryAfterSeconds], ['storage_unavailable', 2])
      assert.match(error.message, advice)
      assert.deepEqual(failures, [error])
      return (error.cause as { clickhouseCode?: number }).clickhouseCode === clickhouseCode
    })
  }
})

test('a wrong statement is an internal error', async () => {
  failures.length = 0
  await assert.rejects(engine.select('SELECT nothing FROM nowhere'), (error) => !(error instanceof DomainError))
  assert.deepEqual(failures, [])
})

test('only temporary failures are storage_unavailable', () => {
  const coded = (clickhouseCode: number) => Object.assign(new Error('engine'), { clickhouseCode })
  for (const code of [74, 159, 173, 202, 241, 243]) assert.ok(toReadFailure(coded(code)) instanceof DomainError)
  assert.ok(toReadFailure(coded(60), false) instanceof DomainError, 'a table that is not loaded')
  for (const error of [coded(60), coded(47), coded(62), new Error('other'), 'text'])
    assert.equal(toReadFailure(error), error)
})

test('a broken connection to another shard is no damage, although it has a code of damaged files', () => {
  const failed = (message: string) => {
    const failure = toReadFailure(Object.assign(new Error(message), { clickhouseCode: 32 }))
    return failure instanceof DomainError ? failure.code : failure
  }
  assert.equal(failed('Attempt to read after eof: while receiving packet from ch-2:9000'), 'storage_unavailable')
  assert.equal(failed('Attempt to read after eof'), 'storage_damaged')
})
