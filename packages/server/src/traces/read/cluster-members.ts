import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { SERIES_CLUSTER_TRACES } from '@spoor/contract/schemas/series-query'
import type { ClusterFilter } from '@spoor/contract/trace-filters'
import { idAtTime } from '../../lib/ids/ids.ts'
import type { TimeSpan } from '../../lib/time/time-buckets.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  hasConditions,
  type TraceReads,
} from '../../ports/traces/trace-store.ts'

/** A cluster of the latest discovery; each discovery makes new ones. */
export interface ClusterBounds {
  /** The ids of all members lie between these, both inclusive. */
  readonly lowestId: TraceId
  readonly highestId: TraceId
}

/** The members of clusters, provided by the part that discovers them. */
export interface ClusterMembers<P extends ClusterBounds = ClusterBounds> {
  /** Null when the project has no such cluster, or it has no members. */
  place(projectId: ProjectId, id: ClusterFilter): Promise<P | null>
  /** Ordered by id, strictly after `after`. */
  members(place: P, after: TraceId | null, order: 'asc' | 'desc', limit: number): Promise<readonly TraceId[]>
  membersAmong(place: P, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>>
}

/** For services without clusters. */
export const NO_CLUSTERS: ClusterMembers = {
  place: async () => null,
  members: async () => [],
  membersAmong: async () => new Set(),
}

/** Traces named in one query to the store. */
const NAMED_TOGETHER = 1000

/**
 * Candidates of one cluster by creation: its members in order. The store filters them only if there are words or terms.
 * `after` is the position of the cursor.
 */
export async function* memberCandidates(
  { store, clusters }: { readonly store: Pick<TraceReads, 'findFeedCandidates'>; readonly clusters: ClusterMembers },
  place: ClusterBounds,
  base: Omit<FeedCandidateQuery, 'after' | 'limit'>,
  after: TraceId | null,
): AsyncGenerator<readonly FeedCandidate[]> {
  let cursor = after
  for (;;) {
    const ids = await clusters.members(place, cursor, base.order, NAMED_TOGETHER)
    const last = ids.at(-1)
    if (last === undefined) return
    const within = ids.filter((id) => id >= base.lowestId && id <= base.highestId)
    if (within.length > 0) yield await filtered(store, base, within)
    const isBeyond = base.order === 'asc' ? last > base.highestId : last < base.lowestId
    if (ids.length < NAMED_TOGETHER || isBeyond) return
    cursor = last
  }
}

async function filtered(
  store: Pick<TraceReads, 'findFeedCandidates'>,
  base: Omit<FeedCandidateQuery, 'after' | 'limit'>,
  ids: readonly TraceId[],
): Promise<readonly FeedCandidate[]> {
  if (base.words === null && !hasConditions(base)) return ids.map((id) => ({ id, version: 0, key: 0 }))
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

/** Members read at once. */
const READ_TOGETHER = 5000

/**
 * Members with ids from the span's start until `idLeadMs` after its end, in the order of ids. They include all members
 * created within the span. Null when there are more than `most`. If a discovery ends meanwhile, some may be missing.
 */
export async function membersWithin(
  { clusters, idLeadMs, breathe }: MembersWithinDependencies,
  place: ClusterBounds,
  { startTime, endTime }: TimeSpan,
  most: number,
): Promise<readonly TraceId[] | null> {
  const found: TraceId[] = []
  const end = idAtTime('tr', endTime + idLeadMs())
  // The smallest id of a millisecond is never assigned.
  let cursor = idAtTime('tr', startTime)
  for (;;) {
    const ids = await clusters.members(place, cursor, 'asc', READ_TOGETHER)
    for (const id of ids) if (id < end) found.push(id)
    if (found.length > most) return null
    const last = ids.at(-1)
    if (last === undefined || last >= end || ids.length < READ_TOGETHER) return found
    cursor = last
    await breathe()
  }
}

/**
 * The same for a cluster by its id; empty if it does not exist. Throws DomainError `validation_failed` when there are
 * too many.
 */
export async function clusterTraces(
  dependencies: MembersWithinDependencies,
  projectId: ProjectId,
  cluster: ClusterFilter,
  span: TimeSpan,
): Promise<readonly TraceId[]> {
  const place = await dependencies.clusters.place(projectId, cluster)
  if (place === null) return []
  const traceIds = await membersWithin(dependencies, place, span, SERIES_CLUSTER_TRACES)
  if (traceIds !== null) return traceIds
  const detail = `More than ${SERIES_CLUSTER_TRACES} traces of the cluster lie in this time: ask for less of it.`
  throw invalid({ pointer: '?cluster', code: 'too_many', detail })
}
