import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extendLoop, pointsInside } from './lasso.ts'
import { centresOf, packPoints } from './map-points.ts'
import { buildTree, middlePoint, nearestPoint } from './point-tree.ts'
import { fitView, keepInBounds, keepOnPoints, panBy, resizeView, toMap, toScreen, zoomAt } from './view.ts'

const SIZE = { width: 800, height: 600 }

/** A linear congruential generator: the same points in every run. */
function scatter(count: number) {
  let state = 7
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return (state / 2 ** 32) * 2 - 1
  }
  return Array.from({ length: count }, (_, index) => ({
    trace_id: `tr_${index}`,
    x: next(),
    y: next(),
    cluster_id: `clu_${index % 3}`,
  }))
}

const POINTS = packPoints(scatter(5000), ['clu_0', 'clu_1', 'clu_2'])
const TREE = buildTree(POINTS)

test('points of unlisted clusters are left out', () => {
  const packed = packPoints(scatter(9), ['clu_2', 'clu_0'])
  assert.equal(packed.count, 6)
  assert.deepEqual([...packed.clusters], [1, 0, 1, 0, 1, 0])
  assert.deepEqual(packed.traceIds.slice(0, 2), ['tr_0', 'tr_2'])
})

test('a map without points, and one with all points in one place, can be shown', () => {
  const none = packPoints([], ['clu_0'])
  assert.deepEqual(centresOf(none), [null])
  assert.equal(nearestPoint(buildTree(none), { x: 0, y: 0 }, 1), null)
  const one = packPoints([{ trace_id: 'tr_1', x: 0.5, y: 0.5, cluster_id: 'c' }], ['c'])
  assert.ok(Number.isFinite(fitView(one.bounds, SIZE).scale))
  assert.equal(nearestPoint(buildTree(one), { x: 0.5, y: 0.5 }, 0.1), 0)
})

test("a cluster's name is at the median of its points, whatever an outlier does", () => {
  const at = (x: number, y: number) => ({ trace_id: `tr_${x}`, x, y, cluster_id: 'c' })
  const centre = centresOf(packPoints([at(0.25, 0.5), at(0.25, 0.5), at(-1, -1)], ['c']))[0]
  assert.deepEqual(centre, { x: 0.25, y: 0.5 })
})

test('the tree finds the same points as a scan of all points', () => {
  for (const { x, y } of scatter(300)) {
    for (const radius of [0.005, 0.02, 0.3]) {
      let best: number | null = null
      let least = radius
      for (let index = 0; index < POINTS.count; index += 1) {
        const distance = Math.hypot(POINTS.xs[index]! - x, POINTS.ys[index]! - y)
        if (distance > least) continue
        least = distance
        best = index
      }
      assert.equal(nearestPoint(TREE, { x, y }, radius), best)
    }
  }
})

test('a lasso selects the points inside, also of a non-convex loop', () => {
  const arrow = [
    { x: -0.5, y: -0.5 },
    { x: 0, y: 0 },
    { x: 0.5, y: -0.5 },
    { x: 0, y: 0.8 },
  ]
  const inside = pointsInside(TREE, arrow)
  assert.ok(inside.length > 100)
  for (const index of inside) {
    const [x, y] = [Math.abs(POINTS.xs[index]!), POINTS.ys[index]!]
    assert.ok(y >= -x && y <= 0.8 - (1.3 / 0.5) * x, `${x} ${y}`)
  }
  const reversed = pointsInside(TREE, arrow.toReversed())
  assert.deepEqual(inside, reversed)
  assert.deepEqual(pointsInside(TREE, arrow.slice(0, 2)), [])
})

test('a drawn line stores no more places than are visible', () => {
  const loop = extendLoop(extendLoop([{ x: 0, y: 0 }], { x: 1, y: 1 }, 3), { x: 3, y: 2 }, 3)
  assert.deepEqual(loop, [
    { x: 0, y: 0 },
    { x: 3, y: 2 },
  ])
})

test('the whole map fits at first, and screen and map coordinates convert both ways', () => {
  const fit = fitView(POINTS.bounds, SIZE)
  const { left, right, bottom, top } = POINTS.bounds
  for (const place of [
    { x: left, y: bottom },
    { x: right, y: top },
  ]) {
    const { x, y } = toScreen(fit, SIZE, place)
    assert.ok(x >= 0 && x <= SIZE.width && y >= 0 && y <= SIZE.height)
    const back = toMap(fit, SIZE, { x, y })
    assert.ok(Math.abs(back.x - place.x) < 1e-6 && Math.abs(back.y - place.y) < 1e-6)
  }
})

test('zooming keeps the place under the pointer, and has limits', () => {
  const fit = fitView(POINTS.bounds, SIZE)
  const at = { x: 130, y: 510 }
  const under = toMap(fit, SIZE, at)
  let view = fit
  for (let turn = 0; turn < 100; turn += 1) view = zoomAt(view, SIZE, fit, 1.5, at)
  const { x, y } = toScreen(view, SIZE, under)
  assert.ok(Math.hypot(x - at.x, y - at.y) < 1e-3)
  assert.ok(view.scale <= fit.scale * 80)
  for (let turn = 0; turn < 100; turn += 1) view = zoomAt(view, SIZE, fit, 0.5, at)
  assert.ok(view.scale >= fit.scale * 0.7 - 1e-9)
})

test('panning follows the pointer, and never loses the map', () => {
  const fit = fitView(POINTS.bounds, SIZE)
  const before = toScreen(fit, SIZE, { x: 0, y: 0 })
  const after = toScreen(panBy(fit, 30, -20), SIZE, { x: 0, y: 0 })
  assert.deepEqual([Math.round(after.x - before.x), Math.round(after.y - before.y)], [30, -20])
  const lost = keepInBounds(panBy(fit, 1e6, 1e6), POINTS.bounds)
  assert.deepEqual([lost.x, lost.y], [POINTS.bounds.left, POINTS.bounds.top])
})

test('zoom without a pointer goes to the middle of the largest cluster in view, or of the one that is shown alone', () => {
  const at = (x: number, y: number, cluster_id: string) => ({ trace_id: `tr_${x}_${y}`, x, y, cluster_id })
  const many = [0.4, 0.5, 0.6, 0.9].map((x) => at(x, 0.5, 'many'))
  const tree = buildTree(packPoints([at(-0.9, -0.9, 'few'), at(-0.8, -0.8, 'few'), ...many], ['few', 'many']))
  const all = { left: -1, right: 1, bottom: -1, top: 1 }
  assert.equal(tree.points.traceIds[middlePoint(tree, all, null)!], 'tr_0.6_0.5')
  assert.match(tree.points.traceIds[middlePoint(tree, all, 0)!]!, /^tr_-0/)
  assert.match(tree.points.traceIds[middlePoint(tree, { ...all, right: 0 }, 1)!]!, /^tr_-0/)
  assert.equal(middlePoint(tree, { ...all, left: 0, top: 0 }, null), null)
})

test('no view is without points, however near it zooms into emptiness', () => {
  const at = (x: number, y: number) => ({ trace_id: `tr_${x}_${y}`, x, y, cluster_id: 'c' })
  const tree = buildTree(packPoints([at(-1, -1), at(-1, 1), at(1, -1), at(1, 0.9)], ['c']))
  const fit = fitView(tree.points.bounds, SIZE)
  for (const corner of [
    { x: 400, y: 300 },
    { x: 10, y: 290 },
    { x: 790, y: 590 },
  ]) {
    let view = fit
    for (let turn = 0; turn < 12; turn += 1) {
      view = keepOnPoints(zoomAt(view, SIZE, fit, 1.5, corner), SIZE, tree)
      const seen = [...tree.points.xs].filter((x, index) => {
        const place = toScreen(view, SIZE, { x, y: tree.points.ys[index]! })
        return place.x >= 20 && place.y >= 20 && place.x <= 780 && place.y <= 580
      })
      assert.ok(seen.length > 0, `${corner.x} ${turn}`)
    }
    assert.ok(view.scale > 40 * fit.scale)
  }
  assert.deepEqual(keepOnPoints(fit, SIZE, tree), fit)
  const none = packPoints([], ['c'])
  assert.deepEqual(keepOnPoints(fit, SIZE, buildTree(none)), fit)
})

test('after a resize the map shows the same place, or all if it showed all', () => {
  const fit = fitView(POINTS.bounds, SIZE)
  const larger = fitView(POINTS.bounds, { width: 1600, height: 1200 })
  assert.deepEqual(resizeView(fit, fit, larger), larger)
  const near = { x: 0.1, y: 0.2, scale: fit.scale * 4 }
  assert.deepEqual(resizeView(near, fit, larger), { ...near, scale: larger.scale * 4 })
})
