import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawPoints, pointRadius } from './draw-points.ts'
import { packPoints } from './map-points.ts'

const SIZE = { width: 101, height: 101 }
const VIEW = { x: 0, y: 0, scale: 40 }

/** The images in the order in which they were drawn, with the places of their centres and their opacity. */
function draw(places: readonly (readonly [number, number, string])[], dimmed: readonly number[] | null = null) {
  const points = packPoints(
    places.map(([x, y, cluster_id], index) => ({ trace_id: `tr_${index}`, x, y, cluster_id })),
    ['a', 'b'],
  )
  const drawn: (readonly [image: string, x: number, y: number, opacity: number])[] = []
  const context = {
    globalAlpha: 1,
    drawImage: (image: unknown, x: number, y: number, width: number, height: number) =>
      void drawn.push([image as string, x + width / 2, y + height / 2, context.globalAlpha]),
  }
  const sprites = ['disc', 'diamond'].map((image) => ({ image: image as unknown as CanvasImageSource, size: 8 }))
  const scene = { view: VIEW, size: SIZE, sprites, dimmed: dimmed === null ? null : Uint8Array.from(dimmed) }
  drawPoints(context as unknown as CanvasRenderingContext2D, points, scene)
  assert.equal(context.globalAlpha, 1)
  return drawn
}

test('a point is drawn where the view puts it, in the shape of its cluster, and y points up', () => {
  const drawn = draw([[0.5, 0.5, 'a'], [0, 0, 'b']]) // prettier-ignore
  assert.deepEqual(drawn, [['disc', 70.5, 30.5, 1], ['diamond', 50.5, 50.5, 1]]) // prettier-ignore
})

test('dimmed points are faint, and drawn first, so that they cover nothing', () => {
  const places = [[0, 0, 'a'], [0, 0, 'b'], [0.5, 0, 'b']] as const // prettier-ignore
  const opacities = draw(places, [0, 1, 1]).map(([image, x, , opacity]) => [image, x, opacity < 0.5])
  const expected = [['diamond', 50.5, true], ['diamond', 70.5, true], ['disc', 50.5, false]] // prettier-ignore
  assert.deepEqual(opacities, expected)
})

test('a point outside is not drawn, one across the edge is', () => {
  assert.deepEqual(
    draw([[0, 9, 'a'], [1.25, 0, 'a'], [-1.3125, 0, 'a']]).map(([, x]) => x), // prettier-ignore
    [100.5, -2],
  )
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
