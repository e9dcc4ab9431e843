import { toBucketedSpan } from '../../lib/time/time-buckets.ts'
import type { MetricId, ProjectId } from '@spoor/contract/ids'
import { createRates } from '../../pricing/pricer.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { MetricAggregates, MetricSeriesQuery } from '../../ports/metrics/metric-series.ts'
import { readMetricSeries } from '../../metrics/read-metric-series.ts'
import {
  plainBuckets,
  plainDistribution,
  plainSum,
} from '../../storage/clickhouse/series/aggregate-reference.test-support.ts'
import { MemoryClusterMembers } from '../../traces/read/memory-cluster-members.test-support.ts'
import type { TraceAggregates, TraceSeriesQuery } from '../../ports/traces/trace-series.ts'
import { readTraceSeries } from '../../traces/read/trace-series.ts'
import type { SeriesUseCases } from '../connections/ports.ts'

interface MemoryEvent {
  readonly projectId: ProjectId
  readonly metricId: MetricId
  readonly at: number
  readonly value: number | string
  readonly runType: string
  readonly source: string | null
  readonly metadata: Readonly<Record<string, string>>
}

interface MemoryTrace {
  readonly projectId: ProjectId
  readonly at: number
  readonly status: 'ok' | 'error'
  readonly durationMs: number | null
  readonly tokens: number
  readonly model: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Series over a few rows in memory, with the real use cases. */
export class MemorySeries implements SeriesUseCases {
  readonly metrics: {
    projectId: ProjectId
    id: MetricId
    name: string
    kind: MetricSeriesQuery['kind']
    options: { value: string }[] | null
  }[] = []
  readonly events: MemoryEvent[] = []
  readonly traces: MemoryTrace[] = []
  readonly clusters = new MemoryClusterMembers()
  /** The last request to the stores. */
  lastRequest: MetricSeriesQuery | TraceSeriesQuery | null = null
  readonly #clock = { now: () => 1_700_000_000_000 }

  async explore({ times, stat }: Parameters<SeriesUseCases['explore']>[0]) {
    const none = { points: [], groups: [], groupsLeftOut: 0, unpricedModels: [] }
    return { ...toBucketedSpan(times, this.#clock.now()), ...none, stat: stat ?? 'count' }
  }

  ofMetric(request: Parameters<SeriesUseCases['ofMetric']>[0]) {
    const store = {
      metricSeries: async (query: MetricSeriesQuery) => {
        this.lastRequest = query
        const rows = this.events.filter((event) => isOf(event, query) && event.metricId === query.metricId)
        const points = plainBuckets(
          rows,
          ({ at }) => at,
          query.buckets,
          (event) => [groupOf(event, query.groupBy)],
        )
        return {
          points: points.map(({ at, group, rows: events }) => ({
            at,
            group,
            count: events.length,
            aggregates: aggregatesOf(query.kind, events),
          })),
          groupsLeftOut: 0,
        }
      },
    }
    const findMetric = async (projectId: ProjectId, name: string) => {
      const metric = this.metrics.find((one) => one.projectId === projectId && one.name === name)
      if (metric === undefined) throw new DomainError('not_found', 'There is no such metric.')
      return metric
    }
    return readMetricSeries({ store, findMetric, clock: this.#clock }, request)
  }

  ofTraces(request: Parameters<SeriesUseCases['ofTraces']>[0]) {
    const bucketsOf = (query: TraceSeriesQuery) => {
      this.lastRequest = query
      const rows = this.traces.filter(
        (trace) => isOf(trace, query) && (query.measure !== 'duration_ms' || trace.durationMs !== null),
      )
      return plainBuckets(
        rows,
        ({ at }) => at,
        query.buckets,
        (trace) => [groupOf(trace, query.groupBy)],
      )
    }
    const store = {
      traceSeries: async (query: TraceSeriesQuery) => ({
        points: bucketsOf(query).map(({ at, group, rows }) => ({
          at,
          group,
          count: rows.length,
          aggregates: traceAggregatesOf(query.measure, rows),
        })),
        groupsLeftOut: 0,
      }),
      tokensUsed: async (query: TraceSeriesQuery) => {
        const found = bucketsOf(query)
        return {
          points: found.map(({ at, group, rows }) => ({ at, group, count: rows.length })),
          tokens: found.flatMap(({ at, group, rows }) =>
            rows.map(({ model, tokens }) => ({
              at,
              group,
              model,
              tokens: { input: tokens, cacheRead: 0, cacheWrite: 0, output: 0 },
            })),
          ),
          groupsLeftOut: 0,
        }
      },
    }
    const pricerOf = async () => (model: string, tokens: { readonly input: number }) =>
      model === 'unknown' ? null : tokens.input / 1000
    const { clusters } = this
    const breathe = async () => undefined
    const metricIdOf = async (projectId: ProjectId, name: string) =>
      this.metrics.find((one) => one.projectId === projectId && one.name === name)?.id ?? null
    const dependencies = {
      store,
      pricerOf,
      ratesOf: createRates({ own: async () => new Map() }),
      metricIdOf,
      clusters,
      idLeadMs: () => 0,
      clock: this.#clock,
      fullText: true,
      breathe,
    }
    return readTraceSeries(dependencies, request)
  }
}

function isOf(row: MemoryEvent | MemoryTrace, { projectId, span }: MetricSeriesQuery | TraceSeriesQuery): boolean {
  return row.projectId === projectId && row.at >= span.startTime && row.at < span.endTime
}

function groupOf(
  row: MemoryEvent | MemoryTrace,
  groupBy: MetricSeriesQuery['groupBy'] | TraceSeriesQuery['groupBy'],
): string | null {
  if (groupBy === null) return null
  if (groupBy.by === 'metadata') return row.metadata[groupBy.key] ?? null
  if (groupBy.by === 'source') return 'source' in row ? row.source : null
  if (groupBy.by === 'model') return 'model' in row ? row.model : null
  if (groupBy.by === 'status') return 'status' in row ? row.status : null
  return 'runType' in row ? row.runType : null
}

function aggregatesOf(kind: MetricSeriesQuery['kind'], events: readonly MemoryEvent[]): MetricAggregates {
  if (kind === 'boolean') return { kind, passed: events.filter(({ value }) => value === 1).length }
  if (kind === 'enum') {
    const counts = [...Map.groupBy(events, ({ value }) => String(value))].map(([option, of]) => [option, of.length])
    return { kind, counts: Object.fromEntries(counts) as Record<string, number> }
  }
  return {
    kind,
    ...plainDistribution(
      'metrics',
      events.map(({ value }) => value as number),
    ),
  }
}

function traceAggregatesOf(measure: TraceSeriesQuery['measure'], rows: readonly MemoryTrace[]): TraceAggregates {
  switch (measure) {
    case 'error_rate':
      return { measure, errors: rows.filter(({ status }) => status === 'error').length }
    case 'duration_ms': {
      const numbers = rows.map(({ durationMs }) => durationMs as number)
      return { measure, ...plainDistribution('traces', numbers) }
    }
    case 'total_tokens': {
      const numbers = rows.map(({ tokens }) => tokens)
      return { measure, sum: plainSum(numbers), ...plainDistribution('traces', numbers) }
    }
    default:
      return { measure: 'count' }
  }
}
