import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryAt, RETRYING } from './delivery-builders.test-support.ts'
import { mergeHead } from './merge-head.ts'

const ids = (rows: readonly { readonly id: string }[] | null) => rows?.map(({ id }) => id)
const [one, two, three, four] = [1, 2, 3, 4].map((n) => deliveryAt(n)) as [Row, Row, Row, Row]
type Row = ReturnType<typeof deliveryAt>

test('rows change in place, and new ones wait to be taken', () => {
  const shown = [deliveryAt(2, RETRYING), one]
  const { rows, newCount, withNew } = mergeHead(shown, { deliveries: [four, three, two], next_cursor: 'more' })
  assert.deepEqual(rows, [two, one])
  assert.equal(newCount, 2)
  assert.deepEqual(ids(withNew), ['dlv_4', 'dlv_3', 'dlv_2', 'dlv_1'])
})

test('rows of the next page are not new', () => {
  const { newCount, withNew } = mergeHead([four, three], { deliveries: [four, three, two, one], next_cursor: null })
  assert.equal(newCount, 0)
  assert.deepEqual(ids(withNew), ['dlv_4', 'dlv_3'])
})

test('a row that left the filter goes, one that is too old to tell stays', () => {
  const { rows } = mergeHead([four, three, one], { deliveries: [four, two], next_cursor: 'more' })
  assert.deepEqual(ids(rows), ['dlv_4', 'dlv_1'])
  assert.deepEqual(mergeHead([four, one], { deliveries: [four], next_cursor: null }).rows, [four])
})

test('after more new rows than were asked for the list begins anew', () => {
  const { newCount, withNew, rows } = mergeHead([one], { deliveries: [four, three], next_cursor: 'more' })
  assert.deepEqual([newCount, withNew, rows], [2, null, [one]])
  assert.deepEqual(ids(mergeHead([], { deliveries: [two, one], next_cursor: null }).withNew), ['dlv_2', 'dlv_1'])
})
