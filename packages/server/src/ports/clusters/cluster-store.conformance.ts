import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobId } from '@spoor/contract/ids'
import { OTHER_PROJECT, PROJECT } from '../../traces/trace-builders.test-support.ts'
import {
  aJob,
  clusterId,
  features,
  jobId,
  manualClock,
  newCluster,
  newRun,
  type OpenClusterStores,
  putRun,
  traceId,
  withoutParts,
} from './cluster-builders.test-support.ts'
import { clusterSetOf } from './cluster-set.ts'
import { NO_PLACE } from './discovery-memory.ts'

/** The contract of every store of clusters, for runs that DiscoveryMemory wrote. */
export function testClusterStore(open: OpenClusterStores): void {
  test('a run is read as it was written', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters } = stores
    assert.equal(await clusters.currentRun(PROJECT), undefined)
    const run = newRun(1)
    await putRun(stores, run)
    const placed = (await clusters.currentRun(PROJECT))!
    const { id, parameters, computedAt, durationMs, quality, embedderVersion } = run
    const { place: _place, ...about } = placed
    assert.deepEqual(about, {
      id,
      setId: PROJECT,
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
    assert.deepEqual(await clusters.findRun(run.id), placed)
    assert.equal(await clusters.findRun(jobId(2)), undefined)
    assert.equal(await clusters.currentRun(OTHER_PROJECT), undefined)
    assert.deepEqual(
      await clusters.clusters(placed),
      run.clusters.map((cluster) => ({
        cluster: withoutParts(cluster),
        cohesion: cluster.cohesion,
        isMixed: cluster.isMixed,
        representatives: cluster.representatives,
      })),
    )
    assert.deepEqual(await clusters.find(placed, clusterId(2)), {
      cluster: withoutParts(run.clusters[1]!),
      cohesion: run.clusters[1]!.cohesion,
      isMixed: run.clusters[1]!.isMixed,
      representatives: run.clusters[1]!.representatives,
      centroid: Float32Array.of(1, 0),
    })
    assert.equal(await clusters.find(placed, clusterId(9)), undefined)
  })

  test('a cluster can be read back with any text', async (context) => {
    const stores = await open(manualClock(), context)
    const label = `'; DROP TABLE runs; --<script>\u{1F600}`
    await putRun(stores, newRun(1, { clusters: [newCluster(1, { label, keywords: [label] })], traceCount: 3 }))
    const [found] = await stores.clusters.clusters((await stores.clusters.currentRun(PROJECT))!)
    assert.deepEqual([found?.cluster.label, found?.cluster.keywords], [label, [label]])
  })

  test('labels are given, replaced and removed in their project, and end with their cluster', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory } = stores
    await putRun(stores, newRun(1))
    await putRun(stores, newRun(2, { setId: OTHER_PROJECT }))
    assert.deepEqual(await clusters.labels(PROJECT), new Map())
    await clusters.putLabel(PROJECT, clusterId(1), 'first')
    await clusters.putLabel(PROJECT, clusterId(1), `it's "renamed" \u{1F600}`)
    await clusters.putLabel(PROJECT, clusterId(2), 'second')
    await clusters.putLabel(OTHER_PROJECT, clusterId(1), 'of others')
    await clusters.putLabel(OTHER_PROJECT, clusterId(2), null)
    const given = new Map([
      [clusterId(1), `it's "renamed" \u{1F600}`],
      [clusterId(2), 'second'],
    ])
    assert.deepEqual(await clusters.labels(PROJECT), given)
    await memory.tidy(PROJECT)
    assert.deepEqual(await clusters.labels(PROJECT), given)
    await putRun(stores, newRun(3, { clusters: [newCluster(2), newCluster(3)] }))
    await memory.tidy(PROJECT)
    assert.deepEqual(await clusters.labels(PROJECT), new Map([[clusterId(2), 'second']]))
    await clusters.putLabel(PROJECT, clusterId(2), null)
    assert.deepEqual(await clusters.labels(PROJECT), new Map())
    assert.deepEqual(await clusters.labels(OTHER_PROJECT), new Map([[clusterId(1), 'of others']]))
  })

  test('runs are listed newest first, with their clusters as found by the run', async (context) => {
    const stores = await open(manualClock(), context)
    for (const number of [1, 2, 3]) await putRun(stores, newRun(number))
    await putRun(stores, newRun(4, { setId: OTHER_PROJECT }))
    const { clusters } = stores
    const runs = await clusters.runs(PROJECT, null, 2)
    assert.deepEqual(
      runs.map(({ id }) => id),
      [jobId(3), jobId(2)],
    )
    await clusters.forget(PROJECT, [traceId(0)])
    const [oldest, ...none] = await clusters.runs(PROJECT, runs[1]!.place, 9)
    const found = [1, 2].map((number) => ({ id: clusterId(number), label: `cluster ${number}`, size: 3 }))
    assert.deepEqual([oldest?.id, oldest?.clusters, none], [jobId(1), found, []])
    assert.deepEqual((await clusters.runs(PROJECT, null, 1))[0]?.clusters, found)
  })

  test('runs with events are pending until they are marked, oldest first', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters } = stores
    for (const number of [1, 2, 3]) await putRun(stores, newRun(number, number === 2 ? { news: [] } : {}))
    const run = (await clusters.findRun(jobId(1)))!
    assert.deepEqual(await clusters.pending(1), [{ run, news: newRun(1).news }])
    const ids = async () => (await clusters.pending(9)).map((one) => one.run.id)
    assert.deepEqual(await ids(), [jobId(1), jobId(3)])
    for (let times = 0; times < 2; times++) await clusters.markEmitted(jobId(1))
    await clusters.markEmitted(jobId(9))
    assert.deepEqual(await ids(), [jobId(3)])
  })

  test('members are found by cluster in the order of ids, and by trace', async (context) => {
    const stores = await open(manualClock(), context)
    await putRun(stores, newRun(1))
    const { clusters } = stores
    const place = (await clusters.place(PROJECT, clusterId(1)))!
    assert.deepEqual([place.lowestId, place.highestId], [traceId(0), traceId(4)])
    const [zero, two, four] = [traceId(0), traceId(2), traceId(4)]
    assert.deepEqual(await clusters.members(place, null, 'asc', 9), [zero, two, four])
    assert.deepEqual(await clusters.members(place, zero, 'asc', 1), [two])
    assert.deepEqual(await clusters.members(place, null, 'desc', 2), [four, two])
    assert.deepEqual(await clusters.members(place, two, 'desc', 9), [zero])
    assert.deepEqual(await clusters.membersAmong(place, [traceId(1), two, traceId(9)]), new Set([two]))
    assert.deepEqual(await clusters.membersAmong(place, []), new Set())
    assert.equal(await clusters.place(OTHER_PROJECT, clusterId(1)), null)
    assert.equal(await clusters.place(PROJECT, clusterId(9)), null)
    assert.equal(await clusters.currentRun(clusterSetOf(PROJECT, 'failures')), undefined)
    const run = (await clusters.currentRun(PROJECT))!
    assert.deepEqual(
      await clusters.countAmong(run, [zero, two, traceId(1), traceId(9)]),
      new Map([
        [clusterId(1), 2],
        [clusterId(2), 1],
      ]),
    )
    assert.deepEqual(await clusters.countAmong(run, []), new Map())
    assert.deepEqual([await clusters.place(PROJECT, 'none'), await clusters.countUnassigned(run)], [null, 0])
    const late = [traceId(10), traceId(11)]
    const members = late.map((id) => ({ traceId: id, cluster: NO_PLACE }))
    await stores.memory.addMembers(PROJECT, run.place, members, traceId(11))
    assert.deepEqual(await clusters.members((await clusters.place(PROJECT, 'none'))!, null, 'asc', 9), late)
    assert.deepEqual(
      await clusters.countAmong(run, [zero, ...late]),
      new Map<string, number>([
        [clusterId(1), 1],
        ['none', 2],
      ]),
    )
    assert.equal(await clusters.countUnassigned(run), 2)
    assert.equal((await clusters.map(run, 100)).length, 6)
  })

  test('the map returns a sample that every larger one contains, with the positions', async (context) => {
    const stores = await open(manualClock(), context)
    const run = newRun(1, { traceCount: 50 })
    await putRun(stores, run)
    const placed = (await stores.clusters.currentRun(PROJECT))!
    const all = await stores.clusters.map(placed, 100)
    assert.deepEqual(await stores.clusters.map(placed, 7), all.slice(0, 7))
    assert.deepEqual(all.map((point) => point.traceId).toSorted(), run.traceIds)
    for (const { traceId: id, x, y, clusterId: cluster } of all) {
      const index = run.traceIds.indexOf(id)
      assert.deepEqual([x, y], [...run.map.positions.subarray(2 * index, 2 * index + 2)])
      assert.equal(cluster, clusterId(1 + (index % 2)))
    }
  })

  test('stored traces are walked by project and id', async (context) => {
    const { clusters, memory } = await open(manualClock(), context)
    const projects = [OTHER_PROJECT, PROJECT].toSorted()
    for (const setId of projects) await memory.putFeatures(setId, 'e', [features(1), features(0)])
    const all = projects.flatMap((setId) => [0, 1].map((number) => ({ setId, traceId: traceId(number) })))
    assert.deepEqual(await clusters.keptTraces(null, 9), all)
    for (const [index, kept] of all.entries()) {
      assert.deepEqual(await clusters.keptTraces(kept, 2), all.slice(index + 1, index + 3))
    }
  })

  test('a removed trace is gone everywhere, and nothing else is changed', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory } = stores
    await putRun(stores, newRun(1))
    await memory.putFeatures(PROJECT, 'e', [features(0), features(1)])
    await memory.putFeatures(OTHER_PROJECT, 'e', [features(0)])
    for (let times = 0; times < 2; times++) await clusters.forget(PROJECT, [traceId(0), traceId(40)])
    assert.deepEqual(
      (await clusters.keptTraces(null, 9)).filter(({ setId }) => setId === PROJECT),
      [{ setId: PROJECT, traceId: traceId(1) }],
    )
    assert.equal((await memory.features(OTHER_PROJECT, 'e', [traceId(0)]))[0]?.length, 1)
    const run = (await clusters.currentRun(PROJECT))!
    assert.deepEqual(
      (await clusters.clusters(run)).map(({ cluster: { id, size } }) => [id, size]),
      [
        [clusterId(2), 3],
        [clusterId(1), 2],
      ],
    )
    const place = (await clusters.place(PROJECT, clusterId(1)))!
    assert.deepEqual(await clusters.members(place, null, 'asc', 9), [traceId(2), traceId(4)])
    assert.equal((await clusters.map(run, 9)).length, 5)
    await clusters.forget(PROJECT, [traceId(2), traceId(4)])
    assert.equal(await clusters.place(PROJECT, clusterId(1)), null)
    assert.equal((await clusters.find(run, clusterId(1)))?.cluster.size, 0)
  })

  test('texts of all runs of a project are cleared, once no discovery of it may use them', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, jobs } = stores
    await putRun(stores, newRun(1))
    await clusters.markEmitted(jobId(1))
    await putRun(stores, newRun(2))
    await putRun(stores, newRun(3, { setId: OTHER_PROJECT }))
    await clusters.putLabel(PROJECT, clusterId(1), 'given')
    const labels = async (id: JobId) =>
      (await clusters.clusters((await clusters.findRun(id))!)).map(({ cluster }) => cluster.label).toSorted()
    const named = ['cluster 1', 'cluster 2']
    assert.equal(await clusters.forgetTexts(PROJECT), false, 'events are not journaled')
    await clusters.markEmitted(jobId(2))
    await jobs.add(aJob(4, { setId: PROJECT }))
    const job = (await jobs.take('short', 'a', 1000))!
    assert.equal(await clusters.forgetTexts(PROJECT), false, 'a discovery runs')
    assert.deepEqual(await labels(jobId(2)), named)
    await jobs.finish({ ...job, status: 'failed', finishedAt: 1 })
    assert.equal(await clusters.forgetTexts(PROJECT), true)
    for (const number of [1, 2]) {
      const found = await clusters.clusters((await clusters.findRun(jobId(number)))!)
      const texts = found.map(({ cluster }) => [cluster.label, cluster.description, cluster.keywords, cluster.parent])
      assert.deepEqual(texts, [
        ['Unnamed', '', [], null],
        ['Unnamed', '', [], null],
      ])
    }
    assert.deepEqual(await labels(jobId(3)), named)
    assert.equal((await clusters.labels(PROJECT)).get(clusterId(1)), 'given')
  })
}
