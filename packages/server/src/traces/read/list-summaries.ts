import { filterKey, toTraceFilters } from '@spoor/contract/trace-filters'
import { isId, type MetricId, type ProjectId, type TraceId } from '@spoor/contract/ids'
import type { ClusterFilter } from '@spoor/contract/trace-filters'
import { DomainError } from '../../lib/domain-error.ts'
import type { PageRequest } from '../../lib/list-page.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import type { Watermark } from '../../ports/log/log.ts'
import type { ModelRates } from '../../ports/prices/price.ts'
import type {
  SummaryField,
  SummaryPageQuery,
  SummaryPlace,
  SummaryQuery,
  TraceSummary,
  TraceSummaryStore,
} from '../../ports/traces/trace-summaries.ts'
import { type ClusterMembers, clusterTraces } from './cluster-members.ts'
import { encodeFields, fingerprint, invalidCursor, readFields, requireQuery } from '../../lib/cursor-fields.ts'
import { boundsCost } from '../rules/trace-bounds.ts'
import { toScoredBy } from './score-filter.ts'
import type { FilteredRequest } from '../use-cases.ts'
import { searchWords } from './search-words.ts'

interface SummaryListRequest extends FilteredRequest, PageRequest, Pick<SummaryPageQuery, 'sort' | 'order'> {
  readonly by: SummaryField
}

interface SummaryPage {
  readonly summaries: readonly TraceSummary[]
  readonly nextCursor: string | null
}

export interface SummaryUseCases {
  /**
   * Sessions or users, each with the sums of its passing traces. Throws DomainError `validation_failed`,
   * `invalid_cursor`, `full_text_disabled`.
   *
   * A walk by cursor counts only traces that existed when it began. So new activity changes neither the order nor a row
   * of it. One whose key changes, because a trace got more steps, was deleted or no longer passes, may be missed or
   * returned again.
   */
  list(request: SummaryListRequest): Promise<SummaryPage>
  /** One session or user. Throws DomainError `not_found` when it has no traces. */
  read(projectId: ProjectId, by: SummaryField, value: string): Promise<TraceSummary>
}

export interface SummaryDependencies extends FilterDependencies {
  readonly store: TraceSummaryStore
}

/** What filters are looked up in. */
export interface FilterDependencies {
  /** Current prices. */
  readonly ratesOf: (projectId: ProjectId) => Promise<ModelRates>
  readonly watermark: () => Watermark
  readonly clusters: ClusterMembers
  /** Null when the project has no such metric. */
  readonly metricIdOf: (projectId: ProjectId, name: string) => Promise<MetricId | null>
  readonly fullText: boolean
  /** Yields to the event loop. */
  readonly breathe: () => Promise<void>
}

export function createSummaries(dependencies: SummaryDependencies): SummaryUseCases {
  return {
    list: (request) => listSummaries(dependencies, request),
    async read(projectId, by, value) {
      const { lastTraceId } = dependencies.watermark()
      if (lastTraceId !== null) {
        const filters = { ...ALL.filters, [filterKey(by)]: value }
        const prices = await dependencies.ratesOf(projectId)
        const [summary] = await dependencies.store.findSummaries({
          ...ALL,
          filters,
          projectId,
          by,
          prices,
          throughId: lastTraceId,
        })
        if (summary !== undefined) return summary
      }
      throw new DomainError('not_found', `There are no traces of this ${by === 'session_id' ? 'session' : 'user'}.`)
    },
  }
}

const ALL: Omit<SummaryPageQuery, 'projectId' | 'by' | 'throughId' | 'prices'> = {
  filters: {
    ...toTraceFilters('lists', {}),
    metadata: [],
  },
  words: null,
  among: null,
  scored: null,
  withoutMetric: null,
  rates: null,
  startTime: null,
  endTime: null,
  sort: 'last_at',
  order: 'desc',
  after: null,
  limit: 1,
}

async function listSummaries(dependencies: SummaryDependencies, request: SummaryListRequest): Promise<SummaryPage> {
  const { projectId, by, sort, order, limit, cursor } = request
  const walk = cursor === null ? null : decodeCursor(cursor, request)
  const found = await lookUpFilters(dependencies, request, walk?.throughId ?? null)
  if (found === null) return NOTHING
  const prices = await dependencies.ratesOf(projectId)
  const asked = { by, prices, sort, order, after: walk?.after ?? null, limit: limit + 1 }
  const summaries = await dependencies.store.findSummaries({ ...found, ...asked })
  const page = summaries.slice(0, limit)
  const last = page.at(-1)
  return {
    summaries: page,
    nextCursor:
      summaries.length > limit && last !== undefined
        ? encodeFields([found.throughId, last.key, last.value, fingerprint(request)])
        : null,
  }
}

/**
 * The filters of a request as a store takes them; `throughId`: the last trace when a walk began, null for the last now.
 * Null if no trace can pass. Throws DomainError `full_text_disabled`.
 */
export async function lookUpFilters(
  dependencies: FilterDependencies,
  request: FilteredRequest,
  throughId: TraceId | null,
): Promise<Omit<SummaryQuery, 'by'> | null> {
  const { projectId, startTime, endTime, text, ...filters } = request
  const { cluster, withoutMetric: metric } = filters
  const scored = await toScoredBy(dependencies.metricIdOf, projectId, request)
  const words = searchWords(text, dependencies.fullText)
  const through = throughId ?? dependencies.watermark().lastTraceId
  if (through === null || scored === undefined) return null
  const among = cluster === null ? null : await ofCluster(dependencies, request, cluster, through)
  if (among?.length === 0) return null
  const withoutMetric = metric === null ? null : await dependencies.metricIdOf(projectId, metric)
  const rates = boundsCost(request) ? await dependencies.ratesOf(projectId) : null
  return {
    projectId,
    filters,
    words,
    among,
    scored,
    withoutMetric,
    rates,
    startTime,
    endTime,
    throughId: through,
  }
}

const NOTHING: SummaryPage = { summaries: [], nextCursor: null }

function ofCluster(
  { clusters, watermark, breathe }: FilterDependencies,
  { projectId, startTime, endTime }: FilteredRequest,
  cluster: ClusterFilter,
  throughId: TraceId,
): Promise<readonly TraceId[]> {
  const span = { startTime: startTime ?? 0, endTime: endTime ?? timeOfId(throughId) + 1 }
  return clusterTraces({ clusters, idLeadMs: () => watermark().idLeadMs, breathe }, projectId, cluster, span)
}

interface Walk {
  /** The last trace when the walk began. */
  readonly throughId: TraceId
  /** The last session or user returned. */
  readonly after: SummaryPlace
}

function decodeCursor(text: string, request: SummaryListRequest): Walk {
  const [throughId, key, value, print] = readFields(text)
  if (!isId('tr', throughId) || !Number.isSafeInteger(key) || typeof value !== 'string') throw invalidCursor()
  requireQuery(print, request)
  return { throughId, after: { key: key as number, value } }
}
