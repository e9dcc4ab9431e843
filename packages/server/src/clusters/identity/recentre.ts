import { sphericalKMeans } from '../clustering/spherical-k-means.ts'
import { normaliseRow, pickRows, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { cohesionsOf, ownCosines, sizesOf } from './cosines.ts'
import type { PreviousRun } from './previous-run.ts'

/** Traces as one embedder sees them. */
export interface EmbeddedTraces {
  readonly points: Matrix
  readonly traceIds: readonly string[]
}

/**
 * The last run as another embedder sees it: its centroids made anew from their members, which then settle, so that what this embedder sees otherwise is not taken for a
 * change in the traces. Members it is not given stay where they were; a cluster of which none is given has a centroid of zeros, which is near nothing.
 */
export function recentre(previous: PreviousRun, embedded: EmbeddedTraces): PreviousRun {
  const indexes = new Map(previous.traceIds.map((id, index) => [id, index]))
  const members = [...embedded.traceIds.keys()].filter((row) => indexes.has(embedded.traceIds[row]!))
  const points = pickRows(embedded.points, Uint32Array.from(members))
  const places = Int32Array.from(members, (row) => indexes.get(embedded.traceIds[row]!)!)
  const k = previous.clusters.length
  const before = places.map((index) => previous.assignments[index]!)
  const known = Uint32Array.from(new Set(before)).sort()
  if (known.length === 0) return { ...previous, centroids: zeroMatrix(k, points.columns) }
  const settled = sphericalKMeans(points, pickRows(middles(points, before, k), known))
  const cohesions = cohesionsOf(settled.assignments, ownCosines(points, settled), settled.k)
  const centroids = zeroMatrix(k, points.columns)
  known.forEach((cluster, row) => rowOf(centroids, cluster).set(rowOf(settled.centroids, row)))
  const assignments = previous.assignments.slice()
  settled.assignments.forEach((row, member) => (assignments[places[member]!] = known[row]!))
  const sizes = sizesOf(assignments, k)
  const clusters = previous.clusters.map(({ id, cohesion }, cluster) => {
    const row = known.indexOf(cluster)
    return { id, size: sizes[cluster]!, cohesion: row < 0 ? cohesion : cohesions[row]! }
  })
  return { ...previous, clusters, centroids, assignments }
}

function middles(points: Matrix, assignments: Int32Array, k: number): Matrix {
  const { columns } = points
  const sums = new Float64Array(k * columns)
  assignments.forEach((cluster, point) => {
    const row = rowOf(points, point)
    for (let index = 0; index < columns; index++) sums[cluster * columns + index]! += row[index]!
  })
  const middle = { rows: k, columns, values: Float32Array.from(sums) }
  for (let cluster = 0; cluster < k; cluster++) normaliseRow(rowOf(middle, cluster))
  return middle
}
