import type { ClusterMapPoint } from '@spoor/contract/schemas/cluster'

/** The points of a map as columns, so that 20,000 of them are drawn at the screen's frame rate. */
export interface MapPoints {
  readonly count: number
  readonly traceIds: readonly string[]
  /** Left to right. */
  readonly xs: Float32Array
  /** Bottom to top. */
  readonly ys: Float32Array
  /** Index of each point's cluster in `clusterIds`. */
  readonly clusters: Uint8Array
  readonly clusterIds: readonly string[]
  readonly bounds: Bounds
}

export interface Bounds {
  readonly left: number
  readonly right: number
  readonly bottom: number
  readonly top: number
}

/** Leaves out points of unlisted clusters: a discovery may end between the two responses. */
export function packPoints(points: readonly ClusterMapPoint[], clusterIds: readonly string[]): MapPoints {
  const placeOf = new Map(clusterIds.map((id, place) => [id, place]))
  const known = points.filter(({ cluster_id }) => placeOf.has(cluster_id))
  const xs = Float32Array.from(known, ({ x }) => x)
  const ys = Float32Array.from(known, ({ y }) => y)
  return {
    count: known.length,
    traceIds: known.map(({ trace_id }) => trace_id),
    xs,
    ys,
    clusters: Uint8Array.from(known, ({ cluster_id }) => placeOf.get(cluster_id)!),
    clusterIds,
    bounds: boundsOf(xs, ys),
  }
}

function boundsOf(xs: Float32Array, ys: Float32Array): Bounds {
  if (xs.length === 0) return { left: -1, right: 1, bottom: -1, top: 1 }
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let index = 0; index < xs.length; index += 1) {
    left = Math.min(left, xs[index]!)
    right = Math.max(right, xs[index]!)
    bottom = Math.min(bottom, ys[index]!)
    top = Math.max(top, ys[index]!)
  }
  return { left, right, bottom, top }
}

/** The position of each cluster's name: the median of its points, which ignores outliers. Null without points. */
export function centresOf({ count, xs, ys, clusters, clusterIds }: MapPoints): readonly (Place | null)[] {
  const members = clusterIds.map((): { x: number[]; y: number[] } => ({ x: [], y: [] }))
  for (let index = 0; index < count; index += 1) {
    const { x, y } = members[clusters[index]!]!
    x.push(xs[index]!)
    y.push(ys[index]!)
  }
  return members.map(({ x, y }) => (x.length === 0 ? null : { x: median(x), y: median(y) }))
}

export interface Place {
  readonly x: number
  readonly y: number
}

export function median(values: readonly number[]): number {
  return Float32Array.from(values).sort()[values.length >> 1]!
}
