import type { Place } from './map-points.ts'
import { pointsIn, type PointTree } from './point-tree.ts'

/** Indexes of the points inside a loop on the map, ascending. The loop is closed from its end to its start. */
export function pointsInside(tree: PointTree, loop: readonly Place[]): readonly number[] {
  if (loop.length < 3) return []
  const { xs, ys } = tree.points
  const box = {
    left: Math.min(...loop.map(({ x }) => x)),
    right: Math.max(...loop.map(({ x }) => x)),
    bottom: Math.min(...loop.map(({ y }) => y)),
    top: Math.max(...loop.map(({ y }) => y)),
  }
  return pointsIn(tree, box)
    .filter((index) => isInside(xs[index]!, ys[index]!, loop))
    .toSorted((one, other) => one - other)
}

/** Whether a ray to the right crosses the loop an odd number of times. */
function isInside(x: number, y: number, loop: readonly Place[]): boolean {
  let inside = false
  let from = loop.at(-1)!
  for (const to of loop) {
    if (from.y > y !== to.y > y && x < ((to.x - from.x) * (y - from.y)) / (to.y - from.y) + from.x) inside = !inside
    from = to
  }
  return inside
}

/** Appends a place to a drawn line, unless it is too close to the last one to be visible. */
export function extendLoop(loop: readonly Place[], place: Place, leastStep: number): readonly Place[] {
  const last = loop.at(-1)
  if (last !== undefined && Math.hypot(place.x - last.x, place.y - last.y) < leastStep) return loop
  return [...loop, place]
}
