import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOfSetting, valueOfSetting } from './setting-words.ts'

test('unknown settings get a readable name', () => {
  assert.equal(nameOfSetting('trace_body_bytes'), 'Body of one trace')
  assert.equal(nameOfSetting('attachment_log_seconds'), 'Attachment log')
  assert.equal(nameOfSetting('seconds'), 'Seconds')
  assert.equal(nameOfSetting('constructor'), 'Constructor')
})

test('values have the unit of their name', () => {
  assert.equal(valueOfSetting('trace_body_bytes', 16 * 1024 * 1024), '16.0 MiB')
  assert.equal(valueOfSetting('deliveries_seconds', 30 * 86_400), '30 days')
  assert.equal(valueOfSetting('journal_seconds', 86_400), '1 day')
  assert.equal(valueOfSetting('rest_seconds', 90), '1 min 30 s')
  assert.equal(valueOfSetting('steps_per_trace_body', 50_000), '50,000')
  assert.deepEqual(
    [true, null, 'clickhouse'].map((value) => valueOfSetting('x', value)),
    ['on', 'unlimited', 'clickhouse'],
  )
})
