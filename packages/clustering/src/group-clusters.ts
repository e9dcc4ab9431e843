import { dot } from './identity/cosines.ts'
import { normaliseRow, rowOf, sumsOf, zeroMatrix, type Matrix } from './matrix.ts'

/** Fewer clusters are read at a glance. */
const LEAST_CLUSTERS = 12
/**
 * Added to the cosine of two clusters that were in one topic, and taken from that of two that were in different ones:
 * centroids move a little from run to run.
 */
const KEPT = 0.05

/**
 * Topics of clusters, as indexes of their centroids, the topic with most clusters first. Two topics become one while
 * the mean cosine between their clusters, seen from the centre of all, is above 0: they are more alike than clusters of
 * the run are on average (average linkage). A topic may have one cluster only. There is none when there are few
 * clusters.
 *
 * @param former for each cluster its topic in the last run, null if it had none
 */
export function groupClusters(centroids: Matrix, former: readonly (string | null)[]): readonly (readonly number[])[] {
  const { rows } = centroids
  if (rows < LEAST_CLUSTERS) return []
  const likeness = likenessesOf(centroids, former)
  let topics: readonly (readonly number[])[] = Array.from({ length: rows }, (_, cluster) => [cluster])
  for (;;) {
    let best: { readonly one: readonly number[]; readonly other: readonly number[] } | null = null
    let greatest = 0
    for (const [index, one] of topics.entries()) {
      for (const other of topics.slice(index + 1)) {
        let sum = 0
        for (const first of one) for (const second of other) sum += likeness[first * rows + second]!
        const mean = sum / (one.length * other.length)
        if (mean > greatest) [best, greatest] = [{ one, other }, mean]
      }
    }
    if (best === null) return topics.toSorted((a, b) => b.length - a.length || a[0]! - b[0]!)
    const { one, other } = best
    const both = [...one, ...other].toSorted((a, b) => a - b)
    topics = topics.flatMap((topic) => (topic === one ? [both] : topic === other ? [] : [topic]))
  }
}

/** For each pair of clusters, row by row. */
function likenessesOf(centroids: Matrix, former: readonly (string | null)[]): Float64Array {
  const { rows, columns } = centroids
  const total = sumsOf(centroids, new Int32Array(rows), 1)
  const centred = zeroMatrix(rows, columns)
  for (let cluster = 0; cluster < rows; cluster++) {
    const row = rowOf(centred, cluster)
    row.set(rowOf(centroids, cluster).map((value, index) => value - total[index]! / rows))
    normaliseRow(row)
  }
  return Float64Array.from({ length: rows * rows }, (_, pair) => {
    const [one, other] = [Math.floor(pair / rows), pair % rows]
    const [before, beforeOther] = [former[one] ?? null, former[other] ?? null]
    const kept = before === null || beforeOther === null ? 0 : before === beforeOther ? KEPT : -KEPT
    return dot(rowOf(centred, one), rowOf(centred, other)) + kept
  })
}
