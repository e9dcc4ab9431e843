import type { ClusterId, ProjectId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { FACET_TRACES } from '@spoor/contract/schemas/traces/trace-facets'
import type { HttpDependencies } from '../../http/kernel/dependencies.ts'
import { printMonitor } from '../../wire/monitor-to-wire.ts'
import type { ByteBudget } from '../../lib/flow/byte-budget.ts'
import type { ByteGate } from '../../lib/flow/byte-gate.ts'
import type { IdGenerator } from '../../lib/ids/ids.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import { heldLease } from '../../operation/leased-runner.ts'
import type { MetricDefinition } from '../../ports/metrics/metric-definition.ts'
import { createMetricService } from '../../metrics/metric-service.ts'
import { readMetricSeries } from '../../metrics/read-metric-series.ts'
import type { WatchableMetric } from '../../monitors/metric-lookup.ts'
import { evaluationInterval } from '../../monitors/due-times.ts'
import { MonitorEvaluator } from '../../monitors/monitor-evaluator.ts'
import { createMonitorService } from '../../monitors/monitor-service.ts'
import { createPriceService } from '../../pricing/price-service.ts'
import { ClickHouseMetricEvents } from '../../storage/clickhouse/rows/clickhouse-metric-events.ts'
import {
  type AggregateDependencies,
  ClickHouseMetricSeries,
} from '../../storage/clickhouse/series/clickhouse-metric-series.ts'
import { ClickHouseMonitorMeasures } from '../../storage/clickhouse/measures/clickhouse-monitor-measures.ts'
import type { LookUpFilters, LookUpGroup } from '../../storage/clickhouse/measures/looked-up-rows.ts'
import { ClickHouseStepFacets } from '../../storage/clickhouse/feed/clickhouse-step-facets.ts'
import { ClickHouseStepList } from '../../storage/clickhouse/feed/clickhouse-step-list.ts'
import { ClickHouseTraceRowGroups } from '../../storage/clickhouse/feed/clickhouse-trace-row-groups.ts'
import { ClickHouseTraceSummaries } from '../../storage/clickhouse/feed/clickhouse-trace-summaries.ts'
import { ClickHouseSenderCounts } from '../../storage/clickhouse/series/clickhouse-sender-counts.ts'
import { ClickHouseTracePatterns } from '../../storage/clickhouse/series/clickhouse-trace-patterns.ts'
import { ClickHouseTraceVersions } from '../../storage/clickhouse/series/clickhouse-trace-versions.ts'
import { ClickHouseExploredSeries } from '../../storage/clickhouse/series/clickhouse-explored-series.ts'
import { JoinedMetricEventStore } from '../../storage/recent/joined-metric-event-store.ts'
import type { ClusterServiceDependencies } from '../../clusters/cluster-service.ts'
import { SeriesCache } from '../../storage/clickhouse/series/series-cache.ts'
import type { ClusterMembers } from '../../traces/read/cluster-members.ts'
import { createSenders } from '../../traces/read/list-senders.ts'
import { createSummaries, lookUpFilters } from '../../traces/read/list-summaries.ts'
import { findPatternsIn, type PatternDependencies } from '../../traces/insight/find-patterns.ts'
import { NEW_PROJECT } from '../../ports/access/project-store.ts'
import { keptFrom } from '../../traces/retention/apply-retention.ts'
import { compareVersionsIn } from '../../traces/insight/versions/compare-versions.ts'
import { exploreSeries } from '../../traces/read/explore-series.ts'
import { lookUpGroup as lookUpGroupBy } from '../../traces/read/look-up-group.ts'
import { findStepFacetsBy } from '../../traces/read/step-facets.ts'
import { readTraceRowGroupBy } from '../../traces/read/trace-row-groups.ts'
import { searchWords } from '../../traces/read/search-words.ts'
import { searchStepsBy } from '../../traces/read/search-steps.ts'
import type { TraceService } from '../../traces/trace-service.ts'
import type { Watermark } from '../../ports/log/log.ts'
import type { Environment } from './environment.ts'
import { metricIdsOf } from './metric-ids-of.ts'
import type { ServiceStores, SingleWork } from './service-stores.ts'

interface MetricParts extends Pick<ServiceStores, 'control' | 'engine' | 'store' | 'holder' | 'disk'> {
  readonly clusters: ClusterMembers
  readonly clustersOf: (projectId: ProjectId) => Promise<readonly { readonly id: ClusterId; readonly label: string }[]>
  readonly discoveryOf: PatternDependencies['discoveryOf']
  readonly traces: TraceService
  readonly watermark: () => Watermark
  readonly ids: IdGenerator
  readonly ingestBudget: ByteBudget
  readonly work: WorkTurns
  readonly answers: ByteGate
}

interface StartedMetrics extends Pick<
  HttpDependencies,
  | 'metrics'
  | 'prices'
  | 'series'
  | 'summaries'
  | 'searchSteps'
  | 'readTraceRowGroup'
  | 'findPatterns'
  | 'compareVersions'
  | 'stepFacets'
  | 'senders'
  | 'monitors'
> {
  readonly metricEvents: JoinedMetricEventStore
  /** Looks up the filters of a selection. */
  readonly lookUp: ClusterServiceDependencies['lookUp']
  /** Evaluates monitors. To be started once the service answers. */
  readonly monitorWork: SingleWork
}

/** Metrics, series, sessions and users, prices, and monitors. */
export function startMetrics({ config, clock, logger, listedPrices }: Environment, parts: MetricParts): StartedMetrics {
  const { control, engine, store, traces, clusters, ids, disk, watermark } = parts
  const metricEvents = new JoinedMetricEventStore({
    recent: store.recentMetricEvents,
    settled: new ClickHouseMetricEvents(engine),
    journal: control.journal,
    clock,
  })
  const shared = { clock, limits: config.limits }
  const metrics = createMetricService({
    ...shared,
    metrics: control.metrics,
    recorder: traces,
    findOtelTrace: (projectId, otelTraceId) => traces.useCases.findOtelTrace(projectId, otelTraceId),
    events: metricEvents,
    journal: control.journal,
    newMetricId: () => ids.newId('met'),
    budget: parts.ingestBudget,
    work: parts.work,
    answers: parts.answers,
    intakeBlock: () => disk?.refusal() ?? null,
    pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
  })
  const prices = createPriceService({ ...shared, prices: control.prices, list: listedPrices })
  const aggregates: AggregateDependencies = {
    engine,
    settled: () => store.settled(),
    pendingPurges: (limit, withoutExpired) => control.journal.pendingPurges(limit, undefined, withoutExpired),
    removedEvents: (projectId) => control.journal.removedEvents(projectId),
    idLeadMs: () => watermark().idLeadMs,
  }
  const breathe = () => new Promise<void>((go) => setImmediate(go))
  const metricIdOf = metricIdsOf(control)
  const { fullText } = config
  const filtering = { ratesOf: prices.rates, watermark, clusters, metricIdOf, fullText, breathe }
  const seriesCache = new SeriesCache()
  store.watch(seriesCache)
  const intervalMs = evaluationInterval(config.monitorIntervalMs)
  const lookUp: LookUpFilters = (projectId, filters, span) =>
    lookUpFilters(filtering, { ...toTraceFilters('lists', {}), text: null, ...filters, ...span, projectId }, null)
  const metricSeries = new ClickHouseMetricSeries(aggregates, seriesCache)
  const explored = new ClickHouseExploredSeries(aggregates, seriesCache)
  const clustersOf = async (projectId: ProjectId) => (await parts.clustersOf(projectId)).map(({ id }) => id)
  const findMetric = (projectId: ProjectId, name: string) => control.metrics.findByName(projectId, name)
  const metricOf = async (projectId: ProjectId, name: string) => (await findMetric(projectId, name)) ?? null
  const grouping = { ...filtering, metricOf, clustersOf }
  const lookUpGroup: LookUpGroup = (...[projectId, field, span]) => lookUpGroupBy(grouping, projectId, field, span)
  const measuring = { ...aggregates, lookUp, lookUpGroup, ratesOf: prices.rates }
  const measures = new ClickHouseMonitorMeasures(measuring, intervalMs)
  store.watch(measures)
  const monitoring = {
    ...shared,
    store: control.monitors,
    leases: control.leases,
    measures,
    findMetric: async (projectId: ProjectId, name: string) => watchable(await findMetric(projectId, name)),
    checkWords: (text: string) => void searchWords(text, fullText, '/filters/q'),
    commitTransition: traces.commitTransition,
    print: printMonitor,
    timers: systemTimers,
    intervalMs,
    newId: () => ids.newId('mon'),
    holder: parts.holder,
    onError: (error: unknown, message: string) => logger.error({ error }, message),
  }
  return {
    metrics,
    metricEvents,
    lookUp: (projectId, filters) => lookUpFilters(filtering, { ...filters, projectId }, null),
    prices,
    series: {
      ofMetric: (request) => readMetricSeries({ store: metricSeries, findMetric: metrics.find, clock }, request),
      explore: (request) => exploreSeries({ ...grouping, store: explored, clock }, request),
    },
    summaries: createSummaries({
      ...filtering,
      store: new ClickHouseTraceSummaries(aggregates, seriesCache),
    }),
    searchSteps: searchStepsBy({ ...filtering, store: new ClickHouseStepList(aggregates), traces: store }),
    readTraceRowGroup: readTraceRowGroupBy({
      ...filtering,
      settled: aggregates.settled,
      store: new ClickHouseTraceRowGroups(aggregates),
      journal: control.journal,
      media: control.media,
    }),
    findPatterns: findPatternsIn({
      ...filtering,
      store: new ClickHouseTracePatterns(aggregates),
      work: parts.work,
      findMetric,
      discoveryOf: parts.discoveryOf,
    }),
    compareVersions: compareVersionsIn({
      ...filtering,
      store: new ClickHouseTraceVersions(aggregates),
      work: parts.work,
      findMetric,
      clustersOf: parts.clustersOf,
      settingsOf: async (projectId) => {
        const { versionKey, retention } = (await control.projects.find(projectId)) ?? NEW_PROJECT
        return { versionKey, keptFrom: keptFrom(retention, clock.now()) }
      },
    }),
    stepFacets: findStepFacetsBy({ ...filtering, store: new ClickHouseStepFacets(aggregates, FACET_TRACES) }),
    senders: createSenders({ store: new ClickHouseSenderCounts(aggregates), pricerOf: prices.pricer, clock }),
    monitors: createMonitorService(monitoring),
    monitorWork: {
      name: 'monitors',
      async start(lease) {
        const leases = lease === null ? control.leases : heldLease(lease, parts.holder)
        const evaluator = new MonitorEvaluator({ ...monitoring, leases })
        evaluator.start()
        return evaluator
      },
    },
  }
}

/** A metric as monitors need it. */
function watchable(definition: MetricDefinition | undefined): WatchableMetric | undefined {
  if (definition === undefined) return undefined
  return { id: definition.id, kind: definition.kind, options: (definition.options ?? []).map(({ value }) => value) }
}
