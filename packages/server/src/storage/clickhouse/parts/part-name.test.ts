import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers, parsePartName } from './part-name.ts'

test('names of finished parts are parsed, and nothing else', () => {
  assert.deepEqual(parsePartName('202611_1_35_2'), {
    partition: '202611',
    firstBlock: 1,
    lastBlock: 35,
    level: 2,
    mutation: 0,
  })
  assert.equal(parsePartName('all_7_7_0_12')?.mutation, 12)
  for (const name of ['tmp_merge_202611_1_35_2', 'detached', 'format_version.txt', 'broken-on-start_202611_1_35_2', ''])
    assert.equal(parsePartName(name), null, name)
})

test('a part covers itself and the parts it was merged or mutated from, but no part of another partition or with other blocks', () => {
  for (const inner of ['202611_1_35_2', '202611_4_9_1', '202611_7_7_0', '202611_1_35_1'])
    assert.ok(covers('202611_1_35_2', inner), inner)
  assert.ok(covers('202611_1_35_2_40', '202611_1_35_2'))
  for (const other of ['202612_4_9_1', '202611_30_36_1', '202611_1_35_3', '202611_1_35_2_40'])
    assert.ok(!covers('202611_1_35_2', other), other)
})
