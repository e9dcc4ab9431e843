import type { ClusterRun, ListedCluster as ListedBody } from '@spoor/contract/schemas/cluster'
import type { ClusterSort } from '../search.ts'

/** The change of a cluster from the previous run to the last one. */
export type Change =
  /** There is no previous run. */
  | { readonly kind: 'none' }
  | { readonly kind: 'new' }
  | {
      readonly kind: 'grown' | 'shrunk' | 'same'
      readonly before: number
      readonly now: number
      /** Of the traces of each run. */
      readonly shareBefore: number
      readonly shareNow: number
      /** The previous name, if it differs. */
      readonly calledBefore: string | null
    }

export interface ListedCluster {
  readonly cluster: ListedBody
  /** Of all clustered traces. */
  readonly share: number
  readonly change: Change
}

/** A change of share below one point counts as none, because two windows never hold the same traces. */
const MIN_DIFFERENCE = 0.01

/** `runs`: newest first. The first one is the run of `clusters`. */
export function listClusters(clusters: readonly ListedBody[], runs: readonly ClusterRun[]): readonly ListedCluster[] {
  const total = clusters.reduce((sum, { size }) => sum + size, 0)
  return clusters.map((cluster) => ({
    cluster,
    share: total === 0 ? 0 : cluster.size / total,
    change: changeOf(cluster.id, runs),
  }))
}

export function changeOf(clusterId: string, [last, previous]: readonly ClusterRun[]): Change {
  if (last === undefined || previous === undefined) return { kind: 'none' }
  const now = last.clusters.find(({ id }) => id === clusterId)
  const before = previous.clusters.find(({ id }) => id === clusterId)
  if (now === undefined) return { kind: 'none' }
  if (before === undefined) return { kind: 'new' }
  const shareBefore = before.size / Math.max(previous.traces, 1)
  const shareNow = now.size / Math.max(last.traces, 1)
  const moved = Math.abs(shareNow - shareBefore) >= MIN_DIFFERENCE
  return {
    kind: moved ? (shareNow > shareBefore ? 'grown' : 'shrunk') : 'same',
    before: before.size,
    now: now.size,
    shareBefore,
    shareNow,
    calledBefore: before.label === now.label ? null : before.label,
  }
}

/** Clusters of the previous run that the last run lacks. */
export function endedClusters([last, previous]: readonly ClusterRun[]): ClusterRun['clusters'] {
  if (last === undefined || previous === undefined) return []
  return previous.clusters.filter(({ id }) => !last.clusters.some((cluster) => cluster.id === id))
}

/**
 * How many clusters are mixed, and whether a higher maximum may split them; null when none is. The number of clusters
 * is chosen among those up to twice the choice, so the maximum limits it only from half of itself on.
 */
export function mixedInWords(clusters: readonly ListedBody[], run: ClusterRun | undefined): string | null {
  const count = clusters.filter(({ mixed }) => mixed).length
  if (count === 0) return null
  const text = count === 1 ? '1 cluster is mixed.' : `${count} clusters are mixed.`
  if (run === undefined || 2 * run.clusters.length <= run.k_max) return text
  return `${text} A discovery with a maximum above ${run.k_max} may split ${count === 1 ? 'it' : 'them'}.`
}

/** The error rate of all clustered traces that could be judged; null without one. */
export function projectErrorRate(clusters: readonly ListedBody[]): number | null {
  const total = clusters.reduce((sum, { judged }) => sum + judged, 0)
  if (total === 0) return null
  return clusters.reduce((sum, { judged, error_rate }) => sum + judged * error_rate, 0) / total
}

const COMPARE: Readonly<Record<ClusterSort, (one: ListedCluster, other: ListedCluster) => number>> = {
  size: (one, other) => one.cluster.size - other.cluster.size,
  failed: (one, other) => one.cluster.error_rate - other.cluster.error_rate,
  change: (one, other) => weightOf(one.change) - weightOf(other.change),
  first_seen: (one, other) => Date.parse(one.cluster.first_seen_at) - Date.parse(other.cluster.first_seen_at),
  name: (one, other) => other.cluster.label.localeCompare(one.cluster.label, 'en'),
}

/** The largest or newest first, names alphabetically; `ascending` reverses it. */
export function sortClusters<Row extends ListedCluster>(
  listed: readonly Row[],
  sort: ClusterSort,
  ascending: boolean,
): readonly Row[] {
  const direction = ascending ? 1 : -1
  return listed.toSorted((one, other) => direction * COMPARE[sort](one, other))
}

/** Clusters of one topic; what it is itself is their sum, with the change and the first time of the first of them. */
export interface Topic extends ListedCluster {
  readonly rows: readonly ListedCluster[]
}

/** In the order of clusters; those without a topic are the last, under an empty label. */
export function listTopics(listed: readonly ListedCluster[], sort: ClusterSort, ascending: boolean): readonly Topic[] {
  const topics = [...Map.groupBy(listed, ({ cluster }) => cluster.parent ?? '')].map(([label, rows]): Topic => {
    const sum = (of: (row: ListedCluster) => number) => rows.reduce((total, row) => total + of(row), 0)
    const [size, judged] = [sum(({ cluster }) => cluster.size), sum(({ cluster }) => cluster.judged)]
    const error_rate = projectErrorRate(rows.map(({ cluster }) => cluster)) ?? 0
    const first = rows[0]!
    const cluster: ListedBody = { ...first.cluster, label, size, judged, error_rate, color: 'ok' }
    return { cluster, share: sum(({ share }) => share), change: first.change, rows }
  })
  const isLast = ({ cluster }: Topic) => Number(cluster.label === '')
  return sortClusters(topics, sort, ascending).toSorted((one, other) => isLast(one) - isLast(other))
}

/** A new cluster outranks any change of share. */
function weightOf(change: Change): number {
  if (change.kind === 'new') return 2
  return change.kind === 'none' ? 0 : change.shareNow - change.shareBefore
}
