import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packPoints } from './map-points.ts'
import { makeSprite, pointRadius } from './sprite.ts'
import { stampPoints } from './stamp-points.ts'

const GROUND = [255, 255, 255] as const
const RED = [200, 0, 0] as const
const BLUE = [0, 0, 200] as const
const VIEW = { x: 0, y: 0, scale: 40 }

function draw(places: readonly (readonly [number, number, string])[], dimmed: readonly number[] | null = null) {
  const points = packPoints(
    places.map(([x, y, cluster_id], index) => ({ trace_id: `tr_${index}`, x, y, cluster_id })),
    ['a', 'b'],
  )
  const frame = { pixels: new Uint32Array(101 * 101), width: 101, height: 101 }
  const styles = [
    { color: RED, sprite: makeSprite('disc', 3), rim: null },
    { color: BLUE, sprite: makeSprite('diamond', 3), rim: makeSprite('diamond', 5) },
  ]
  stampPoints(frame, {
    points,
    view: VIEW,
    styles,
    dimmed: dimmed === null ? null : Uint8Array.from(dimmed),
    ground: GROUND,
  })
  return (x: number, y: number) => {
    const pixel = frame.pixels[y * 101 + x]!
    assert.equal(pixel >>> 24, 255, 'opaque')
    return [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]
  }
}

test('a point is drawn where the view puts it, y points up, and the rest is background', () => {
  const at = draw([[0.5, 0.5, 'a']])
  assert.deepEqual(at(70, 30), RED)
  assert.deepEqual(at(70, 70), GROUND)
  assert.deepEqual(at(30, 30), GROUND)
})

test('the later of two points covers the earlier', () => {
  assert.deepEqual(draw([[0, 0, 'a'], [0, 0, 'b']])(50, 50), BLUE) // prettier-ignore
  assert.deepEqual(draw([[0, 0, 'b'], [0, 0, 'a']])(50, 50), RED) // prettier-ignore
})

test('a rim separates a point from those below it', () => {
  const at = draw([[0, 0, 'a'], [0.15, 0, 'b']]) // prettier-ignore
  assert.deepEqual(at(56, 50), BLUE)
  assert.deepEqual(at(50, 50), GROUND)
  assert.deepEqual(at(48, 50), RED)
})

test('dimmed points are faint and cover nothing', () => {
  const places = [[0, 0, 'a'], [0, 0, 'b'], [0.5, 0, 'b']] as const // prettier-ignore
  const at = draw(places, [0, 1, 1])
  assert.deepEqual(at(50, 50), RED)
  const [red = 0, , blue = 0] = at(70, 50)
  assert.ok(red > 200 && red < 255 && blue > 230)
})

test('a point outside, or across the edge, is clipped', () => {
  const at = draw([[1.25, 0, 'a'], [-1.25, 0, 'a'], [0, 9, 'a'], [0, -1.24, 'a']]) // prettier-ignore
  // prettier-ignore
  for (const [x, y] of [[100, 50], [0, 50], [0, 51], [50, 0], [50, 100]] as const) assert.deepEqual(at(x, y), GROUND)
})

test('a diamond and a disc differ in their corners', () => {
  const disc = makeSprite('disc', 5)
  const diamond = makeSprite('diamond', 5)
  const middle = (sprite: typeof disc) => sprite.cover[(sprite.cover.length - 1) / 2]
  assert.deepEqual([middle(disc), middle(diamond)], [256, 256])
  const diagonal = (sprite: typeof disc, steps: number) => {
    const half = sprite.size >> 1
    return sprite.cover[(half + steps) * sprite.size + half + steps]
  }
  assert.deepEqual([diagonal(disc, 3), diagonal(diamond, 3)], [256, diagonal(diamond, 3)])
  assert.equal(diagonal(diamond, 4), 0)
  const straight = diamond.cover[(diamond.size >> 1) * diamond.size + (diamond.size >> 1) + 6]
  assert.ok(straight !== undefined && straight > 0)
})

test('points shrink as their number grows, and grow with zoom', () => {
  const area = 800 * 600
  const radii = [100, 5000, 20_000, 100_000].map((count) => pointRadius(count, area, 1))
  assert.deepEqual(
    radii,
    radii.toSorted((one, other) => other - one),
  )
  assert.ok(radii.every((radius) => radius >= 1.1 && radius <= 4.5))
  assert.ok(pointRadius(20_000, area, 8) > pointRadius(20_000, area, 1))
})
