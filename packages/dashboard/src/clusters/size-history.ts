import type { ClusterRun } from '@spoor/contract/schemas/cluster'

export interface SizeInRun {
  readonly runId: string
  readonly computedAt: string
  /** 0 if the run did not find it. */
  readonly size: number
  /** Of the traces of the run, from 0 to 1. */
  readonly share: number
}

/** A cluster's size in each run since it was first found, oldest first. `runs`: newest first. */
export function sizeHistory(clusterId: string, runs: readonly ClusterRun[]): readonly SizeInRun[] {
  const sizes = runs.toReversed().map(({ id, computed_at, traces, clusters }) => {
    const size = clusters.find((cluster) => cluster.id === clusterId)?.size ?? 0
    return { runId: id, computedAt: computed_at, size, share: traces === 0 ? 0 : size / traces }
  })
  const first = sizes.findIndex(({ size }) => size > 0)
  return first === -1 ? [] : sizes.slice(first)
}
