import { CLUSTER_RUNS_KEPT } from '@spoor/contract/limits'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from './cluster-set.ts'
import { OTHER_PROJECT, PROJECT } from '../../traces/trace-builders.test-support.ts'
import {
  aJob,
  clusterId,
  features,
  jobId,
  LASTS_MS,
  manualClock,
  newRun,
  type OpenClusterStores,
  putRun,
  traceId,
} from './cluster-builders.test-support.ts'
import { EARLIER_RUNS, EARLIER_TRACES } from './discovery-memory.ts'

/** The contract of every memory of discoveries. */
export function testDiscoveryMemory(open: OpenClusterStores): void {
  test('a run is read back as it was written', async (context) => {
    const stores = await open(manualClock(), context)
    const { memory } = stores
    assert.equal(await memory.lastRun(PROJECT), undefined)
    assert.equal(await memory.centroids(PROJECT), undefined)
    assert.equal(await memory.basis(PROJECT), undefined)
    const run = newRun(1, { basis: { fit: 3, basis: Uint8Array.of(1, 2) } })
    await putRun(stores, run)
    const { place } = (await stores.clusters.currentRun(PROJECT))!
    const { id, embedderVersion, centroids, reaches } = run
    assert.deepEqual(await memory.basis(PROJECT), { fit: 3, basis: Uint8Array.of(1, 2) })
    const { earlier, ...last } = (await memory.lastRun(PROJECT))!
    assert.deepEqual(earlier.toSorted(), run.traceIds.toSorted())
    assert.deepEqual(last, {
      place,
      firstSeenAt: [4000, 4000],
      names: run.clusters.map(({ label, description, parent, namedBy, keywords }) => ({
        label,
        description,
        parent,
        namedBy,
        keywords,
      })),
      previous: {
        embedderVersion,
        clusters: run.clusters.map(({ id: cluster, size, cohesion }) => ({ id: cluster, size, cohesion })),
        centroids,
        traceIds: run.traceIds,
        assignments: run.assignments,
        refusedGain: 0.125,
        kMin: run.parameters.kMin,
        kMax: run.parameters.kMax,
        map: run.map,
      },
    })
    assert.deepEqual(await memory.centroids(PROJECT), { place, id, embedderVersion, centroids, reaches })
    await putRun(stores, newRun(2, { basis: { fit: 4, basis: Uint8Array.of(3) } }))
    await putRun(stores, newRun(3))
    assert.deepEqual(await memory.basis(PROJECT), { fit: 4, basis: Uint8Array.of(3) })
    assert.equal((await memory.centroids(PROJECT))?.id, jobId(3))
    assert.equal(await memory.basis(OTHER_PROJECT), undefined)
  })

  test('a run is remembered with some traces of an earlier one', async (context) => {
    const stores = await open(manualClock(), context)
    const traceIds = (from: number, count: number) => Array.from({ length: count }, (_, at) => traceId(from + at))
    const put = (number: number, ids: readonly TraceId[]) =>
      putRun(stores, newRun(number, { traceIds: ids, traceCount: ids.length, assignments: new Int32Array(ids.length) }))
    const earlier = async () => (await stores.memory.lastRun(PROJECT))!.earlier
    await put(1, traceIds(0, EARLIER_TRACES + 20))
    const of = new Set(traceIds(0, EARLIER_TRACES + 20))
    assert.equal(new Set((await earlier()).filter((id) => of.has(id))).size, EARLIER_TRACES)
    for (let number = 2; number <= EARLIER_RUNS; number++) await put(number, traceIds(1000 * number, 3))
    assert.equal((await earlier()).length, EARLIER_TRACES)
    await put(EARLIER_RUNS + 1, traceIds(10, 3))
    assert.deepEqual((await earlier()).toSorted(), traceIds(2000, 3).toSorted())
  })

  test('a run is only written while its job runs under its epoch', async (context) => {
    const clock = manualClock()
    const { jobs, clusters, memory } = await open(clock, context)
    await jobs.add(aJob(1))
    const former = (await jobs.take('short', 'a', LASTS_MS))!
    clock.time += LASTS_MS
    await jobs.takeBack('short', 'b', LASTS_MS, (job) => ({ ...job, status: 'queued' }))
    const isRefused = async (epoch: number) => {
      assert.equal(await memory.applyRun(newRun(1, { epoch })), false)
      assert.equal(await clusters.findRun(jobId(1)), undefined)
    }
    await isRefused(former.epoch)
    const next = (await jobs.take('short', 'b', LASTS_MS))!
    await isRefused(former.epoch)
    assert.equal(await memory.applyRun(newRun(1, { epoch: next.epoch })), true)
    await jobs.finish({ ...next, status: 'succeeded' })
    assert.equal(await memory.applyRun(newRun(1, { epoch: next.epoch })), false)
    assert.equal(await memory.applyRun(newRun(2)), false)
  })

  test('a second run of a job is an error and changes nothing', async (context) => {
    const { jobs, clusters, memory } = await open(manualClock(), context)
    await jobs.add(aJob(1))
    const { epoch } = (await jobs.take('short', 'a', LASTS_MS))!
    await memory.applyRun(newRun(1, { epoch }))
    const placed = await clusters.currentRun(PROJECT)
    await assert.rejects(memory.applyRun(newRun(1, { epoch, basis: { fit: 9, basis: Uint8Array.of(9) } })))
    assert.deepEqual(await clusters.currentRun(PROJECT), placed)
    assert.equal(await memory.basis(PROJECT), undefined)
  })

  test('later traces become members without a position, once, and only of the latest run', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory } = stores
    await putRun(stores, newRun(1))
    const { place } = (await clusters.currentRun(PROJECT))!
    const members = [
      { traceId: traceId(10), cluster: 1 },
      { traceId: traceId(2), cluster: 1 },
      { traceId: traceId(11), cluster: 0 },
    ]
    for (let times = 0; times < 2; times++) await memory.addMembers(PROJECT, place, members, traceId(12))
    await memory.addMembers(PROJECT, place, [], traceId(9))
    const run = (await clusters.currentRun(PROJECT))!
    assert.equal(run.assignedThrough, traceId(12))
    assert.deepEqual(
      (await clusters.clusters(run)).map(({ cluster: { id, size } }) => [id, size]),
      [
        [clusterId(1), 4],
        [clusterId(2), 4],
      ],
    )
    const found = (await clusters.place(PROJECT, clusterId(2)))!
    assert.deepEqual(await clusters.members(found, traceId(3), 'asc', 9), [traceId(5), traceId(10)])
    assert.equal((await clusters.map(run, 100)).length, 6)
    assert.equal((await memory.lastRun(PROJECT))?.previous.traceIds.length, 6)
    await putRun(stores, newRun(2))
    await memory.addMembers(PROJECT, place, [{ traceId: traceId(20), cluster: 0 }], traceId(20))
    assert.equal((await clusters.currentRun(PROJECT))?.assignedThrough, traceId(5))
    assert.equal((await clusters.findRun(jobId(1)))?.assignedThrough, traceId(12))
  })

  test('features are found by embedder and version', async (context) => {
    const { memory } = await open(manualClock(), context)
    const traces = [1, 2, 3].map((number) => ({ id: traceId(number), version: 5 }))
    const put = (embedder: string, number: number, version: number) =>
      memory.putFeatures(PROJECT, embedder, [features(number, { version })])
    const lacking = (setId: ClusterSetId, inputPath: string | null = null, template = 0) =>
      memory.withoutFeatures(setId, traces, 'new', { withText: false, inputPath, template })
    await put('new', 1, 5)
    await put('new', 2, 4)
    await put('old', 3, 5)
    assert.deepEqual(await lacking(PROJECT), [traceId(2), traceId(3)])
    assert.deepEqual((await lacking(OTHER_PROJECT)).length, 3)
    await put('new', 2, 6)
    assert.deepEqual(await lacking(PROJECT), [traceId(3)])
    await memory.putFeatures(PROJECT, 'new', [features(2, { version: 6, inputPath: '$.a' })])
    assert.deepEqual(await lacking(PROJECT), [traceId(2), traceId(3)])
    assert.deepEqual(await lacking(PROJECT, '$.a'), [traceId(1), traceId(3)])
    assert.equal((await lacking(PROJECT, '$.a', 1)).length, 3)
    const ids = traces.map(({ id }) => id)
    assert.deepEqual(await memory.features(PROJECT, 'new', ids), [Uint8Array.of(1), Uint8Array.of(2), undefined])
    assert.deepEqual(await memory.excerpts(PROJECT, [...ids, traceId(9)]), ['"1"', '"2"', '"3"', undefined])
    assert.deepEqual(await memory.features(PROJECT, 'new', []), [])
  })

  test('a template is stored for each project and replaced', async (context) => {
    const { memory } = await open(manualClock(), context)
    assert.equal(await memory.template(PROJECT), undefined)
    for (const runs of [[1, 2 ** 32 - 1], [], [7]]) {
      const template = { number: runs.length, runs: Uint32Array.from(runs) }
      await memory.putTemplate(PROJECT, template)
      assert.deepEqual(await memory.template(PROJECT), template)
    }
    assert.equal(await memory.template(OTHER_PROJECT), undefined)
  })

  test('a list of any length keeps its order', async (context) => {
    const { memory } = await open(manualClock(), context)
    const rows = Array.from({ length: 700 }, (_, number) => {
      const row = features(number % 256)
      return { ...row, traceId: traceId(number) }
    })
    await memory.putFeatures(PROJECT, 'e', rows)
    const asked = rows.toReversed()
    const found = await memory.features(
      PROJECT,
      'e',
      asked.map((row) => row.traceId),
    )
    assert.deepEqual(
      found,
      asked.map((row) => row.features),
    )
  })

  test('tidying keeps the members of the latest run, and the figures of the latest runs', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory } = stores
    for (let number = 0; number < CLUSTER_RUNS_KEPT + 2; number++)
      await putRun(stores, newRun(number, { traceCount: 100 }))
    await putRun(stores, newRun(1000, { setId: OTHER_PROJECT }))
    while (await memory.tidy(PROJECT));
    const runs = await clusters.runs(PROJECT, null, 1000)
    assert.deepEqual(
      [runs.length, runs[0]?.id, runs.at(-1)?.id],
      [CLUSTER_RUNS_KEPT, jobId(CLUSTER_RUNS_KEPT + 1), jobId(2)],
    )
    assert.deepEqual(runs[1]?.clusters[0], { id: clusterId(1), label: 'cluster 1', size: 3 })
    assert.equal((await clusters.map(runs[0]!, 1000)).length, 100)
    assert.equal((await clusters.map(runs[1]!, 1000)).length, 0)
    assert.equal((await memory.lastRun(OTHER_PROJECT))?.previous.traceIds.length, 6)
  })
}
