import { toTraceFilters } from '@spoor/contract/trace-filters'
import { hash } from 'node:crypto'
import { isId, type ClusterId, type MetricId, type ProjectId, type TraceId } from '@spoor/contract/ids'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import { DomainError } from '../../lib/domain-error.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import type { Watermark } from '../../ports/log/log.ts'
import type { ModelRates, PricedTokens } from '../../ports/prices/price.ts'
import {
  SUMMED_TOGETHER,
  type SummaryField,
  type SummaryPlace,
  type SummaryQuery,
  type TraceSummary,
  type TraceSummaryStore,
} from '../../ports/traces/trace-summaries.ts'
import { type ClusterMembers, clusterTraces } from './cluster-members.ts'
import { invalidCursor, readFields } from './feed-cursor.ts'
import { boundsCost } from '../rules/trace-bounds.ts'
import { toScoredBy } from './score-filter.ts'
import { searchWords } from './search-words.ts'

/** A summary of the traces of one session or user. */
export interface PricedSummary extends Omit<TraceSummary, 'usage'> {
  /** US dollars; null when no step had a cost. */
  readonly costUsd: number | null
}

/** The filters of the list of traces. */
export interface FilteredRequest extends TraceFilters<'lists'> {
  readonly projectId: ProjectId
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  readonly startTime: number | null
  readonly endTime: number | null
  /** Full-text query. */
  readonly text: string | null
}

interface SummaryListRequest extends FilteredRequest {
  readonly limit: number
  readonly cursor: string | null
  readonly by: SummaryField
}

interface SummaryPage {
  readonly summaries: readonly PricedSummary[]
  readonly nextCursor: string | null
}

export interface SummaryUseCases {
  /**
   * Sessions or users by their last passing trace, newest first, each with the sums of its passing traces. Throws
   * DomainError `validation_failed`, `invalid_cursor`, `full_text_disabled`.
   *
   * A walk by cursor counts only traces that existed when it began. So new activity changes neither the order nor a row
   * of it, and each session or user that has a passing trace all the while is returned once. One whose last trace is
   * deleted meanwhile, or no longer passes, moves backwards and may be returned again.
   */
  list(request: SummaryListRequest): Promise<SummaryPage>
  /** One session or user. Throws DomainError `not_found` when it has no traces. */
  read(projectId: ProjectId, by: SummaryField, value: string): Promise<PricedSummary>
}

export interface SummaryDependencies extends FilterDependencies {
  readonly store: TraceSummaryStore
  /**
   * The current prices: the cost of these tokens of a model, US dollars; null without a price. Linear in the tokens.
   */
  readonly pricerOf: (projectId: ProjectId) => Promise<(model: string, tokens: PricedTokens) => number | null>
}

/** What filters are looked up in. */
export interface FilterDependencies {
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
        const [summary] = await priced(dependencies, { ...ALL, projectId, by, throughId: lastTraceId }, [value])
        if (summary !== undefined) return summary
      }
      throw new DomainError('not_found', `There are no traces of this ${by === 'session_id' ? 'session' : 'user'}.`)
    },
  }
}

const ALL: Omit<SummaryQuery, 'projectId' | 'by' | 'throughId'> = {
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
}

async function listSummaries(dependencies: SummaryDependencies, request: SummaryListRequest): Promise<SummaryPage> {
  const { by, limit, cursor } = request
  const walk = cursor === null ? null : decodeCursor(cursor, request)
  const found = await lookUpFilters(dependencies, request, walk?.throughId ?? null)
  if (found === null) return NOTHING
  const query: SummaryQuery = { ...found, by }
  const places = await dependencies.store.findSummaries({ ...query, before: walk?.before ?? null, limit: limit + 1 })
  const page = places.slice(0, limit)
  const last = page.at(-1)
  const values = page.map(({ value }) => value)
  return {
    summaries: await priced(dependencies, query, values),
    nextCursor: places.length > limit && last !== undefined ? encodeCursor(query.throughId, last, request) : null,
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
  const { projectId, startTime, endTime, cluster, withoutMetric: metric } = request
  const scored = await toScoredBy(dependencies.metricIdOf, projectId, request)
  const words = searchWords(request.text, dependencies.fullText)
  const through = throughId ?? dependencies.watermark().lastTraceId
  if (through === null || scored === undefined) return null
  const among = cluster === null ? null : await ofCluster(dependencies, request, cluster, through)
  if (among?.length === 0) return null
  const withoutMetric = metric === null ? null : await dependencies.metricIdOf(projectId, metric)
  const rates = boundsCost(request) ? await dependencies.ratesOf(projectId) : null
  return {
    projectId,
    filters: request,
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
  cluster: ClusterId,
  throughId: TraceId,
): Promise<readonly TraceId[]> {
  const span = { startTime: startTime ?? 0, endTime: endTime ?? timeOfId(throughId) + 1 }
  return clusterTraces({ clusters, idLeadMs: () => watermark().idLeadMs, breathe }, projectId, cluster, span)
}

/** In the order of `values`. */
async function priced(
  { store, pricerOf }: SummaryDependencies,
  query: SummaryQuery,
  values: readonly string[],
): Promise<readonly PricedSummary[]> {
  const price = await pricerOf(query.projectId)
  const summaries = new Map<string, PricedSummary>()
  for (let from = 0; from < values.length; from += SUMMED_TOGETHER) {
    for (const { usage, ...sums } of await store.sumUp(query, values.slice(from, from + SUMMED_TOGETHER))) {
      const costs = usage.flatMap(({ model, tokens }) => price(model, tokens) ?? [])
      const costUsd = costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost)
      summaries.set(sums.value, { ...sums, costUsd })
    }
  }
  return values.flatMap((value) => summaries.get(value) ?? [])
}

interface Walk {
  /** The last trace when the walk began. */
  readonly throughId: TraceId
  /** The last trace of the last session or user returned. */
  readonly before: TraceId
}

function encodeCursor(throughId: TraceId, { lastTraceId }: SummaryPlace, request: SummaryListRequest): string {
  return Buffer.from(JSON.stringify([throughId, lastTraceId, fingerprint(request)])).toString('base64url')
}

function decodeCursor(text: string, request: SummaryListRequest): Walk {
  const [throughId, before, print] = readFields(text)
  if (!isId('tr', throughId) || !isId('tr', before)) throw invalidCursor()
  if (print !== fingerprint(request)) throw invalidCursor('It belongs to a list with other filters.')
  return { throughId, before }
}

function fingerprint({ cursor: _cursor, limit: _limit, ...rest }: SummaryListRequest): string {
  return hash('sha256', JSON.stringify(rest), 'base64url').slice(0, 12)
}
