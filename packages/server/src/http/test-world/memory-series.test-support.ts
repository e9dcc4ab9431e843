import type { MetricId, ProjectId } from '@spoor/contract/ids'
import { idAtTime } from '../../lib/ids/ids.ts'
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
import type { ExploredQuery, ExploredSeries, ExploredValue, SeriesGroup } from '../../ports/traces/explored-series.ts'
import { exploreSeries } from '../../traces/read/explore-series.ts'
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
  lastRequest: MetricSeriesQuery | ExploredQuery | null = null
  readonly #clock = { now: () => 1_700_000_000_000 }

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

  explore(request: Parameters<SeriesUseCases['explore']>[0]) {
    const store = { exploredSeries: async (query: ExploredQuery) => this.#explored(query) }
    const findMetric = async (projectId: ProjectId, name: string) =>
      this.metrics.find((one) => one.projectId === projectId && one.name === name) ?? null
    const dependencies = {
      store,
      ratesOf: createRates({ own: async () => new Map([['gpt', GPT]]) }),
      metricIdOf: async (projectId: ProjectId, name: string) => (await findMetric(projectId, name))?.id ?? null,
      metricOf: findMetric,
      clusters: this.clusters,
      clustersOf: async () => [],
      watermark: () => ({ version: 0, idLeadMs: 0, lastTraceId: idAtTime('tr', this.#clock.now() + 1) }),
      clock: this.#clock,
      fullText: true,
      breathe: async () => undefined,
    }
    return exploreSeries(dependencies, request)
  }

  #explored(query: ExploredQuery): ExploredSeries {
    this.lastRequest = query
    const { measure, groupBy, rates } = query
    const traces = this.traces.filter(
      (trace) => isOf(trace, query) && (measure !== 'duration_ms' || trace.durationMs !== null),
    )
    const groupsIn = (trace: MemoryTrace) => [groupOf(trace, groupBy[0] ?? null)]
    const ofGroup = (group: string | null, rows: readonly MemoryTrace[]) => {
      const values = groupBy.length === 0 ? [] : [group]
      return { values, other: false, previous: null, now: exploredValue(measure, rows, rates) }
    }
    const points = plainBuckets(traces, ({ at }) => at, query.buckets, groupsIn)
    const groups = [...Map.groupBy(traces, (trace) => groupsIn(trace)[0] ?? null)]
    const unpriced = measure === 'cost_usd' ? traces.filter(({ model }) => rates?.of(model) === null) : []
    return {
      points: points.map(({ at, group, rows }) => Object.assign(ofGroup(group, rows), { at, previousAt: null })),
      groups: groups.map(([group, rows]) => ofGroup(group, rows)),
      groupsLeftOut: 0,
      unpricedModels: [...new Set(unpriced.map(({ model }) => model))],
    }
  }
}

/** A thousandth of a dollar for each token of input. */
const GPT = { model: 'gpt', input: 1000, output: 0, cacheRead: null, cacheWrite: null, updatedAt: 0 }

function isOf(row: MemoryEvent | MemoryTrace, { projectId, span }: MetricSeriesQuery | ExploredQuery): boolean {
  return row.projectId === projectId && row.at >= span.startTime && row.at < span.endTime
}

function groupOf(row: MemoryEvent | MemoryTrace, groupBy: MetricSeriesQuery['groupBy'] | SeriesGroup): string | null {
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

function exploredValue(
  measure: ExploredQuery['measure'],
  rows: readonly MemoryTrace[],
  rates: ExploredQuery['rates'],
): ExploredValue {
  const count = rows.length
  const distributed = (numbers: readonly number[], ofSum: boolean) => {
    const [distribution, sum] = [plainDistribution('traces', numbers), plainSum(numbers)]
    return { count, value: ofSum ? sum : distribution.p50, sum, distribution }
  }
  switch (measure) {
    case 'error_rate': {
      const errors = rows.filter(({ status }) => status === 'error').length
      return { count, value: errors / count, errors }
    }
    case 'duration_ms':
      return distributed(
        rows.map(({ durationMs }) => durationMs as number),
        false,
      )
    case 'total_tokens':
      return distributed(
        rows.map(({ tokens }) => tokens),
        true,
      )
    case 'cost_usd': {
      const sum = plainSum(rows.map(({ model, tokens }) => ((rates?.of(model)?.input ?? 0) * tokens) / 1e6))
      return { count, value: sum, sum }
    }
    default:
      return { count, value: count }
  }
}
