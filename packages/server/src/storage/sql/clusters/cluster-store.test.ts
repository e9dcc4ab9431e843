import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProjectId } from '@spoor/contract/ids'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { RUNS_KEPT } from '../../../ports/clusters/cluster-store.ts'
import type { DiscoveryJob } from '../../../ports/clusters/discovery-job.ts'
import { JOBS_KEPT } from '../../../ports/clusters/discovery-job-store.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { OTHER_PROJECT, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import { openDiscoveryMemory } from './open-cluster-store.ts'
import {
  clusterId,
  jobId,
  newCluster,
  newRun,
  temporaryClusters,
  traceId,
  withoutParts,
} from './cluster-store.test-support.ts'

const PARAMETERS = { windowHours: 24, kMin: 2, kMax: 12 }

function job(number: number, fields: Partial<DiscoveryJob> = {}): DiscoveryJob {
  return {
    id: jobId(number),
    projectId: PROJECT,
    parameters: PARAMETERS,
    status: 'queued',
    attempts: 0,
    createdAt: number,
    startedAt: null,
    finishedAt: null,
    error: null,
    result: null,
    ...fields,
  }
}

test('a project has one job that waits or runs, and the longest waiting of all is the next', async (context) => {
  const { jobs } = temporaryClusters(context).store
  assert.equal(jobs.nextQueued(), undefined)
  const [first, other] = [job(1), job(3, { projectId: OTHER_PROJECT })]
  assert.deepEqual(await jobs.add(first), first)
  assert.deepEqual(await jobs.add(job(2)), first)
  assert.deepEqual(await jobs.add(other), other)
  assert.deepEqual(jobs.nextQueued(), first)
  const running = { ...first, status: 'running', attempts: 1, startedAt: 5 } as const
  assert.equal(await jobs.replace('queued', running), true)
  assert.equal(await jobs.replace('queued', running), false)
  assert.deepEqual(jobs.nextQueued(), other)
  assert.deepEqual(jobs.running(), [running])
  assert.deepEqual(await jobs.add(job(4)), running)
  const result = { reason: null, traces: 30, clusters: 2, created: 2, shifted: 0, ended: 0, quality: null }
  const done = { ...running, status: 'succeeded', finishedAt: 9, result } as const
  assert.equal(await jobs.replace('running', done), true)
  assert.deepEqual(jobs.find(PROJECT, first.id), done)
  assert.equal(jobs.find(OTHER_PROJECT, first.id), undefined)
  assert.deepEqual(await jobs.add(job(5)), job(5))
})

test('of the finished jobs of a project only the newest are kept', async (context) => {
  const { jobs } = temporaryClusters(context).store
  const other = job(1, { projectId: OTHER_PROJECT })
  await jobs.add(other)
  for (let number = 2; number < JOBS_KEPT + 4; number++) {
    await jobs.add(job(number))
    await jobs.replace('queued', job(number, { status: 'failed', error: 'no' }))
  }
  const kept = Array.from({ length: JOBS_KEPT + 4 }, (_, number) => jobs.find(PROJECT, jobId(number)) !== undefined)
  assert.equal(kept.filter(Boolean).length, JOBS_KEPT)
  assert.equal(kept.indexOf(true), 4)
  const numbersFrom = (newest: number, count: number) => Array.from({ length: count }, (_, n) => jobId(newest - n))
  const listed = (before: number | null, limit: number) =>
    jobs.list(PROJECT, before === null ? null : jobId(before), limit).map(({ id }) => id)
  assert.deepEqual(listed(null, 3), numbersFrom(JOBS_KEPT + 3, 3))
  assert.deepEqual(listed(7, 10), numbersFrom(6, 3))
  assert.deepEqual(jobs.list(OTHER_PROJECT, null, 3), [other])
  assert.deepEqual(jobs.find(OTHER_PROJECT, other.id), other)
})

test('a write that meets another thread’s gives way, and is done when that is', async (context) => {
  const { dataDir, store, pauses } = temporaryClusters(context)
  const other = new DatabaseSync(join(dataDir, 'clusters.db'))
  other.exec('BEGIN IMMEDIATE')
  const added = store.jobs.add(job(1))
  const later = store.jobs.add(job(2, { projectId: OTHER_PROJECT }))
  for (let turn = 0; turn < 5; turn++) await new Promise((go) => setImmediate(go))
  assert.equal(store.jobs.nextQueued(), undefined)
  assert.ok(pauses.length > 0)
  other.exec('COMMIT')
  other.close()
  assert.deepEqual([(await added).id, (await later).id], [jobId(1), jobId(2)])
})

test('a run is read as it was written', (context) => {
  const { store, memory } = temporaryClusters(context)
  const { clusters } = store
  assert.equal(clusters.currentRun(PROJECT), undefined)
  const run = newRun(1, { basis: { fit: 3, basis: Uint8Array.of(1, 2) } })
  memory.applyRun(run)
  const placed = clusters.currentRun(PROJECT)!
  const { id, parameters, computedAt, durationMs, quality, embedderVersion } = run
  const { place: _place, ...about } = placed
  assert.deepEqual(about, {
    id,
    projectId: PROJECT,
    parameters,
    computedAt,
    durationMs,
    traces: 6,
    created: 1,
    shifted: 0,
    ended: 0,
    embedderVersion,
    quality,
    assignedThrough: traceId(5),
  })
  assert.deepEqual(clusters.findRun(run.id), placed)
  assert.equal(clusters.findRun(jobId(2)), undefined)
  assert.equal(clusters.currentRun(OTHER_PROJECT), undefined)
  assert.deepEqual(clusters.projectsWithRuns(), [PROJECT])
  assert.deepEqual(clusters.clusters(placed), run.clusters.map(withoutParts))
  assert.deepEqual(clusters.find(placed, clusterId(2)), {
    cluster: withoutParts(run.clusters[1]!),
    representatives: run.clusters[1]!.representatives,
    centroid: Float32Array.of(1, 0),
  })
  assert.equal(clusters.find(placed, clusterId(9)), undefined)
  assert.deepEqual(clusters.untold(9), [{ run: placed, news: run.news }])
  assert.deepEqual(memory.basis(PROJECT), { fit: 3, basis: Uint8Array.of(1, 2) })
  assert.deepEqual(memory.lastRun(PROJECT), {
    place: placed.place,
    firstSeenAt: [4000, 4000],
    names: run.clusters.map(({ label, description, namedBy, keywords }) => ({ label, description, namedBy, keywords })),
    previous: {
      embedderVersion,
      clusters: run.clusters.map(({ id: cluster, size, cohesion }) => ({ id: cluster, size, cohesion })),
      centroids: run.centroids,
      traceIds: run.traceIds,
      assignments: run.assignments,
      refusedGain: 0.125,
      choice: run.choice,
      map: run.map,
    },
  })
  const { place } = placed
  assert.deepEqual(memory.centroids(PROJECT), {
    place,
    id,
    embedderVersion,
    centroids: run.centroids,
    reaches: run.reaches,
  })
  assert.throws(() => memory.applyRun(run))
  assert.deepEqual(clusters.currentRun(PROJECT), placed)
})

test('what is told is noted', async (context) => {
  const { store, memory } = temporaryClusters(context)
  for (const number of [1, 2, 3]) memory.applyRun(newRun(number, number === 2 ? { news: [] } : {}))
  const ids = () => store.clusters.untold(9).map(({ run }) => run.id)
  assert.deepEqual(ids(), [jobId(1), jobId(3)])
  await store.clusters.markTold(jobId(1))
  assert.deepEqual(ids(), [jobId(3)])
})

test('members are found by cluster in the order of ids, and by trace', (context) => {
  const { store, memory } = temporaryClusters(context)
  memory.applyRun(newRun(1))
  const { clusters } = store
  const place = clusters.place(PROJECT, clusterId(1))!
  assert.deepEqual([place.lowestId, place.highestId], [traceId(0), traceId(4)])
  const [zero, two, four] = [traceId(0), traceId(2), traceId(4)]
  assert.deepEqual(clusters.members(place, null, 'asc', 9), [zero, two, four])
  assert.deepEqual(clusters.members(place, zero, 'asc', 1), [two])
  assert.deepEqual(clusters.members(place, null, 'desc', 2), [four, two])
  assert.deepEqual(clusters.members(place, two, 'desc', 9), [zero])
  assert.deepEqual(clusters.membersAmong(place, [traceId(1), two, traceId(9)]), new Set([two]))
  assert.equal(clusters.place(OTHER_PROJECT, clusterId(1)), null)
  assert.equal(clusters.place(PROJECT, clusterId(9)), null)
  const run = clusters.currentRun(PROJECT)!
  assert.deepEqual(
    clusters.countAmong(run, [zero, two, traceId(1), traceId(9)]),
    new Map([
      [clusterId(1), 2],
      [clusterId(2), 1],
    ]),
  )
})

test('the map gives a sample that is a part of every larger one, with the places', (context) => {
  const { store, memory } = temporaryClusters(context)
  const run = newRun(1, { traceCount: 50 })
  memory.applyRun(run)
  const placed = store.clusters.currentRun(PROJECT)!
  const all = store.clusters.map(placed, 100)
  assert.deepEqual(store.clusters.map(placed, 7), all.slice(0, 7))
  assert.deepEqual(all.map((point) => point.traceId).toSorted(), run.traceIds)
  for (const { traceId: id, x, y, clusterId: cluster } of all) {
    const index = run.traceIds.indexOf(id)
    assert.deepEqual([x, y], [...run.map.positions.subarray(2 * index, 2 * index + 2)])
    assert.equal(cluster, clusterId(1 + (index % 2)))
  }
})

test('traces that come later are members without a place, once; of another run none', (context) => {
  const { store, memory } = temporaryClusters(context)
  memory.applyRun(newRun(1))
  const { place } = store.clusters.currentRun(PROJECT)!
  const members = [
    { traceId: traceId(10), cluster: 1 },
    { traceId: traceId(2), cluster: 1 },
  ]
  for (let times = 0; times < 2; times++) memory.addMembers(PROJECT, place, members, traceId(12))
  const run = store.clusters.currentRun(PROJECT)!
  assert.equal(run.assignedThrough, traceId(12))
  assert.deepEqual(
    store.clusters.clusters(run).map(({ id, size }) => [id, size]),
    [
      [clusterId(2), 4],
      [clusterId(1), 3],
    ],
  )
  assert.equal(store.clusters.map(run, 100).length, 6)
  assert.equal(memory.lastRun(PROJECT)?.previous.traceIds.length, 6)
  memory.applyRun(newRun(2))
  memory.addMembers(PROJECT, place, [{ traceId: traceId(20), cluster: 0 }], traceId(20))
  assert.equal(store.clusters.currentRun(PROJECT)?.assignedThrough, traceId(5))
})

test('a forgotten trace is nowhere any more', async (context) => {
  const { store, memory } = temporaryClusters(context)
  memory.applyRun(newRun(1))
  const features = [0, 1].map((number) => ({
    traceId: traceId(number),
    version: 1,
    features: Uint8Array.of(number),
    excerpt: '{}',
    text: null,
  }))
  memory.putFeatures(PROJECT, 'e', features)
  const kept = () => store.clusters.keptTraces(null, 9)
  assert.deepEqual(kept(), [
    { projectId: PROJECT, traceId: traceId(0) },
    { projectId: PROJECT, traceId: traceId(1) },
  ])
  assert.deepEqual(store.clusters.keptTraces(kept()[0]!, 9), [{ projectId: PROJECT, traceId: traceId(1) }])
  for (let times = 0; times < 2; times++) await store.clusters.forget(PROJECT, [traceId(0), traceId(40)])
  assert.deepEqual(kept(), [{ projectId: PROJECT, traceId: traceId(1) }])
  const run = store.clusters.currentRun(PROJECT)!
  assert.deepEqual(
    store.clusters.clusters(run).map(({ size }) => size),
    [3, 2],
  )
  assert.deepEqual(store.clusters.members(store.clusters.place(PROJECT, clusterId(1))!, null, 'asc', 9), [
    traceId(2),
    traceId(4),
  ])
})

test('features are known by embedder and version', (context) => {
  const { memory } = temporaryClusters(context)
  const traces = [1, 2, 3].map((number) => ({ id: traceId(number), version: 5 }))
  const put = (embedder: string, number: number, version: number) =>
    memory.putFeatures(PROJECT, embedder, [
      { traceId: traceId(number), version, features: Uint8Array.of(number), excerpt: `"${number}"`, text: null },
    ])
  const lacking = (projectId: ProjectId, withText: boolean) =>
    memory.withoutFeatures(projectId, traces, 'new', { withText })
  put('new', 1, 5)
  put('new', 2, 4)
  put('old', 3, 5)
  assert.deepEqual(lacking(PROJECT, false), [traceId(2), traceId(3)])
  assert.deepEqual(lacking(OTHER_PROJECT, false).length, 3)
  put('new', 2, 6)
  assert.deepEqual(lacking(PROJECT, false), [traceId(3)])
  const ids = traces.map(({ id }) => id)
  assert.deepEqual(memory.features(PROJECT, 'new', ids), [Uint8Array.of(1), Uint8Array.of(2), undefined])
  assert.deepEqual(memory.excerpts(PROJECT, [...ids, traceId(9)]), ['"1"', '"2"', '"3"', undefined])
})

test('tidying leaves the newest run its members, and the newest runs their figures', (context) => {
  const { store, memory } = temporaryClusters(context)
  for (let number = 0; number < RUNS_KEPT + 2; number++) memory.applyRun(newRun(number, { traceCount: 100 }))
  let rounds = 0
  while (memory.tidy(PROJECT)) rounds++
  assert.ok(rounds >= 2, `${rounds} rounds`)
  const runs = store.clusters.runs(PROJECT, null, 1000)
  assert.deepEqual([runs.length, runs[0]?.id, runs.at(-1)?.id], [RUNS_KEPT, jobId(RUNS_KEPT + 1), jobId(2)])
  assert.deepEqual(runs[1]?.clusters[0], { id: clusterId(1), label: 'cluster 1', size: 3 })
  assert.equal(store.clusters.map(runs[0]!, 1000).length, 100)
  assert.equal(store.clusters.map(runs[1]!, 1000).length, 0)
  const [second, third] = store.clusters.runs(PROJECT, runs[0]!.place, 2)
  assert.deepEqual([second?.id, third?.id], [runs[1]?.id, runs[2]?.id])
})

test('schedules are kept, and those that are due are found', async (context) => {
  const { schedules } = temporaryClusters(context).store
  assert.equal(schedules.find(PROJECT), undefined)
  const schedule = { enabled: true, everyHours: 6, parameters: PARAMETERS, nextRunAt: 100 }
  await schedules.put(PROJECT, schedule)
  await schedules.put(OTHER_PROJECT, { ...schedule, enabled: false, nextRunAt: null })
  assert.deepEqual(schedules.find(PROJECT), schedule)
  assert.deepEqual(schedules.due(99), [])
  assert.deepEqual(schedules.due(100), [{ projectId: PROJECT, schedule }])
  await schedules.put(PROJECT, { ...schedule, nextRunAt: 200 })
  assert.deepEqual(schedules.due(100), [])
})

const SOURCE = 'ab'.repeat(16)
const keyOf = (byte: string) => byte.repeat(32)

/** Traces with these texts, and vectors of all of them. */
function putVectors(memory: ReturnType<typeof temporaryClusters>['memory'], keys: readonly string[]) {
  const rows = keys.map((key, number) => ({
    traceId: traceId(number),
    version: 1,
    features: Uint8Array.of(1),
    excerpt: '{}',
    text: `text ${key}`,
  }))
  memory.putFeatures(PROJECT, 'e', rows)
  const vectors = [...new Set(keys)].map((key) => ({ key: keyOf(key), dimension: 3, bytes: Uint8Array.of(7, 8) }))
  const traces = keys.map((key, number) => ({ traceId: traceId(number), key: keyOf(key) }))
  memory.vectors.put(PROJECT, SOURCE, vectors, traces)
}

test('vectors are found by trace, by source, and by what they were made from', (context) => {
  const { memory } = temporaryClusters(context)
  const { vectors } = memory
  assert.equal(vectors.dimension(PROJECT, SOURCE), null)
  putVectors(memory, ['01', '02', '01'])
  const ids = [0, 1, 2, 9].map(traceId)
  assert.deepEqual(vectors.texts(PROJECT, ids), ['text 01', 'text 02', 'text 01', undefined])
  assert.deepEqual(vectors.lacking(PROJECT, SOURCE, ids), [])
  assert.deepEqual(vectors.lacking(PROJECT, 'cd'.repeat(16), ids), ids.slice(0, 3))
  assert.deepEqual(vectors.lacking(OTHER_PROJECT, SOURCE, ids), [])
  const bytes = Uint8Array.of(7, 8)
  assert.deepEqual(vectors.read(PROJECT, SOURCE, ids), [bytes, bytes, bytes, undefined])
  assert.deepEqual(vectors.read(PROJECT, 'cd'.repeat(16), ids), ids.map(() => undefined)) // prettier-ignore
  assert.deepEqual(vectors.known(PROJECT, [keyOf('01'), keyOf('03')]), new Set([keyOf('01')]))
  assert.deepEqual(vectors.known(OTHER_PROJECT, [keyOf('01')]), new Set())
  assert.deepEqual([vectors.dimension(PROJECT, SOURCE), vectors.dimension(OTHER_PROJECT, SOURCE)], [3, null])
  const changed = { traceId: traceId(0), version: 2, features: Uint8Array.of(1), excerpt: '{}' }
  memory.putFeatures(PROJECT, 'e', [{ ...changed, text: 'another' }])
  assert.deepEqual(vectors.lacking(PROJECT, SOURCE, ids), [traceId(0)])
  memory.putFeatures(PROJECT, 'e', [{ ...changed, text: null }])
  assert.deepEqual(vectors.lacking(PROJECT, SOURCE, ids), [])
  const versions = [0, 1].map((number) => ({ id: traceId(number), version: 1 }))
  assert.deepEqual(memory.withoutFeatures(PROJECT, versions, 'e', { withText: false }), [])
  assert.deepEqual(memory.withoutFeatures(PROJECT, versions, 'e', { withText: true }), [traceId(0)])
})

test('a vector goes with the last trace that has its text', async (context) => {
  const { store, memory } = temporaryClusters(context)
  putVectors(memory, ['01', '02', '01'])
  const known = () => [...memory.vectors.known(PROJECT, ['01', '02'].map(keyOf))]
  await store.clusters.forget(PROJECT, [traceId(0), traceId(1)])
  assert.deepEqual(known(), [keyOf('01')])
  while (memory.tidy(PROJECT));
  assert.deepEqual(known(), [keyOf('01')])
  memory.putFeatures(PROJECT, 'e', [
    { traceId: traceId(2), version: 2, features: Uint8Array.of(1), excerpt: '{}', text: 'another' },
  ])
  assert.equal(memory.tidy(PROJECT), false)
  assert.deepEqual(known(), [])
})

test('a file of the first version gets what is new, and keeps its clusters', (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'spoor-clusters-'))
  context.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const before = openDiscoveryMemory(dataDir, systemClock)
  before.applyRun(newRun(1))
  before.close()
  const old = new DatabaseSync(join(dataDir, 'clusters.db'))
  old.exec(`DROP TABLE vectors; DROP INDEX features_by_vector; ALTER TABLE features DROP COLUMN text; ALTER TABLE features DROP COLUMN vector_key;
    ALTER TABLE clusters DROP COLUMN named_by; DELETE FROM schema_versions WHERE version = 2`)
  old.close()
  const again = openDiscoveryMemory(dataDir, systemClock)
  assert.deepEqual(
    again.lastRun(PROJECT)?.names.map(({ label, namedBy }) => [label, namedBy]),
    [
      ['cluster 1', null],
      ['cluster 2', null],
    ],
  )
  putVectors(again, ['01'])
  again.close()
})

test('a new cluster of a run can be read back with any text', (context) => {
  const { store, memory } = temporaryClusters(context)
  const label = `'; DROP TABLE runs; --\u0000<script>`
  memory.applyRun(newRun(1, { clusters: [newCluster(1, { label, keywords: [label] })], traceCount: 3 }))
  const [cluster] = store.clusters.clusters(store.clusters.currentRun(PROJECT)!)
  assert.deepEqual([cluster?.label, cluster?.keywords], [label, [label]])
})
