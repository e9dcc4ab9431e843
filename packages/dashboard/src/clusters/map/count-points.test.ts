import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countPoints } from './count-points.ts'
import { packPoints } from './map-points.ts'
import { toScreen } from './view.ts'

const SIZE = { width: 202, height: 101 }

test('a box has the points of the cells that it touches, as a scan of all points finds them', () => {
  const scattered = Array.from({ length: 700 }, (_, index) => ({
    trace_id: `tr_${index}`,
    x: Math.sin(index * 1.7),
    y: Math.cos(index * 2.3),
    cluster_id: 'c',
  }))
  const points = packPoints(scattered, ['c'])
  const view = { x: 0.1, y: -0.2, scale: 120 }
  const count = countPoints(points, view, SIZE)
  const places = Array.from(points.xs, (x, index) => toScreen(view, SIZE, { x, y: points.ys[index]! }))
  for (const box of [
    { x: 0, y: 0, width: 202, height: 101 },
    { x: 8, y: 12, width: 40, height: 16 },
    { x: 90, y: 40, width: 4, height: 4 },
    { x: 160, y: 80, width: 40, height: 20 },
  ]) {
    const { x, y, width, height } = box
    const [right, bottom] = [4 * Math.ceil((x + width) / 4), 4 * Math.ceil((y + height) / 4)]
    const inside = places.filter((place) => place.x >= x && place.y >= y && place.x < right && place.y < bottom)
    assert.equal(count(box), inside.length)
  }
  assert.ok(count({ x: 0, y: 0, width: 202, height: 101 }) > 100)
  assert.equal(count({ x: -50, y: -50, width: 40, height: 40 }), 0)
})
