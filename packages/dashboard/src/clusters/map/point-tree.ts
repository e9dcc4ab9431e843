import KDBush from 'kdbush'
import { type Bounds, type MapPoints, median, type Place } from './map-points.ts'

/** Points by place, to find the ones near a place without visiting all. */
export interface PointTree {
  readonly points: MapPoints
  readonly places: KDBush
}

const NODE_SIZE = 64

export function buildTree(points: MapPoints): PointTree {
  const places = new KDBush(points.count, NODE_SIZE, Float32Array)
  for (let index = 0; index < points.count; index += 1) places.add(points.xs[index]!, points.ys[index]!)
  return { points, places: places.finish() }
}

/** The points inside a box, in any order. */
export function pointsIn({ places }: PointTree, { left, right, bottom, top }: Bounds): readonly number[] {
  return places.range(left, bottom, right, top)
}

/**
 * The point in the middle of a cluster's points inside a box: the nearest to their median. It is that of the given
 * cluster, or of the one with the most points there; null without points.
 */
export function middlePoint(tree: PointTree, box: Bounds, cluster: number | null): number | null {
  const { points } = tree
  const inside = Map.groupBy(pointsIn(tree, box), (index) => points.clusters[index]!)
  const most = [...inside.values()].sort((one, other) => other.length - one.length)[0] ?? []
  const members = (cluster === null ? undefined : inside.get(cluster)) ?? most
  const [x, y] = [points.xs, points.ys].map((of) => median(members.map((index) => of[index]!)))
  return nearestOf(points, members, { x: x!, y: y! })
}

/** The nearest point, whatever its distance. There MUST be one. */
export function nearestOfAll(tree: PointTree, at: Place): number {
  const { left, right, bottom, top } = tree.points.bounds
  for (let radius = Math.max(right - left, top - bottom, 1e-6) / 512; ; radius *= 2) {
    const found = nearestPoint(tree, at, radius)
    if (found !== null) return found
  }
}

/** The nearest point within the radius; null if there is none. */
export function nearestPoint({ points, places }: PointTree, at: Place, radius: number): number | null {
  return nearestOf(points, places.within(at.x, at.y, radius), at)
}

function nearestOf({ xs, ys }: MapPoints, indexes: readonly number[], { x, y }: Place): number | null {
  const distance = (index: number) => (xs[index]! - x) ** 2 + (ys[index]! - y) ** 2
  return indexes.reduce<number | null>(
    (best, index) => (best === null || distance(index) < distance(best) ? index : best),
    null,
  )
}
