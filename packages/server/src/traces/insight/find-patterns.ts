import { fisherGreater } from '@spoor/clustering/statistics/fisher-exact'
import type { ProjectId } from '@spoor/contract/ids'
import type { ClusterKind } from '@spoor/contract/schemas/cluster'
import type { ClusterFilter } from '@spoor/contract/trace-filters'
import { PATTERN_KINDS, PATTERN_RATE } from '@spoor/contract/schemas/traces/failure-patterns'
import { resultInTurns, type WorkTurns } from '../../lib/flow/work-turns.ts'
import type { TraceFailure } from '../../ports/clusters/cluster-traces.ts'
import { type FindMetric, resolveFailure } from '../../ports/metrics/resolve-failure.ts'
import type {
  CountedFeature,
  CountedFeatures,
  FeatureQuery,
  TracePatternStore,
} from '../../ports/traces/trace-patterns.ts'
import { type FilterDependencies, lookUpFilters } from '../read/list-summaries.ts'
import type { FilteredRequest } from '../use-cases.ts'

export interface PatternDependencies extends FilterDependencies {
  readonly store: TracePatternStore
  readonly work: WorkTurns
  readonly findMetric: FindMetric
  /** The discovery that a cluster is of. */
  readonly discoveryOf: (projectId: ProjectId, cluster: ClusterFilter) => Promise<DiscoveryOf | null>
}

interface DiscoveryOf {
  readonly kind: ClusterKind
  /** The beginning of its window. */
  readonly createdFrom: number
  /** Of its selection. */
  readonly filters: Omit<FilteredRequest, 'projectId'> | null
}

/** A feature that failed runs have more often than the others, or less often. */
export interface FoundPattern extends Omit<CountedFeature, 'traces'> {
  readonly moreIn: 'failed' | 'succeeded'
  readonly qValue: number
}

export interface FoundPatterns extends Omit<CountedFeatures, 'features'> {
  /** The clearest first. */
  readonly patterns: readonly FoundPattern[]
}

/** Throws DomainError `validation_failed`, `full_text_disabled`. */
export type FindPatterns = (request: FilteredRequest & { readonly failureBy: string }) => Promise<FoundPatterns>

/** Fewer runs show nothing. */
const LEAST_TRACES = 3
/** A feature of so few runs that even the clearest split of them is no evidence is not tested. */
const REACHABLE_P = 0.01

export function findPatternsIn(dependencies: PatternDependencies): FindPatterns {
  const { store, work } = dependencies
  return async ({ failureBy, ...request }) => {
    const { projectId } = request
    const failure = await resolveFailure(dependencies.findMetric, projectId, failureBy, '?failure_by')
    const query = await lookUpRuns(dependencies, request, failure)
    if (query === null) return { failed: 0, succeeded: 0, patterns: [], complete: true }
    const { features, ...sides } = await store.countFeatures({ ...query, failure, least: LEAST_TRACES })
    // The measure itself tells nothing.
    const others = features.filter(({ kind, name }) => kind !== 'metadata' || name !== keyOf(failure))
    const patterns = await resultInTurns(clearPatterns(others, sides), (step) => work.steps(projectId, step))
    return { ...sides, patterns }
  }
}

/**
 * The traces of a request. All members of a cluster of failures failed: they are compared with the runs that did not
 * fail among those of which its discovery took the failed ones. Null if no trace can pass.
 */
async function lookUpRuns(
  dependencies: PatternDependencies,
  request: FilteredRequest,
  failure: TraceFailure,
): Promise<Omit<FeatureQuery, 'failure' | 'least'> | null> {
  const { projectId, cluster, startTime } = request
  const query = await lookUpFilters(dependencies, request, null)
  if (query === null) return null
  const discovery = cluster === null ? null : await dependencies.discoveryOf(projectId, cluster)
  if (discovery?.kind !== 'failures') return { ...query, failures: null, within: [] }
  const { createdFrom, filters } = discovery
  // Those of failed traces alone are the ones whose causes were wanted. It may be a part of another such cluster.
  const wider = filters && { ...filters, projectId, status: failure.kind === 'status' ? null : filters.status }
  const around = wider && (await lookUpRuns(dependencies, wider, failure))
  if (around === null && wider !== null) return null
  const from = Math.max(createdFrom, startTime ?? createdFrom)
  return {
    ...query,
    among: null,
    startTime: from,
    failures: query.among,
    within: around === null ? [] : [around, ...around.within],
  }
}

/** Those with a false discovery rate of PATTERN_RATE, the clearest first. Of features of the same runs, one. */
export function* clearPatterns(
  features: readonly CountedFeature[],
  { failed, succeeded }: { readonly failed: number; readonly succeeded: number },
): Generator<void, readonly FoundPattern[]> {
  const bySet = new Map<string, CountedFeature>()
  for (const feature of features) {
    const same = bySet.get(feature.traces)
    if (same === undefined || rankOf(feature) < rankOf(same)) bySet.set(feature.traces, feature)
  }
  const tested: (FoundPattern & { readonly p: number })[] = []
  for (const { traces: _traces, ...feature } of bySet.values()) {
    const with_ = feature.failed + feature.succeeded
    const p = (hits: number) => twoSided({ hits, total: failed }, { hits: with_ - hits, total: succeeded })
    yield
    const [least, most] = [Math.max(0, with_ - succeeded), Math.min(with_, failed)]
    if (Math.min(p(least), p(most)) > REACHABLE_P) continue
    const moreIn = feature.failed * succeeded > feature.succeeded * failed ? 'failed' : 'succeeded'
    tested.push({ ...feature, moreIn, p: p(feature.failed), qValue: 1 })
  }
  tested.sort((one, other) => one.p - other.p || rankOf(one) - rankOf(other))
  let qValue = 1
  const corrected = tested.toReversed().map(({ p, ...pattern }, at) => {
    qValue = Math.min(qValue, (p * tested.length) / (tested.length - at))
    return Object.assign(pattern, { qValue })
  })
  const clear = corrected.toReversed().filter((pattern) => pattern.qValue <= PATTERN_RATE)
  // Other lengths say the same, and so does the other one of two values of a key.
  const length = clear.find(({ kind }) => kind === 'steps')
  const bad = new Map(clear.filter(({ moreIn }) => moreIn === 'failed').map((one) => [`${one.kind} ${one.name}`, one]))
  return clear.filter((pattern) => {
    const other = pattern.kind === 'metadata' && pattern.moreIn === 'succeeded' && bad.get(`metadata ${pattern.name}`)
    if (other && other.failed + pattern.failed === failed && other.succeeded + pattern.succeeded === succeeded)
      return false
    return pattern.kind !== 'steps' || pattern === length
  })
}

function rankOf({ kind }: Pick<CountedFeature, 'kind'>): number {
  return PATTERN_KINDS.indexOf(kind)
}

type Side = Parameters<typeof fisherGreater>[0]

function twoSided(one: Side, other: Side): number {
  return Math.min(1, 2 * Math.min(fisherGreater(one, other), fisherGreater(other, one)))
}

function keyOf(failure: TraceFailure): string | null {
  return failure.kind === 'metadata' ? failure.key : null
}
