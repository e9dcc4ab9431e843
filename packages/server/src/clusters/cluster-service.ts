import type { ClusterId, JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { ClusterKind } from '@spoor/contract/schemas/cluster'
import { type ClusterFilter, NO_CLUSTER } from '@spoor/contract/trace-filters'
import type { Journal } from '../ports/journal/journal.ts'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { checkName } from '../lib/validation/check-name.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { listPage, readPage } from '../lib/list-page.ts'
import type { Cluster } from '../ports/clusters/cluster.ts'
import type { ClusterSchedule, ClusterScheduleStore } from '../ports/clusters/cluster-schedule.ts'
import {
  type ClusterSetId,
  clusterSetOf,
  clusterSetsOf,
  kindOfSet,
  projectOfSet,
  selectionOfSet,
} from '../ports/clusters/cluster-set.ts'
import type { ClusterDetail, ClusterStore, FoundCluster, PlacedRun } from '../ports/clusters/cluster-store.ts'
import type { DiscoveryJob, DiscoveryParameters } from '../ports/clusters/discovery-job.ts'
import type { DiscoveryJobStore } from '../ports/clusters/discovery-job-store.ts'
import type { DiscoveryRunner } from './discovery/discovery-runner.ts'
import { type FindMetric, resolveFailure } from '../ports/metrics/resolve-failure.ts'
import type { Neighbours } from './assign/neighbours.ts'
import { pendingDeletions } from './assign/pending-deletions.ts'
import { discoveryOfIn, findWithRun } from './discovery-of.ts'
import { createSelections, type LookUpFilters } from './selections.ts'
import type { ClusterUseCases, ListedCluster, ReadCluster } from './use-cases.ts'

export interface ClusterServiceDependencies {
  readonly clusters: ClusterStore
  readonly jobs: DiscoveryJobStore
  readonly schedules: ClusterScheduleStore
  readonly runner: Pick<DiscoveryRunner, 'wake' | 'progressOf'>
  readonly journal: Pick<Journal, 'deletedAmong' | 'pendingPurges'>
  /** See AssignNewTraces. */
  readonly catchUp: (setId: ClusterSetId) => Promise<void>
  /** The traces that exist. */
  readonly briefsOf: (projectId: ProjectId, traceIds: readonly TraceId[]) => Promise<ReadonlyMap<TraceId, TraceBrief>>
  readonly findMetric: FindMetric
  readonly lookUp: LookUpFilters
  readonly neighbours: Neighbours
  readonly clock: Clock
  readonly newJobId: () => JobId
  readonly defaults: Pick<ClusterSchedule, 'everyHours' | 'parameters'>
  /** Yields to other work. */
  readonly breathe: () => Promise<void>
}

/** The name of a trace, and the beginnings of its user's first request and of its error, else its last answer. */
interface TraceBrief extends Readonly<Record<ClusterKind, string | null>> {
  readonly name: string
}

const HOUR_MS = 3600 * 1000
/** The most typical traces of a cluster that are searched for a request: the first ones may be deleted. */
const SEARCHED_FOR_REQUEST = 3
/** Points whose traces are read in one query. */
const CHECKED_TOGETHER = 500

export function createClusterService(dependencies: ClusterServiceDependencies): ClusterUseCases {
  const { clusters, jobs, schedules, runner, journal, clock, defaults, breathe, catchUp, findMetric } = dependencies
  const selections = createSelections(dependencies)

  /**
   * Number of deleted traces that are not removed yet, by cluster. Read the sizes first: a trace that is removed
   * meanwhile must not be subtracted twice.
   */
  async function leaving(run: PlacedRun): Promise<ReadonlyMap<ClusterFilter, number>> {
    const counts = new Map<ClusterFilter, number>()
    for await (const pending of pendingDeletions(dependencies)) {
      const own = pending.filter(({ projectId }) => projectId === projectOfSet(run.setId)).map(({ traceId }) => traceId)
      for (const [id, count] of await clusters.countAmong(run, own)) counts.set(id, (counts.get(id) ?? 0) + count)
    }
    return counts
  }

  /** Those with traces. */
  async function withExamples(setId: ClusterSetId, all: readonly FoundCluster[]): Promise<readonly ListedCluster[]> {
    const found = all.filter(({ cluster }) => cluster.size > 0)
    const typical = found.flatMap(({ representatives }) => representatives.slice(0, SEARCHED_FOR_REQUEST))
    const briefs = await dependencies.briefsOf(
      projectOfSet(setId),
      typical.map(({ traceId }) => traceId),
    )
    const labels = await clusters.labels(setId)
    return found.map((one) => listed(one, setId, labels, briefs))
  }

  async function find(projectId: ProjectId, id: ClusterId): Promise<{ run: PlacedRun; found: ClusterDetail }> {
    const { run, found } = (await findWithRun(clusters, projectId, id)) ?? {}
    if (run !== undefined && found !== undefined) {
      const cluster = without(found.cluster, await leaving(run))
      if (cluster.size > 0) return { run, found: { ...found, cluster } }
    }
    throw new DomainError('not_found', 'There is no such cluster.')
  }

  async function readCluster(projectId: ProjectId, id: ClusterId): Promise<ReadCluster> {
    const { run, found } = await find(projectId, id)
    const kind = kindOfSet(run.setId)
    const ids = found.representatives.map(({ traceId }) => traceId)
    const briefs = await dependencies.briefsOf(projectId, ids)
    const representatives = found.representatives.flatMap(({ traceId, similarity }) => {
      const brief = briefs.get(traceId)
      return brief === undefined ? [] : [{ traceId, similarity, name: brief.name, request: brief[kind] }]
    })
    return {
      cluster: listed(found, run.setId, await clusters.labels(run.setId), briefs),
      representatives,
      centroid: found.centroid,
      computedAt: run.computedAt,
      failureBy: run.parameters.failureBy,
    }
  }

  const watched = (job: DiscoveryJob) => ({
    job,
    progress: job.status === 'running' ? runner.progressOf(job.id) : null,
  })

  return {
    ...selections.useCases,

    async list(setId, traceId) {
      await catchUp(setId)
      const run = await clusters.currentRun(setId)
      if (run === undefined) return { clusters: [], computedAt: null, failureBy: null, unassigned: 0 }
      const own = traceId === undefined ? null : await clusters.countAmong(run, [traceId])
      const all = (await clusters.clusters(run)).filter(({ cluster }) => own?.has(cluster.id) ?? true)
      const fitNone = await clusters.countUnassigned(run)
      const gone = await leaving(run)
      const found = all.map((one) => Object.assign(one, { cluster: without(one.cluster, gone) }))
      const { computedAt, parameters } = run
      const unassigned = fitNone - (gone.get(NO_CLUSTER) ?? 0)
      return { clusters: await withExamples(setId, found), computedAt, failureBy: parameters.failureBy, unassigned }
    },

    async read(projectId, id) {
      await Promise.all(clusterSetsOf(projectId).map(catchUp))
      return readCluster(projectId, id)
    },

    ...dependencies.neighbours,

    discoveryOf: discoveryOfIn(clusters, selections),

    async rename(projectId, id, label) {
      const error = label === null ? null : checkName(label, '/label')
      if (error !== null) throw invalid(error)
      const { run } = await find(projectId, id)
      await clusters.putLabel(run.setId, id, label)
      return readCluster(projectId, id)
    },

    async map(setId, limit) {
      const run = await clusters.currentRun(setId)
      if (run === undefined) return { points: [], computedAt: null }
      const points = await clusters.map(run, limit)
      const deleted = new Set<TraceId>()
      for (let from = 0; from < points.length; from += CHECKED_TOGETHER) {
        const part = points.slice(from, from + CHECKED_TOGETHER).map(({ traceId }) => traceId)
        for (const id of await journal.deletedAmong(part)) deleted.add(id)
        await breathe()
      }
      return { points: points.filter(({ traceId }) => !deleted.has(traceId)), computedAt: run.computedAt }
    },

    async discover(projectId, kind, parameters, filters = null) {
      await checkParameters(findMetric, projectId, parameters)
      const selection = filters === null ? null : await selections.add(projectId, filters)
      const setId = clusterSetOf(projectId, kind, selection)
      const job = await jobs.add(newJob(dependencies, setId, parameters))
      runner.wake()
      return job
    },

    async job(projectId, id) {
      const job = await jobs.find(projectId, id)
      if (job === undefined) throw new DomainError('not_found', 'There is no such job.')
      return watched(job)
    },

    async jobs(setId, { cursor, limit }) {
      const read = (behind: JobId | null, most: number) => jobs.list(setId, behind, most)
      const { items, nextCursor } = await listPage('job', cursor, limit, read)
      return { items: items.map(watched), nextCursor }
    },

    runs: (setId, page) =>
      readPage(
        page,
        toPlace,
        (behind, limit) => clusters.runs(setId, behind, limit),
        ({ place }) => place,
      ),

    async schedule(setId) {
      return (await schedules.find(setId)) ?? { enabled: false, ...defaults, nextRunAt: null }
    },

    async setSchedule(setId, { enabled, everyHours, parameters }) {
      await checkParameters(findMetric, projectOfSet(setId), parameters)
      const nextRunAt = enabled ? clock.now() + everyHours * HOUR_MS : null
      const schedule = { enabled, everyHours, parameters, nextRunAt }
      await schedules.put(setId, schedule)
      return schedule
    },
  }
}

async function checkParameters(
  findMetric: FindMetric,
  projectId: ProjectId,
  { kMin, kMax, failureBy }: DiscoveryParameters,
): Promise<void> {
  if (kMin > kMax) {
    const detail = `k_min must not be above k_max, which is ${kMax}.`
    throw invalid({ pointer: '/k_min', code: 'out_of_range', detail })
  }
  await resolveFailure(findMetric, projectId, failureBy)
}

/** With the first two requests of its most typical traces that differ. */
function listed(
  { cluster, cohesion, isMixed, representatives }: FoundCluster,
  setId: ClusterSetId,
  labels: ReadonlyMap<ClusterId, string>,
  briefs: ReadonlyMap<TraceId, TraceBrief>,
): ListedCluster {
  const kind = kindOfSet(setId)
  const given = labels.get(cluster.id)
  const typical = representatives.slice(0, SEARCHED_FOR_REQUEST)
  const requests = new Set(typical.flatMap(({ traceId }) => briefs.get(traceId)?.[kind] ?? []))
  const [typicalRequest = null, otherRequest = null] = requests
  return {
    ...cluster,
    kind,
    selection: selectionOfSet(setId),
    label: given ?? cluster.label,
    automaticLabel: given === undefined ? null : cluster.label,
    typicalRequest,
    otherRequest,
    tightness: Math.min(1, Math.max(0, cohesion)),
    isMixed,
  }
}

function without(cluster: Cluster, gone: ReadonlyMap<ClusterFilter, number>): Cluster {
  return { ...cluster, size: cluster.size - (gone.get(cluster.id) ?? 0) }
}

export function newJob(
  { clock, newJobId }: Pick<ClusterServiceDependencies, 'clock' | 'newJobId'>,
  setId: ClusterSetId,
  parameters: DiscoveryParameters,
): DiscoveryJob {
  return {
    id: newJobId(),
    setId,
    parameters,
    lane: 'short',
    status: 'queued',
    attempts: 0,
    epoch: 0,
    createdAt: clock.now(),
    startedAt: null,
    finishedAt: null,
    error: null,
    result: null,
  }
}

function toPlace(text: string): number | undefined {
  const place = Number(text)
  return Number.isSafeInteger(place) && place > 0 ? place : undefined
}
