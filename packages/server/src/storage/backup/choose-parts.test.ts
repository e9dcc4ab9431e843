import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseParts } from './choose-parts.ts'

test('recorded parts are chosen, and not the one that was merged from them since', () => {
  const names = ['202611_1_4_1', '202611_5_5_0', '202611_1_5_2', '202611_6_6_0', '202612_1_1_0']
  assert.deepEqual(chooseParts(names, ['202611_1_4_1', '202611_5_5_0']), [
    '202611_1_4_1',
    '202611_5_5_0',
    '202611_6_6_0',
    '202612_1_1_0',
  ])
})

test('a recorded part that is gone is found in the one that was made from it', () => {
  assert.deepEqual(chooseParts(['202611_1_5_2', '202611_5_5_0'], ['202611_1_4_1', '202611_5_5_0']), null)
  assert.deepEqual(chooseParts(['202611_1_5_2'], ['202611_1_4_1', '202611_5_5_0']), ['202611_1_5_2'])
  assert.deepEqual(chooseParts(['202611_1_5_2_7'], ['202611_1_5_2']), ['202611_1_5_2_7'])
})

test('of parts that are not recorded, only the outermost is chosen', () => {
  assert.deepEqual(chooseParts(['202611_1_1_0', '202611_2_2_0', '202611_1_2_1'], []), ['202611_1_2_1'])
})

test('a recorded part that nothing holds makes the choice impossible', () => {
  assert.equal(chooseParts(['202611_2_2_0'], ['202611_1_1_0']), null)
})
