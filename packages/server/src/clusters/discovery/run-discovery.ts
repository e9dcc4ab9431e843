import type { TraceId } from '@spoor/contract/ids'
import { CLUSTER_TRACES_MAX } from '@spoor/contract/limits'
import { LEAST_TRACES } from '@spoor/clustering/discover'
import type { ClusterWorker } from '../worker/cluster-worker.ts'
import { packIds, unpackIds } from '../worker/pack-ids.ts'
import { greatestId, idAtTime } from '../../lib/ids/ids.ts'
import { type ClusterSetId, kindOfSet, projectOfSet, selectionOfSet } from '../../ports/clusters/cluster-set.ts'
import { resultOf } from '../../ports/clusters/cluster.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'
import type { ClusterTraces, ListedTrace, TraceFailure } from '../../ports/clusters/cluster-traces.ts'
import {
  type DiscoveryJob,
  type DiscoveryProgress,
  type DiscoveryResult,
  insufficientData,
} from '../../ports/clusters/discovery-job.ts'
import type { RemoveDeleted } from '../assign/remove-deleted.ts'
import { storeMissingFeatures, type StoreMissingDependencies } from '../assign/store-missing-features.ts'
import { type LookUpFilters, matchingOf } from '../selections.ts'
import { NOT_MEASURED } from '../worker/messages.ts'
import { learnTemplate } from './learn-template.ts'
import { type FindMetric, resolveFailure } from '../../ports/metrics/resolve-failure.ts'

/** A few requests of an endpoint at a time: between them others can use the worker, and vectors are stored. */
const ASKED_TOGETHER = 256

export interface RunDiscoveryDependencies extends StoreMissingDependencies {
  readonly traces: ClusterTraces
  readonly clusters: Pick<ClusterStore, 'findRun' | 'clusters' | 'selections'>
  readonly lookUp: LookUpFilters
  readonly forget: Pick<RemoveDeleted, 'among'>
  readonly findMetric: FindMetric
  readonly onProgress: (progress: DiscoveryProgress) => void
}

const LISTED_TOGETHER = 4000
/**
 * What a job of the short lane may take. Clustering 2,000 traces with a `k_max` of 50 takes about 10 s of a processor;
 * a part of steps has about a megabyte.
 */
const SHORT = { traces: 2000, parts: 100 } as const
const LONG = { traces: Infinity, parts: Infinity } as const
const HOUR_MS = 3600 * 1000

/**
 * Runs one job; its run is durable when this resolves. Every phase can be interrupted and started again: features are
 * stored as they are computed, the run is written as a whole, and a job that already has a run returns its result. Null
 * when another process took the job meanwhile. `too_long` when a job of the short lane is larger than SHORT.
 */
export async function runDiscovery(
  dependencies: RunDiscoveryDependencies,
  job: DiscoveryJob,
  startedAt: number,
): Promise<DiscoveryResult | 'too_long' | null> {
  const { worker, onProgress, clusters, forget } = dependencies
  const { id: jobId, epoch, setId, parameters } = job
  const projectId = projectOfSet(setId)
  const done = await clusters.findRun(jobId)
  if (done !== undefined) return resultOf(done, (await clusters.clusters(done)).length)
  const failure = await resolveFailure(dependencies.findMetric, projectId, parameters.failureBy)
  const most = job.lane === 'short' ? SHORT : LONG
  const listed = await listTraces(dependencies, job, failure, startedAt, Math.min(most.traces + 1, CLUSTER_TRACES_MAX))
  if (listed.length > most.traces) return 'too_long'
  if (listed.length < LEAST_TRACES) return insufficientData(listed.length)
  const traceIds = listed.map(({ id }) => id)
  const known = new Set(traceIds)
  const former = unpackIds(await worker.ask('former', { setId })).filter((id) => !known.has(id))
  // Of any version, because the members are from the last run.
  const needed = [...former.map((id) => ({ id, version: 0 })), ...listed]
  if (needed.length > most.traces) return 'too_long'
  const onShare = (share: number) => onProgress({ phase: 'reading', share })
  const parts = await learnTemplate(dependencies, setId, listed)
  if (!(await storeMissingFeatures(dependencies, setId, needed, onShare, most.parts - parts))) return 'too_long'
  const hasAsked = await embedMissing(worker, setId, [...former, ...traceIds], (share) =>
    onProgress({ phase: 'embedding', share: ASKING_SHARE * share }),
  )
  const request = {
    setId,
    jobId,
    epoch,
    parameters,
    startedAt,
    traceIds: packIds(traceIds),
    failed: Uint8Array.from(listed, ({ failed }) => (failed === null ? NOT_MEASURED : failed ? 1 : 0)),
  }
  const result = await worker.ask('discover', request, hasAsked ? behindAsking(onProgress) : onProgress)
  if (result === null) return null
  // Traces that were deleted since they were listed.
  await forget.among(projectId, [...former, ...traceIds])
  return result
}

/** Share of the embedding phase that requests to an endpoint take. */
const ASKING_SHARE = 0.9

function behindAsking(onProgress: (progress: DiscoveryProgress) => void): (progress: DiscoveryProgress) => void {
  return ({ phase, share }) =>
    onProgress({ phase, share: phase === 'embedding' ? ASKING_SHARE + (1 - ASKING_SHARE) * share : share })
}

/** Oldest first. */
async function listTraces(
  dependencies: RunDiscoveryDependencies,
  { setId, parameters }: DiscoveryJob,
  failure: TraceFailure,
  now: number,
  most: number,
): Promise<readonly ListedTrace[]> {
  const { traces, onProgress } = dependencies
  const listed: ListedTrace[] = []
  const { windowHours, onlyComplete } = parameters
  const projectId = projectOfSet(setId)
  const onlyFailed = kindOfSet(setId) === 'failures'
  const selection = selectionOfSet(setId)
  const matching = selection === null ? undefined : await matchingOf(dependencies, projectId, selection)
  if (matching === null) return []
  const createdFrom = now - windowHours * HOUR_MS
  const lowestId = idAtTime('tr', createdFrom)
  // Ids may be ahead of the clock: a committed trace is in the past, whatever its id.
  let highestId = greatestId('tr')
  while (listed.length < most) {
    onProgress({ phase: 'listing', share: listed.length / most })
    const limit = Math.min(LISTED_TOGETHER, most - listed.length)
    const within = {
      projectId,
      lowestId,
      highestId,
      createdFrom,
      onlyComplete,
      onlyFailed,
      failure,
      ...(matching && { matching }),
    }
    const page = await traces.list({ ...within, order: 'desc', limit })
    listed.push(...page)
    if (page.length < limit) break
    highestId = page.at(-1)!.id
  }
  return listed.toReversed()
}

/**
 * Has the worker request vectors for traces without one; returns whether there were any. May be interrupted and started
 * again at any point. Rejects when the endpoint returns none.
 */
async function embedMissing(
  worker: Pick<ClusterWorker, 'ask'>,
  setId: ClusterSetId,
  traceIds: readonly TraceId[],
  onShare: (share: number) => void,
): Promise<boolean> {
  const missing = unpackIds(await worker.ask('unembedded', { setId, traceIds: packIds(traceIds) }))
  for (let from = 0; from < missing.length; from += ASKED_TOGETHER) {
    onShare(from / missing.length)
    await worker.ask('embed', { setId, traceIds: missing.slice(from, from + ASKED_TOGETHER) })
  }
  return missing.length > 0
}
