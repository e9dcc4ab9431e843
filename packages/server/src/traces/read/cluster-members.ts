import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import { idAtTime } from '../../lib/ids/ids.ts'
import type { TimeSpan } from '../../lib/time/time-buckets.ts'
import type { FeedCandidate, FeedCandidateQuery, TraceReads } from '../../ports/traces/trace-store.ts'

/** A cluster as it is now; another discovery makes other ones. */
export interface ClusterBounds {
  /** Members lie within, both inclusive. */
  readonly lowestId: TraceId
  readonly highestId: TraceId
}

/** Which traces are in which cluster, as the part knows it that makes clusters. */
export interface ClusterMembers<P extends ClusterBounds = ClusterBounds> {
  /** Null when the project has no such cluster, or it has no members. */
  place(projectId: ProjectId, id: ClusterId): Promise<P | null>
  /** In the order of ids, strictly behind `after`. */
  members(place: P, after: TraceId | null, order: 'asc' | 'desc', limit: number): Promise<readonly TraceId[]>
  membersAmong(place: P, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>>
}

/** While no other part tells of clusters. */
export const NO_CLUSTERS: ClusterMembers = {
  place: async () => null,
  members: async () => [],
  membersAmong: async () => new Set(),
}

/** Named in one question to the store. */
const NAMED_TOGETHER = 1000

/**
 * Candidates by creation, of one cluster: its members in order, asked for together where text or terms decide too.
 * `after` is where the walk stands.
 */
export async function* memberCandidates(
  { store, clusters }: { readonly store: Pick<TraceReads, 'findFeedCandidates'>; readonly clusters: ClusterMembers },
  place: ClusterBounds,
  base: Omit<FeedCandidateQuery, 'after' | 'limit'>,
  after: TraceId | null,
): AsyncGenerator<readonly FeedCandidate[]> {
  let behind = after
  for (;;) {
    const ids = await clusters.members(place, behind, base.order, NAMED_TOGETHER)
    const last = ids.at(-1)
    if (last === undefined) return
    const within = ids.filter((id) => id >= base.lowestId && id <= base.highestId)
    if (within.length > 0) yield await judged(store, base, within)
    const isBeyond = base.order === 'asc' ? last > base.highestId : last < base.lowestId
    if (ids.length < NAMED_TOGETHER || isBeyond) return
    behind = last
  }
}

async function judged(
  store: Pick<TraceReads, 'findFeedCandidates'>,
  base: Omit<FeedCandidateQuery, 'after' | 'limit'>,
  ids: readonly TraceId[],
): Promise<readonly FeedCandidate[]> {
  if (base.words === null && base.termGroups.length === 0) return ids.map((id) => ({ id, version: 0, key: 0 }))
  const among = base.order === 'asc' ? ids : ids.toReversed()
  const [lowestId, highestId] = [among[0] as TraceId, among.at(-1) as TraceId]
  return store.findFeedCandidates({ ...base, among, lowestId, highestId, after: null, limit: ids.length })
}

export interface MembersWithinDependencies {
  readonly clusters: ClusterMembers
  /** See Journal. */
  readonly idLeadMs: () => number
  readonly breathe: () => Promise<void>
}

/** Read in one go. */
const READ_TOGETHER = 5000

/**
 * Members with ids from the span's start through its end and `idLeadMs` behind it, among them all created within, in
 * the order of ids; null when they are more than `most`. A discovery that ends meanwhile may leave out some.
 */
export async function membersWithin(
  { clusters, idLeadMs, breathe }: MembersWithinDependencies,
  place: ClusterBounds,
  { startTime, endTime }: TimeSpan,
  most: number,
): Promise<readonly TraceId[] | null> {
  const found: TraceId[] = []
  const end = idAtTime('tr', endTime + idLeadMs())
  // The smallest id of a millisecond is never given.
  let behind = idAtTime('tr', startTime)
  for (;;) {
    const ids = await clusters.members(place, behind, 'asc', READ_TOGETHER)
    for (const id of ids) if (id < end) found.push(id)
    if (found.length > most) return null
    const last = ids.at(-1)
    if (last === undefined || last >= end || ids.length < READ_TOGETHER) return found
    behind = last
    await breathe()
  }
}
