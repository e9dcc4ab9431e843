import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROJECT } from '../../traces/trace-builders.test-support.ts'
import {
  aJob,
  clusterId,
  features,
  jobId,
  manualClock,
  newCluster,
  newRun,
  type OpenClusterStores,
  PARAMETERS,
  putRun,
  START,
  traceId,
} from './cluster-builders.test-support.ts'
import { type ClusterSetId, clusterSetOf } from './cluster-set.ts'
import { NO_PLACE } from './discovery-memory.ts'

const FAILURES = clusterSetOf(PROJECT, 'failures')
const SETS = [PROJECT, FAILURES]

/** The contract for both kinds of clusters of one project, which share nothing but the deletion of a trace. */
export function testClusterSets(open: OpenClusterStores): void {
  test('both kinds of a project have runs, members, labels and features of their own', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory } = stores
    await putRun(stores, newRun(1))
    await putRun(stores, newRun(2, { setId: FAILURES, clusters: [newCluster(3)], traceCount: 3 }))
    assert.deepEqual(await Promise.all(SETS.map(async (setId) => (await clusters.currentRun(setId))?.id)), [
      jobId(1),
      jobId(2),
    ])
    assert.equal((await clusters.findRun(jobId(2)))?.setId, FAILURES)
    for (const [index, setId] of SETS.entries()) {
      assert.equal((await clusters.runs(setId, null, 9)).length, 1)
      await clusters.putLabel(setId, clusterId(1 + 2 * index), `label ${index}`)
      await memory.putFeatures(setId, 'e', [{ ...features(0), features: Uint8Array.of(index) }])
    }
    assert.deepEqual(await Promise.all(SETS.map((setId) => clusters.labels(setId))), [
      new Map([[clusterId(1), 'label 0']]),
      new Map([[clusterId(3), 'label 1']]),
    ])
    for (const [index, setId] of SETS.entries()) {
      assert.deepEqual(await memory.features(setId, 'e', [traceId(0)]), [Uint8Array.of(index)])
    }
    await memory.putFeatures(FAILURES, 'e', [{ ...features(0, { version: 2 }), features: Uint8Array.of(7) }])
    assert.deepEqual(await memory.features(PROJECT, 'e', [traceId(0)]), [Uint8Array.of(0)])
    assert.deepEqual(
      await clusters.keptTraces(null, 9),
      SETS.map((setId) => ({ setId, traceId: traceId(0) })),
    )
    assert.deepEqual(await clusters.keptTraces({ setId: PROJECT, traceId: traceId(0) }, 9), [
      { setId: FAILURES, traceId: traceId(0) },
    ])
  })

  test('traces that fit no cluster are those of requests', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory } = stores
    const fit = async (setId: ClusterSetId, at: number) => {
      const { place } = (await clusters.currentRun(setId))!
      await memory.addMembers(setId, place, [{ traceId: traceId(at), cluster: NO_PLACE }], traceId(at))
    }
    await putRun(stores, newRun(1, { setId: FAILURES }))
    await fit(FAILURES, 10)
    assert.equal(await clusters.place(PROJECT, 'none'), null)
    await putRun(stores, newRun(2))
    await fit(PROJECT, 11)
    assert.deepEqual(await clusters.members((await clusters.place(PROJECT, 'none'))!, null, 'asc', 9), [traceId(11)])
  })

  test('a removed trace is gone from both kinds, and texts of both are cleared', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory, jobs } = stores
    for (const [index, setId] of SETS.entries()) {
      await putRun(stores, newRun(1 + index, { setId }))
      await memory.putFeatures(setId, 'e', [features(0), features(1)])
      await clusters.markEmitted(jobId(1 + index))
    }
    await clusters.forget(PROJECT, [traceId(0)])
    assert.deepEqual(
      await clusters.keptTraces(null, 9),
      SETS.map((setId) => ({ setId, traceId: traceId(1) })),
    )
    for (const setId of SETS) {
      const found = await clusters.clusters((await clusters.currentRun(setId))!)
      assert.deepEqual(found.map(({ cluster }) => cluster.size).toSorted(), [2, 3])
      assert.equal((await clusters.map((await clusters.currentRun(setId))!, 9)).length, 5)
    }
    await jobs.add(aJob(3, { setId: FAILURES }))
    const job = (await jobs.take('short', 'a', 1000))!
    assert.equal(await clusters.forgetTexts(PROJECT), false, 'a discovery of failures runs')
    await jobs.finish({ ...job, status: 'failed', finishedAt: START })
    assert.equal(await clusters.forgetTexts(PROJECT), true)
    for (const setId of SETS) {
      const found = await clusters.clusters((await clusters.currentRun(setId))!)
      assert.deepEqual(
        found.map(({ cluster }) => cluster.label),
        ['Unnamed', 'Unnamed'],
      )
    }
  })

  test('both kinds have a queued job and a schedule of their own', async (context) => {
    const { jobs, schedules } = await open(manualClock(), context)
    for (const [index, setId] of SETS.entries()) {
      assert.equal((await jobs.add(aJob(1 + index, { setId }))).id, jobId(1 + index))
      await schedules.put(setId, { enabled: true, everyHours: 1 + index, parameters: PARAMETERS, nextRunAt: START })
    }
    for (const [index, setId] of SETS.entries()) {
      assert.equal((await jobs.add(aJob(9, { setId }))).id, jobId(1 + index))
      assert.deepEqual(
        (await jobs.list(setId, null, 9)).map(({ id }) => id),
        [jobId(1 + index)],
      )
      assert.equal((await schedules.find(setId))?.everyHours, 1 + index)
    }
    assert.equal(await jobs.find(PROJECT, jobId(2)), undefined)
    assert.deepEqual(new Set((await schedules.due(START)).map(({ setId }) => setId)), new Set(SETS))
  })
}
