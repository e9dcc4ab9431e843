import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { textDifference } from './text-difference.ts'

const SIGNS = { same: ' ', removed: '-', added: '+' }
const print = (before: string, after: string) =>
  textDifference(before, after).map(({ kind, text }) => `${SIGNS[kind]}${text}`)

test('a difference has the words that were removed and added, between those that stay', () => {
  assert.deepEqual(print('Be kind to all.', 'Be very kind to all.'), [' Be ', '+very ', ' kind to all.'])
  assert.deepEqual(print('a b c d e', 'a x c y e'), [' a ', '-b ', '+x ', ' c ', '-d ', '+y ', ' e'])
  assert.deepEqual(print('a', 'a'), [' a'])
  assert.deepEqual(print('', 'a'), ['+a'])
  assert.deepEqual(print('a\n', 'a'), ['-a\n', '+a'])
})

test('property: the pieces are the two texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n') })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = textDifference(before, after)
      const without = (kind: string) => pieces.flatMap((piece) => (piece.kind === kind ? [] : [piece.text])).join('')
      assert.equal(without('added'), before)
      assert.equal(without('removed'), after)
    }),
  )
})

test('long texts with nothing in common are compared as a whole', () => {
  const [before, after] = ['a ', 'b '].map((word) => word.repeat(2000))
  assert.equal(textDifference(before!, after!).length, 2)
})
