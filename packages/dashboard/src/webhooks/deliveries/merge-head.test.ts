import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryAt, RETRYING } from './delivery-builders.test-support.ts'
import { mergeHead } from './merge-head.ts'

const ids = (rows: readonly { readonly id: string }[] | null) => rows?.map(({ id }) => id)
const [one, two, three, four] = [1, 2, 3, 4].map((n) => deliveryAt(n)) as [Row, Row, Row, Row]
type Row = ReturnType<typeof deliveryAt>

test('rows change in place, and new ones wait until they are taken', () => {
  const shown = [deliveryAt(2, RETRYING), one]
  const { rows, fresh, withNew } = mergeHead(shown, { deliveries: [four, three, two], next_cursor: 'more' })
  assert.deepEqual(rows, [two, one])
  assert.deepEqual(ids(fresh), ['dlv_4', 'dlv_3'])
  assert.deepEqual(ids(withNew), ['dlv_4', 'dlv_3', 'dlv_2', 'dlv_1'])
})

test('rows of the next page are not new', () => {
  const { fresh, withNew } = mergeHead([four, three], { deliveries: [four, three, two, one], next_cursor: null })
  assert.deepEqual(fresh, [])
  assert.deepEqual(ids(withNew), ['dlv_4', 'dlv_3'])
})

test('a row that left the filter is removed; one beyond the page stays', () => {
  const { rows } = mergeHead([four, three, one], { deliveries: [four, two], next_cursor: 'more' })
  assert.deepEqual(ids(rows), ['dlv_4', 'dlv_1'])
  assert.deepEqual(mergeHead([four, one], { deliveries: [four], next_cursor: null }).rows, [four])
})

test('with more new rows than one page the list restarts', () => {
  const { fresh, withNew, rows } = mergeHead([one], { deliveries: [four, three], next_cursor: 'more' })
  assert.deepEqual([fresh.length, withNew, rows], [2, null, [one]])
  assert.deepEqual(ids(mergeHead([], { deliveries: [two, one], next_cursor: null }).withNew), ['dlv_2', 'dlv_1'])
})
