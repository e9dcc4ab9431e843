import type { Cluster } from '@spoor/contract/schemas/cluster'
import { type ClusterColor, clusterColors } from '../cluster-colors.ts'
import { clusterName } from '../cluster-name.ts'
import type { MapPoints } from './map-points.ts'

export interface MapCluster {
  readonly id: string
  readonly label: string
  readonly color: ClusterColor
  readonly fails: boolean
  readonly errorRate: number
}

export function mapClusters(clusters: readonly Cluster[]): readonly MapCluster[] {
  const colors = clusterColors(clusters.map(({ id }) => id))
  return clusters.map((cluster) => ({
    id: cluster.id,
    label: clusterName(cluster),
    color: colors.get(cluster.id)!,
    fails: cluster.color === 'fail',
    errorRate: cluster.error_rate,
  }))
}

/**
 * Marks points to dim: those of other clusters than the focused one, and those that are not selected. Null if there are
 * none.
 */
export function dimmedPoints(
  points: MapPoints,
  focused: number | null,
  selected: readonly number[] | null,
): Uint8Array | null {
  if (focused === null && selected === null) return null
  const dimmed = new Uint8Array(points.count).fill(selected === null ? 0 : 1)
  if (selected !== null) for (const index of selected) dimmed[index] = 0
  if (focused !== null)
    for (let index = 0; index < points.count; index += 1) if (points.clusters[index] !== focused) dimmed[index] = 1
  return dimmed
}

export interface ClusterCount {
  /** Index of the cluster. */
  readonly cluster: number
  readonly count: number
}

/** The number of selected points by cluster, largest first. */
export function countByCluster(points: MapPoints, selected: readonly number[]): readonly ClusterCount[] {
  const counts = new Map<number, number>()
  for (const index of selected) counts.set(points.clusters[index]!, (counts.get(points.clusters[index]!) ?? 0) + 1)
  return [...counts]
    .map(([cluster, count]) => ({ cluster, count }))
    .toSorted((one, other) => other.count - one.count || one.cluster - other.cluster)
}

// C0 and C1 controls, and marks that change the text direction.
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** A name for a canvas: one line, one direction, at most `longest` characters. */
export function canvasLabel(label: string, longest: number): string {
  const text = label.slice(0, 500).replaceAll(UNPRINTABLE, ' ').replaceAll(/\s+/g, ' ').trim()
  const characters = [...text]
  return characters.length <= longest
    ? text
    : `${characters
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`
}
