import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder, moved, resized, without, withTile } from './tile-layout.ts'

const tile = (name: string, x: number, y: number, w = 6, h = 4) => ({ name, x, y, w, h })
const THREE = [tile('c', 0, 4), tile('b', 6, 0), tile('a', 0, 0)]
const shown = (tiles: readonly ReturnType<typeof tile>[]) => tiles.map(({ name, x, y, w }) => `${name} ${x},${y} ${w}`)

test('tiles are read by row and column', () => {
  assert.deepEqual(shown(inOrder(THREE)), ['a 0,0 6', 'b 6,0 6', 'c 0,4 6'])
})

test('a tile that moves pushes the others on', () => {
  assert.deepEqual(shown(moved(THREE, 2, 0)), ['c 0,0 6', 'a 6,0 6', 'b 0,4 6'])
  assert.deepEqual(shown(moved(THREE, 0, 9)), ['b 0,0 6', 'c 6,0 6', 'a 0,4 6'])
  assert.deepEqual(shown(moved(THREE, 1, -1)), ['b 0,0 6', 'a 6,0 6', 'c 0,4 6'])
  assert.deepEqual(shown(moved(THREE, 7, 0)), shown(inOrder(THREE)))
})

test('a tile has half of the width or all of it, and no row is wider than the grid', () => {
  const wide = resized(THREE, 1)
  assert.deepEqual(shown(wide), ['a 0,0 6', 'b 0,4 12', 'c 0,8 6'])
  assert.deepEqual(shown(resized(wide, 1)), ['a 0,0 6', 'b 6,0 6', 'c 0,4 6'])
})

test('a tile is removed without a gap, and a new one is the last', () => {
  assert.deepEqual(shown(without(THREE, 0)), ['b 0,0 6', 'c 6,0 6'])
  assert.deepEqual(shown(withTile<{ readonly name: string }>(THREE, { name: 'd' })), [
    'a 0,0 6',
    'b 6,0 6',
    'c 0,4 6',
    'd 6,4 6',
  ])
})
