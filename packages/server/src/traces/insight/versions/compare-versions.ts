import { evidenceOfMoreFailures } from '@spoor/clustering/statistics/sequential-rates'
import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import { SERIES_CLUSTER_TRACES } from '@spoor/contract/schemas/series-query'
import { REGRESSION_EVIDENCE } from '@spoor/contract/schemas/versions'
import type { WorkTurns } from '../../../lib/flow/work-turns.ts'
import { type FindMetric, resolveFailure } from '../../../ports/metrics/resolve-failure.ts'
import type { CountedVersion, JudgedRun, TraceVersionStore } from '../../../ports/traces/trace-versions.ts'
import { membersWithin } from '../../read/cluster-members.ts'
import { type FilterDependencies, lookUpFilters } from '../../read/list-summaries.ts'
import type { FilteredRequest } from '../../use-cases.ts'

export interface VersionDependencies extends FilterDependencies {
  readonly findMetric: FindMetric
  readonly store: TraceVersionStore
  readonly work: WorkTurns
  readonly settingsOf: (projectId: ProjectId) => Promise<VersionSettings>
  /** Those of the latest discovery. */
  readonly clustersOf: (projectId: ProjectId) => Promise<readonly NamedCluster[]>
}

interface VersionSettings {
  readonly versionKey: string
  /**
   * Retention may have deleted runs from before, milliseconds. A version whose first runs are gone is not compared: the
   * runs that are left are others at each look, and may be flagged ones alone.
   */
  readonly keptFrom: number
}

interface NamedCluster {
  readonly id: ClusterId
  readonly label: string
}

export interface Failures {
  readonly failed: number
  readonly runs: number
}

/** By the first runs of both versions. */
export interface VersionComparison {
  readonly now: Failures
  readonly before: Failures
  readonly evidence: number
  readonly regressed: boolean
}

export interface ComparedVersion extends Omit<CountedVersion, 'first'> {
  /** Null without a version before, or if retention may have deleted runs of one of the two. */
  readonly comparison: (VersionComparison & { readonly comparedWith: string }) | null
  /** The strongest evidence first. */
  readonly clusters: readonly (VersionComparison & { readonly cluster: NamedCluster })[]
}

export interface ComparedVersions {
  readonly versionKey: string
  /** The newest first. */
  readonly versions: readonly ComparedVersion[]
}

/** Throws DomainError `validation_failed`, `full_text_disabled`. */
export type CompareVersions = (
  request: FilteredRequest & { readonly failureBy: string; readonly limit: number },
) => Promise<ComparedVersions>

/** A version with fewer runs is not what others are compared with. */
const LEAST_BEFORE = 30
/** Earlier versions that are looked up for one with enough runs. */
const FURTHER = 10
/** The part of the probability of a false alarm that the comparison over all runs has. The clusters share the rest. */
const OVERALL = 0.9

export function compareVersionsIn(dependencies: VersionDependencies): CompareVersions {
  const { store, work, clusters, watermark, breathe } = dependencies
  return async ({ failureBy, limit, ...request }) => {
    const { projectId } = request
    const [failure, { versionKey, keptFrom }] = await Promise.all([
      resolveFailure(dependencies.findMetric, projectId, failureBy, '?failure_by'),
      dependencies.settingsOf(projectId),
    ])
    const query = await lookUpFilters(dependencies, request, null)
    if (query === null) return { versionKey, versions: [] }
    const counted = await store.countVersions({ ...query, failure, versionKey, limit: limit + FURTHER })
    const members = counted.length === 0 ? [] : await membersOf(projectId, counted)
    const versions: ComparedVersion[] = []
    for (const [at, version] of counted.slice(0, limit).entries()) {
      const earlier = counted.slice(at + 1).find(({ runs }) => runs >= LEAST_BEFORE)
      const isWhole = earlier !== undefined && Math.min(earlier.firstAt, version.firstAt) >= keptFrom
      const before = isWhole ? earlier : undefined
      await work.run(projectId, () => versions.push(comparedVersion(version, before, members)))
    }
    return { versionKey, versions }
  }

  /** Of each cluster; without those that have too many members in the time of these runs. */
  async function membersOf(projectId: ProjectId, counted: readonly CountedVersion[]): Promise<readonly Members[]> {
    const span = {
      startTime: Math.min(...counted.map(({ firstAt }) => firstAt)),
      endTime: Math.max(...counted.map(({ lastAt }) => lastAt)) + 1,
    }
    const found: Members[] = []
    for (const cluster of await dependencies.clustersOf(projectId)) {
      const place = await clusters.place(projectId, cluster.id)
      if (place === null) continue
      const reading = { clusters, idLeadMs: () => watermark().idLeadMs, breathe }
      const ids = await membersWithin(reading, place, span, SERIES_CLUSTER_TRACES)
      if (ids !== null) found.push({ cluster, ids: new Set(ids) })
    }
    return found
  }
}

interface Members {
  readonly cluster: NamedCluster
  readonly ids: ReadonlySet<TraceId>
}

/** `members`: of each cluster. */
export function comparedVersion(
  { first, ...version }: CountedVersion,
  before: CountedVersion | undefined,
  members: readonly Members[],
): ComparedVersion {
  if (before === undefined) return { ...version, comparison: null, clusters: [] }
  const ofClusters = members.flatMap(({ cluster, ids }) => {
    const within = (runs: readonly JudgedRun[]) => runs.filter(({ id }) => ids.has(id))
    const [now, earlier] = [within(first), within(before.first)]
    const share = (1 - OVERALL) / members.length
    return now.length === 0 || earlier.length === 0 ? [] : [{ cluster, ...comparisonOf(now, earlier, share) }]
  })
  return {
    ...version,
    comparison: { comparedWith: before.version, ...comparisonOf(first, before.first, OVERALL) },
    clusters: ofClusters.sort((one, other) => other.evidence - one.evidence),
  }
}

/** `share`: the weight of this test among all of the version, so that all together alarm falsely as rarely as one. */
function comparisonOf(now: readonly JudgedRun[], before: readonly JudgedRun[], share: number): VersionComparison {
  const outcomes = (runs: readonly JudgedRun[]) => runs.map(({ failed }) => failed)
  const evidence = share * evidenceOfMoreFailures(outcomes(before), outcomes(now))
  return { now: failuresOf(now), before: failuresOf(before), evidence, regressed: evidence >= REGRESSION_EVIDENCE }
}

function failuresOf(runs: readonly JudgedRun[]): Failures {
  return { failed: runs.filter(({ failed }) => failed).length, runs: runs.length }
}
