import type { Partition } from './partition/partition.ts'
import { sizesOf } from './identity/cosines.ts'
import { pickRows } from './matrix.ts'

/**
 * The same partition with its clusters ordered by size, largest first, then by their first point. Clusters without
 * points are left out.
 */
export function inOrderOfSize({ k, assignments, centroids, objective }: Partition): Partition {
  const sizes = sizesOf(assignments, k)
  const order = [...sizes.keys()]
    .filter((cluster) => sizes[cluster]! > 0)
    .sort((a, b) => sizes[b]! - sizes[a]! || assignments.indexOf(a) - assignments.indexOf(b))
  const places = new Int32Array(k)
  order.forEach((cluster, place) => (places[cluster] = place))
  return {
    k: order.length,
    assignments: assignments.map((cluster) => places[cluster]!),
    centroids: pickRows(centroids, Uint32Array.from(order)),
    objective,
  }
}
