import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownPieces } from './shown-pieces.ts'

const print = (text: string, query: string, shown: number) =>
  shownPieces(text, query, shown).map((piece) => `${piece.shown ? '' : 'not '}${piece.from}-${piece.to}`)

test('a short text is shown whole, a long one from its start', () => {
  assert.deepEqual(print('abc', '', 10), ['0-3'])
  assert.deepEqual(print('x'.repeat(5000), '', 4000), ['0-4000', 'not 4000-5000'])
})

test('matches further down are shown with what is around them', () => {
  const text = `${'x'.repeat(70_000)}Needle${'x'.repeat(20_000)}needle`
  assert.deepEqual(print(text, 'needle', 4000), [
    '0-4000',
    'not 4000-69000',
    '69000-71006',
    'not 71006-89006',
    '89006-90012',
  ])
  assert.deepEqual(print(text, 'needle', 100_000), ['0-90012'])
  assert.deepEqual(print(`${'x'.repeat(4500)}needle`, 'needle', 4000), ['0-4506'], 'near matches extend the start')
  assert.deepEqual(print(`${'x'.repeat(3998)}needle${'x'.repeat(3000)}`, 'needle', 4000), ['0-5004', 'not 5004-7004'])
})
