import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  PARAMETERS,
  putRun,
  selectionId,
  START,
  traceId,
} from './cluster-builders.test-support.ts'
import { CLUSTER_SELECTIONS_MAX } from '@spoor/contract/limits'
import { type ClusterSetId, clusterSetOf } from './cluster-set.ts'
import { NO_PLACE } from './discovery-memory.ts'

const FAILURES = clusterSetOf(PROJECT, 'failures')
const SETS = [PROJECT, FAILURES]

/**
 * The contract for both kinds of clusters of one project, which share nothing but the deletion of a trace, and for
 * selections.
 */
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

  test('a selection has runs and jobs of its own, and the features of all traces', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory, jobs } = stores
    const selection = { id: selectionId(1), filters: '{"status":"error"}', createdAt: START }
    assert.equal(await clusters.addSelection(PROJECT, selection), true)
    assert.deepEqual(await clusters.selections(PROJECT), [selection])
    assert.deepEqual(await clusters.selections(OTHER_PROJECT), [])
    const selected = clusterSetOf(PROJECT, 'requests', selection.id)
    await putRun(stores, newRun(1))
    await putRun(stores, newRun(2, { setId: selected, clusters: [newCluster(3), newCluster(4)] }))
    await clusters.markEmitted(jobId(1))
    await clusters.markEmitted(jobId(2))
    assert.equal((await clusters.currentRun(selected))?.id, jobId(2))
    assert.equal((await clusters.currentRun(PROJECT))?.id, jobId(1))
    assert.equal((await clusters.currentRun(clusterSetOf(PROJECT, 'failures', selection.id)))?.id, undefined)
    await memory.putFeatures(selected, 'e', [features(0)])
    await memory.putTemplate(selected, { number: 3, runs: Uint32Array.of(7) })
    for (const setId of [PROJECT, selected]) {
      assert.deepEqual(await memory.features(setId, 'e', [traceId(0)]), [features(0).features])
      assert.equal((await memory.template(setId))?.number, 3)
      const known = { withText: false, inputPath: null, template: features(0).template }
      assert.deepEqual(await memory.withoutFeatures(setId, [{ id: traceId(0), version: 1 }], 'e', known), [])
    }
    assert.equal((await clusters.place(PROJECT, clusterId(3)))?.run, (await clusters.currentRun(selected))?.place)
    assert.equal(await clusters.place(OTHER_PROJECT, clusterId(3)), null)

    await clusters.forget(PROJECT, [traceId(0)])
    for (const setId of [PROJECT, selected]) {
      const found = await clusters.clusters((await clusters.currentRun(setId))!)
      assert.deepEqual(found.map(({ cluster }) => cluster.size).toSorted(), [2, 3])
    }
    assert.equal(await clusters.forgetTexts(PROJECT), true)
    const cleared = await clusters.clusters((await clusters.currentRun(selected))!)
    assert.ok(cleared.every(({ cluster }) => cluster.label === 'Unnamed' && cluster.keywords.length === 0))

    await jobs.add(aJob(3, { setId: selected }))
    assert.equal((await jobs.find(PROJECT, jobId(3)))?.setId, selected)
    await clusters.putLabel(selected, clusterId(3), 'given')
    while (await clusters.dropSelection(PROJECT, selection.id));
    assert.deepEqual(await clusters.selections(PROJECT), [])
    assert.equal(await clusters.currentRun(selected), undefined)
    assert.equal(await jobs.find(PROJECT, jobId(3)), undefined)
    assert.equal((await clusters.labels(selected)).size, 0)
    assert.equal(await clusters.place(PROJECT, clusterId(3)), null)
    assert.equal((await clusters.currentRun(PROJECT))?.id, jobId(1))
  })

  test('a run of a selection that was dropped is refused', async (context) => {
    const stores = await open(manualClock(), context)
    const { clusters, memory, jobs } = stores
    await clusters.addSelection(PROJECT, { id: selectionId(1), filters: '{}', createdAt: START })
    const setId = clusterSetOf(PROJECT, 'requests', selectionId(1))
    await jobs.add(aJob(1, { setId }))
    const { epoch } = (await jobs.take('short', 'a', 1000))!
    while (await clusters.dropSelection(PROJECT, selectionId(1)));
    assert.equal(await memory.applyRun(newRun(1, { setId, epoch })), false)
    assert.equal(await clusters.currentRun(setId), undefined)
  })

  test('a project has few selections, each once', async (context) => {
    const { clusters } = await open(manualClock(), context)
    const add = (number: number) =>
      clusters.addSelection(PROJECT, { id: selectionId(number), filters: '{}', createdAt: START + number })
    for (let number = 1; number <= CLUSTER_SELECTIONS_MAX; number++) assert.equal(await add(number), true)
    assert.equal(await add(1), true)
    assert.equal(await add(99), false)
    assert.equal((await clusters.selections(PROJECT)).length, CLUSTER_SELECTIONS_MAX)
    assert.equal(await clusters.addSelection(OTHER_PROJECT, { id: selectionId(1), filters: '{}', createdAt: 0 }), true)
    while (await clusters.dropSelection(PROJECT, selectionId(1)));
    assert.equal(await add(99), true)
    assert.equal((await clusters.selections(OTHER_PROJECT)).length, 1)
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
    assert.equal((await jobs.find(PROJECT, jobId(2)))?.setId, FAILURES)
    assert.equal(await jobs.find(OTHER_PROJECT, jobId(2)), undefined)
    assert.deepEqual(new Set((await schedules.due(START)).map(({ setId }) => setId)), new Set(SETS))
  })
}
