import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iconPath } from './icon-path.ts'

test('shapes are joined into one path, each from its own origin', () => {
  assert.equal(
    iconPath({
      node: [
        ['path', { d: 'm1 2 3 4' }],
        ['line', { x1: '1', y1: '2', x2: '3', y2: '4' }],
      ],
    }),
    'M0 0m1 2 3 4M0 0M1 2L3 4',
  )
})

test('circles and ellipses are two arcs, and each corner is one', () => {
  assert.equal(
    iconPath({ node: [['circle', { cx: '12', cy: '12', r: '1' }]] }),
    'M0 0M11 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  )
  assert.equal(
    iconPath({ node: [['ellipse', { cx: '12', cy: '5', rx: '9', ry: '3' }]] }),
    'M0 0M3 5a9 3 0 1 0 18 0a9 3 0 1 0 -18 0',
  )
  assert.equal(
    iconPath({ node: [['rect', { x: '4', y: '8', width: '16', height: '12', rx: '2' }]] }),
    'M0 0M6 8h12a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-12a2 2 0 0 1 -2 -2v-8a2 2 0 0 1 2 -2',
  )
})

test('an unknown shape is refused', () => {
  assert.throws(() => iconPath({ node: [['polygon', { points: '1,2 3,4' }]] }), /polygon/)
})
