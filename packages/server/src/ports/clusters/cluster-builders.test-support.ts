import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ClusterId, JobId, SelectionId, TraceId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import { idAt, PROJECT } from '../../traces/trace-builders.test-support.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterScheduleStore } from './cluster-schedule.ts'
import type { ClusterStore } from './cluster-store.ts'
import type { DiscoveryJob } from './discovery-job.ts'
import type { DiscoveryJobStore } from './discovery-job-store.ts'
import type { DiscoveryMemory, NewCluster, NewRun } from './discovery-memory.ts'

/** The stores of one adapter, on the same data. */
export interface ClusterStores {
  readonly jobs: DiscoveryJobStore
  readonly schedules: ClusterScheduleStore
  readonly clusters: ClusterStore
  readonly memory: DiscoveryMemory
}

/** Opens empty stores. */
export type OpenClusterStores = (clock: Clock, context: TestContext) => Promise<ClusterStores>

export const START = 1_763_000_000_000
export const LASTS_MS = 15_000
export const PARAMETERS = { windowHours: 24, kMin: 2, kMax: 12, onlyComplete: false, failureBy: 'status' }

/** The clock; it stands still unless a test moves it. */
export function manualClock() {
  const clock = { time: START, now: () => clock.time }
  return clock
}

export const jobId = (number: number): JobId => idAt('job', 1000, number)
export const selectionId = (number: number): SelectionId => idAt('sel', 1000, number)
export const clusterId = (number: number): ClusterId => idAt('clu', 1000, number)
export const traceId = (number: number): TraceId => idAt('tr', 1000 + number, number)

export function aJob(number: number, fields: Partial<DiscoveryJob> = {}): DiscoveryJob {
  return {
    id: jobId(number),
    setId: PROJECT,
    parameters: PARAMETERS,
    lane: 'short',
    status: 'queued',
    attempts: 0,
    epoch: 0,
    createdAt: number,
    startedAt: null,
    finishedAt: null,
    error: null,
    result: null,
    ...fields,
  }
}

/** A run of `traces` traces, which alternate between the clusters. */
export function newRun(number: number, fields: Partial<NewRun> & { readonly traceCount?: number } = {}): NewRun {
  const { traceCount = 6, ...rest } = fields
  const traceIds = Array.from({ length: traceCount }, (_, index) => traceId(index))
  const clusters = rest.clusters ?? [newCluster(1), newCluster(2)]
  return {
    id: jobId(number),
    epoch: 1,
    setId: PROJECT,
    parameters: PARAMETERS,
    computedAt: 5000 + number,
    durationMs: 7,
    traces: traceCount,
    created: 1,
    shifted: 0,
    ended: 0,
    embedderVersion: 'test.1',
    quality: { cohesion: 0.5, silhouette: 0.25 },
    clusters,
    centroids: { rows: clusters.length, columns: 2, values: Float32Array.from(clusters.flatMap((_, k) => [k, 1 - k])) },
    reaches: Float32Array.from(clusters, (_, k) => k / 2),
    traceIds,
    assignments: Int32Array.from(traceIds, (_, index) => index % clusters.length),
    map: {
      directions: { rows: 2, columns: 2, values: Float32Array.of(1, 0, 0, 1) },
      centre: Float32Array.of(0.5, 0.5),
      scale: 2,
      positions: Float32Array.from({ length: 2 * traceCount }, (_, index) => index / (2 * traceCount)),
    },
    refusedGain: 0.125,
    news: [{ kind: 'created', cluster: withoutParts(clusters[0]!) }],
    basis: null,
    ...rest,
  }
}

export function newCluster(number: number, fields: Partial<NewCluster> = {}): NewCluster {
  return {
    id: clusterId(number),
    label: `cluster ${number}`,
    description: 'what it is',
    keywords: ['one', 'two'],
    color: 'ok',
    judged: 4,
    errorRate: 0.25,
    size: 3,
    parent: `topic ${number}`,
    firstSeenAt: 4000,
    cohesion: 0.75,
    isMixed: number % 2 === 0,
    representatives: [{ traceId: traceId(number), similarity: 0.5 }],
    namedBy: null,
    ...fields,
  }
}

export function withoutParts(cluster: NewCluster): Cluster {
  const { cohesion: _1, isMixed: _2, representatives: _3, namedBy: _4, ...rest } = cluster
  return rest
}

/** Runs the job of a run from start to end. No other job may be queued. */
export async function putRun({ jobs, memory }: Pick<ClusterStores, 'jobs' | 'memory'>, run: NewRun): Promise<void> {
  const { id, setId } = run
  await jobs.add(aJob(0, { id, setId }))
  const job = await jobs.take('short', 'a', LASTS_MS)
  assert.equal(job?.id, id)
  assert.equal(await memory.applyRun({ ...run, epoch: job.epoch }), true)
  assert.equal(await jobs.finish({ ...job, status: 'succeeded', finishedAt: START }), true)
}

/** Stored rows of a trace, by its number. */
export function features(
  number: number,
  fields: { readonly version?: number; readonly text?: string | null; readonly inputPath?: string | null } = {},
) {
  const { version = 1, text = null, inputPath = null } = fields
  return {
    traceId: traceId(number),
    version,
    inputPath,
    template: 0,
    features: Uint8Array.of(number),
    excerpt: `"${number}"`,
    text,
  }
}
