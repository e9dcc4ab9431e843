import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import { stepFilters } from '@spoor/contract/trace-filters'
import type { Journal } from '../../ports/journal/journal.ts'
import type { Watermark } from '../../ports/log/log.ts'
import { type ScoredBy, scoredByMetric } from '../../ports/metrics/scored-by.ts'
import type { ModelRates } from '../../ports/prices/price.ts'
import type { FeedCandidate, TraceReads } from '../../ports/traces/trace-store.ts'
import { boundsCost } from '../rules/trace-bounds.ts'
import type { FilteredRequest } from '../use-cases.ts'
import type { ClusterMembers } from './cluster-members.ts'
import { feedPredicate } from './feed-filter.ts'
import { toScoredBy } from './score-filter.ts'
import { searchWords } from './search-words.ts'

export interface MatchingDependencies {
  readonly store: Pick<TraceReads, 'findFeedCandidates' | 'findTraces' | 'findScored'>
  readonly journal: Pick<Journal, 'removedEvents'>
  readonly watermark: () => Watermark
  readonly clusters: ClusterMembers
  /** Current prices. */
  readonly ratesOf: (projectId: ProjectId) => Promise<ModelRates>
  /** Null when the project has no such metric. */
  readonly metricIdOf: (projectId: ProjectId, name: string) => Promise<MetricId | null>
  readonly fullText: boolean
}

/** Wide rows read at once. */
const ROWS_TOGETHER = 256

/** Those of these traces that the list of traces has with these filters. See `TraceUseCases.matching`. */
export async function matchingAmong(
  dependencies: MatchingDependencies,
  query: FilteredRequest,
  traceIds: readonly TraceId[],
): Promise<ReadonlySet<TraceId>> {
  const { store, journal, clusters, metricIdOf, watermark } = dependencies
  const { projectId, cluster, withoutMetric } = query
  const words = searchWords(query.text, dependencies.fullText)
  const scored = await toScoredBy(metricIdOf, projectId, query)
  const place = cluster === null ? undefined : await clusters.place(projectId, cluster)
  const found = new Set<TraceId>()
  if (scored === undefined || place === null || traceIds.length === 0) return found
  const metricId = withoutMetric === null ? null : await metricIdOf(projectId, withoutMetric)
  const rates = boundsCost(query) ? await dependencies.ratesOf(projectId) : null
  const without = await journal.removedEvents(projectId)
  const members = place === undefined ? traceIds : [...(await clusters.membersAmong(place, traceIds))]
  let left = await byEvents(store, projectId, { scored, metricId, without }, members)
  if ((words !== null || stepFilters(query) !== null) && left.length > 0)
    left = (await withWordsAndStep(store, { query, words, rates }, left)).map(({ id }) => id)
  const matches = feedPredicate(query, rates)
  for (let from = 0; from < left.length; from += ROWS_TOGETHER) {
    const part = left.slice(from, from + ROWS_TOGETHER)
    for (const trace of await store.findTraces(projectId, part, watermark().version))
      if (!trace.deleted && matches(trace)) found.add(trace.id)
  }
  return found
}

/** Those with the wanted event, and without any of the other metric. */
export async function byEvents(
  store: Pick<TraceReads, 'findScored'>,
  projectId: ProjectId,
  { scored, metricId, ...removed }: Pick<ScoredBy, 'without'> & { scored: ScoredBy | null; metricId: MetricId | null },
  ids: readonly TraceId[],
): Promise<readonly TraceId[]> {
  const wanted = scored === null ? null : await store.findScored(projectId, { ...scored, ...removed }, ids)
  const left = wanted === null ? ids : ids.filter((id) => wanted.has(id))
  if (metricId === null) return left
  const unwanted = await store.findScored(projectId, { ...scoredByMetric(metricId), ...removed }, left)
  return left.filter((id) => !unwanted.has(id))
}

/** Those of these traces, at least one, that have the words and a step that passes. */
export function withWordsAndStep(
  store: Pick<TraceReads, 'findFeedCandidates'>,
  {
    query,
    words,
    rates,
  }: {
    readonly query: FilteredRequest
    readonly words: readonly string[] | null
    readonly rates: ModelRates | null
  },
  traceIds: readonly TraceId[],
): Promise<readonly FeedCandidate[]> {
  const among = traceIds.toSorted()
  return store.findFeedCandidates({
    projectId: query.projectId,
    termGroups: [],
    bounds: [],
    steps: stepFilters(query),
    rates,
    words,
    created: null,
    lowestId: among[0] as TraceId,
    highestId: among.at(-1) as TraceId,
    sort: 'created_at',
    order: 'asc',
    atVersion: null,
    among,
    after: null,
    limit: among.length,
  })
}
