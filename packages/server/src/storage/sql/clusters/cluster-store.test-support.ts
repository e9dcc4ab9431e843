import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ClusterId, JobId, TraceId } from '@spoor/contract/ids'
import type { NewCluster, NewRun } from '../../../ports/clusters/discovery-memory.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { idAt, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import { openClusterStore, openDiscoveryMemory } from './open-cluster-store.ts'

/** For tests: the two ends of a store in a folder of its own, closed and removed at the end. */
export function temporaryClusters(context: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'spoor-clusters-'))
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
    await new Promise((go) => setImmediate(go))
  }
  const store = openClusterStore({ dataDir, clock: systemClock, pause })
  const memory = openDiscoveryMemory(dataDir, systemClock)
  context.after(() => {
    memory.close()
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { dataDir, store, memory, pauses }
}

export const jobId = (number: number): JobId => idAt('job', 1000, number)
export const clusterId = (number: number): ClusterId => idAt('clu', 1000, number)
export const traceId = (number: number): TraceId => idAt('tr', 1000 + number, number)

/** A run of `traces` traces that are in the clusters by turns. */
export function newRun(number: number, fields: Partial<NewRun> & { readonly traceCount?: number } = {}): NewRun {
  const { traceCount = 6, ...rest } = fields
  const traceIds = Array.from({ length: traceCount }, (_, index) => traceId(index))
  const clusters = rest.clusters ?? [newCluster(1), newCluster(2)]
  return {
    id: jobId(number),
    projectId: PROJECT,
    parameters: { windowHours: 24, kMin: 2, kMax: 12 },
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
    choice: { kMin: 2, kMax: 12, traceCount },
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
    errorRate: 0.25,
    size: 3,
    firstSeenAt: 4000,
    cohesion: 0.75,
    representatives: [{ traceId: traceId(number), similarity: 0.5 }],
    namedBy: null,
    ...fields,
  }
}

export function withoutParts({
  cohesion: _cohesion,
  representatives: _representatives,
  namedBy: _namedBy,
  ...cluster
}: NewCluster) {
  return cluster
}
