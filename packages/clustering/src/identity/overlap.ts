import type { PreviousRun } from './previous-run.ts'

/** Traces that both runs saw, counted by their clusters then and now. */
export interface Overlap {
  /** `previous` rows of `current` columns. */
  readonly counts: Uint32Array
  readonly previous: Uint32Array
  readonly current: Uint32Array
}

/** For each trace its index in the last run, -1 if it was not in it. */
export function previousIndexes(traceIds: readonly string[], previous: PreviousRun): Int32Array {
  const known = new Map(previous.traceIds.map((id, index) => [id, index]))
  return Int32Array.from(traceIds, (id) => known.get(id) ?? -1)
}

/** For each trace its cluster in the last run, -1 if it was not in it. */
export function previousClusters(indexes: Int32Array, { assignments }: PreviousRun): Int32Array {
  return indexes.map((index) => (index < 0 ? -1 : assignments[index]!))
}

export function countOverlap(before: Int32Array, previousK: number, now: Int32Array, k: number): Overlap {
  const overlap = {
    counts: new Uint32Array(previousK * k),
    previous: new Uint32Array(previousK),
    current: new Uint32Array(k),
  }
  before.forEach((then, index) => {
    if (then < 0) return
    const cluster = now[index]!
    overlap.counts[then * k + cluster]!++
    overlap.previous[then]!++
    overlap.current[cluster]!++
  })
  return overlap
}

/** Traces in either cluster, and the share of them in both. */
export interface Agreement {
  readonly traces: number
  readonly both: number
  /** The Jaccard index; 0 without traces. */
  readonly jaccard: number
}

export function agreementOf({ counts, previous, current }: Overlap, then: number, now: number): Agreement {
  const both = counts[then * current.length + now]!
  const traces = previous[then]! + current[now]! - both
  return { traces, both, jaccard: traces === 0 ? 0 : both / traces }
}
