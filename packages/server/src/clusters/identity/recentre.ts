import { normaliseRow, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { cohesionsOf, ownCosines } from './cosines.ts'
import type { PreviousRun } from './previous-run.ts'

/**
 * The last run as another embedder sees it: centroids and cohesion made anew from members that are still known. A cluster without any has a centroid of zeros, which
 * is near nothing.
 */
export function recentre(
  previous: PreviousRun,
  members: { readonly points: Matrix; readonly traceIds: readonly string[] },
): PreviousRun {
  const known = new Map(previous.traceIds.map((id, index) => [id, previous.assignments[index]!]))
  const k = previous.clusters.length
  const { columns } = members.points
  const sums = new Float64Array(k * columns)
  const clusters = Int32Array.from(members.traceIds, (id) => known.get(id) ?? -1)
  clusters.forEach((cluster, point) => {
    if (cluster < 0) return
    const row = rowOf(members.points, point)
    for (let index = 0; index < columns; index++) sums[cluster * columns + index]! += row[index]!
  })
  const centroids = zeroMatrix(k, columns)
  centroids.values.set(sums)
  for (let cluster = 0; cluster < k; cluster++) normaliseRow(rowOf(centroids, cluster))
  const cohesions = membersCohesions(members.points, clusters, centroids)
  return {
    ...previous,
    centroids,
    clusters: previous.clusters.map((cluster, index) => ({ ...cluster, cohesion: cohesions[index]! })),
  }
}

function membersCohesions(points: Matrix, clusters: Int32Array, centroids: Matrix): Float64Array {
  // Points of no cluster count towards one more, which nobody reads.
  const k = centroids.rows
  const withNone = zeroMatrix(k + 1, centroids.columns)
  withNone.values.set(centroids.values)
  const assignments = clusters.map((cluster) => (cluster < 0 ? k : cluster))
  const cosines = ownCosines(points, { assignments, centroids: withNone })
  return cohesionsOf(assignments, cosines, k + 1)
}
