import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeLabels } from './place-labels.ts'

const SIZE = { width: 400, height: 300 }
const label = (x: number, y: number) => ({ width: 80, height: 16, anchor: { x, y } })

test('a label with space is drawn at its cluster', () => {
  assert.deepEqual(placeLabels([label(200, 150)], SIZE), [{ x: 160, y: 142 }])
})

test('labels do not overlap, and the heavier one keeps its place', () => {
  const labels = Array.from({ length: 30 }, (_, index) => label(150 + (index % 5) * 10, 140 + index))
  const placed = placeLabels(labels, SIZE)
  assert.deepEqual(placed[0], placeLabels(labels.slice(0, 1), SIZE)[0])
  const boxes = placed.filter((place) => place !== null)
  assert.ok(boxes.length > 3 && boxes.length < 30)
  for (const [index, one] of boxes.entries())
    for (const other of boxes.slice(index + 1))
      assert.ok(Math.abs(one.x - other.x) >= 80 || Math.abs(one.y - other.y) >= 16)
})

test('a label at the edge is moved inside; that of a cluster outside is not drawn', () => {
  const [edge, outside, none] = placeLabels([label(2, 2), label(-1, 50), { ...label(0, 0), anchor: null }], SIZE)
  assert.deepEqual(edge, { x: 3, y: 3 })
  assert.deepEqual([outside, none], [null, null])
})

test('a label moves to where it covers no point, if that is near', () => {
  const points = [190, 200, 210].flatMap((x) => [142, 150, 158].map((y) => ({ x, y })))
  const under = (box: { x: number; y: number; width: number; height: number }) =>
    points.filter(({ x, y }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height).length
  const [place] = placeLabels([label(200, 150)], SIZE, [], under)
  assert.ok(place)
  assert.equal(under({ ...place, width: 80, height: 16 }), 0)
  assert.ok(Math.hypot(place.x + 40 - 200, place.y + 8 - 150) < 40)
})

test('a label stays at its cluster where points are everywhere', () => {
  assert.deepEqual(
    placeLabels([label(200, 150)], SIZE, [], () => 7),
    [{ x: 160, y: 142 }],
  )
})

test('no label covers a reserved area', () => {
  const [place] = placeLabels([label(380, 40)], SIZE, [{ x: 350, y: 0, width: 50, height: 100 }])
  assert.ok(place !== null && place !== undefined && (place.x + 80 < 350 || place.y > 100))
})
