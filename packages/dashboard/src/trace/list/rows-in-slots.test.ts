import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsInSlots } from './rows-in-slots.ts'

test('at rest rows stand from the top', () => {
  assert.deepEqual(rowsInSlots(7, 11, 4, 7), [7, 8, 9, 10])
  assert.deepEqual(rowsInSlots(7, 9, 4, 7), [7, 8], 'with places left over')
})

test('while rows go by, each place keeps its element: only their numbers change', () => {
  assert.deepEqual(rowsInSlots(8, 12, 4, 7), [11, 8, 9, 10])
  assert.deepEqual(rowsInSlots(5, 9, 4, 7), [7, 8, 5, 6])
  for (const from of [0, 3, 50]) {
    const places = rowsInSlots(from, from + 4, 4, 7).map((row) => row % 4)
    assert.deepEqual(places, [3, 0, 1, 2])
  }
})
