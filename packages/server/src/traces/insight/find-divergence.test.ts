import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { PROJECT_DEFAULTS } from '@spoor/contract/schemas/project'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { METRIC, score } from '../commit/metric-event-builders.test-support.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import { type DivergenceQuery, findDivergence } from './find-divergence.ts'
import { KnownRuns } from './known-runs.ts'

const world = new TraceWorld()
after(() => world.service.close())
const traces = world.service.useCases
let pagesRead = 0
const counted: Pick<typeof traces, 'list' | 'read'> = {
  list: (query) => traces.list(query),
  read: (projectId, id, withSteps) => {
    if (withSteps !== false) pagesRead += 1
    return traces.read(projectId, id, withSteps)
  },
}
const work = new WorkTurns(systemWorkTurns)
const runs = new KnownRuns({ traces: counted, work })

async function commit(name: string, calls: string, more: object = {}, projectId = PROJECT): Promise<TraceId> {
  const steps = calls.split(' ').map((call) => {
    const [tool = '', input] = call.split(':')
    return {
      name: tool,
      type: 'tool',
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: tool, input: { input } }] }],
    }
  })
  world.clock.advance(1)
  return (await world.commit({ name, steps, ...more }, { projectId })).id
}

async function find(traceId: TraceId, query: Partial<DivergenceQuery> = {}) {
  const found = await findDivergence(
    { traces: counted, runs, work },
    {
      projectId: PROJECT,
      traceId,
      taskKey: PROJECT_DEFAULTS.task_key,
      failureBy: 'status',
      onlyFailed: false,
      clusterOf: async () => null,
      ...query,
    },
  )
  const { found: divergence, comparedWith } = found
  const ids = comparedWith.map(({ id }) => id).sort()
  return [typeof divergence === 'string' ? divergence : divergence.missing?.label, ids] as const
}

const GOOD = 'find:1 book:1 pay:1'
const BAD = 'find:1 book:2 pay:1'
const expected = 'book {"input":"1"}'

test('the successes of the same task are taken, and in their place those of the cluster, and of the name', async () => {
  const task = (id: unknown) => ({ metadata: { task_id: id } })
  const failed = await commit('a', BAD, { status: 'error', ...task(7) })
  assert.deepEqual(await find(failed), ['no_success', []])
  const ofName = await commit('a', GOOD)
  assert.deepEqual(await find(failed), [expected, [ofName]])
  const ofCluster = await commit('b', GOOD)
  const cluster = idAt('clu', 1, 1)
  world.clusters.put(PROJECT, cluster, [ofCluster, failed])
  assert.deepEqual(await find(failed, { clusterOf: async () => cluster }), [expected, [ofCluster]])
  const ofTask = await commit('c', GOOD, task(7))
  await commit('c', GOOD, task('7 b'))
  await commit('c', GOOD, { status: 'error', ...task(7) })
  await commit('c', GOOD, task(7), OTHER_PROJECT)
  assert.deepEqual(await find(failed, { clusterOf: async () => cluster }), [expected, [ofTask]])
  assert.deepEqual(await find(failed, { taskKey: 'other' }), [expected, [ofName]])
})

test('failures are what failure_by says', async () => {
  const run = (reward: number, calls: string) => commit('rewarded', calls, { metadata: { reward } })
  const [failed, success] = [await run(0, BAD), await run(1, GOOD)]
  await run(0, GOOD)
  const unjudged = await commit('rewarded', GOOD)
  assert.deepEqual(await find(failed, { failureBy: 'metadata:reward=0' }), [expected, [success]])
  const isFailed = async (id: TraceId, failureBy: string) =>
    (await find(id, { failureBy, onlyFailed: true }))[0] !== 'succeeded'
  assert.deepEqual([await isFailed(failed, 'status'), await isFailed(failed, 'metadata:reward=0')], [false, true])
  assert.equal(await isFailed(success, 'metadata:reward=0'), false)
  const broken = await commit('rewarded', BAD, { status: 'error' })
  const byStatus = await find(broken, { failureBy: 'metadata:reward=0', onlyFailed: true })
  assert.deepEqual(byStatus, [expected, [success, unjudged].sort()], 'an error that the measure does not judge')
  world.metricIds.set(`${PROJECT} solved`, METRIC)
  assert.deepEqual(await find(failed, { failureBy: 'metric:solved' }), ['no_success', []])
  const judged = (traceId: TraceId, passed: boolean) => score({ traceId, value: { kind: 'boolean', passed } })
  await world.service.recordMetricEvents(PROJECT, [judged(failed, false), judged(success, true)])
  assert.deepEqual(await find(failed, { failureBy: 'metric:solved' }), [expected, [success]])
  assert.deepEqual([await isFailed(failed, 'metric:solved'), await isFailed(success, 'metric:solved')], [true, false])
  await assert.rejects(find(failed, { failureBy: 'luck' }), { code: 'validation_failed' })
})

test('tools weigh by successes of other tasks', async () => {
  const run = (task: number, calls: string, status = 'ok') =>
    commit('weighed', calls, { status, metadata: { task_id: task } })
  for (const task of [1, 2]) for (const note of [1, 2]) await run(task, `find:${task} note:${task}${note} pay:${task}`)
  for (const note of [1, 2]) await run(3, `find:3 note:${note} pay:3`)
  const failed = await run(3, 'find:3 note:8 note:9 pay:4', 'error')
  assert.equal((await find(failed))[0], 'pay {"input":"3"}')
})

test('failed runs of other tasks say which difference tells more about the failure', async () => {
  const run = (task: number, calls: string, reward: number) =>
    commit('looked', calls, { metadata: { task_id: task, reward } })
  for (const task of [1, 2, 3]) for (const _ of [1, 2]) await run(task, `find:${task} tell:${task} pay:${task}`, 1)
  const failed = await run(3, 'find:3 look:9 tell:3 find:9 pay:4', 0)
  const found = async () => (await find(failed, { failureBy: 'metadata:reward=0' }))[0]
  assert.equal(await found(), undefined)
  for (const task of [1, 2]) await run(task, `find:${task} tell:${task} pay:9`, 0)
  assert.equal(await found(), 'pay {"input":"3"}')
})

test('a trace of another project is not found, and steps are read once', async () => {
  const foreign = await commit('foreign', GOOD, {}, OTHER_PROJECT)
  await assert.rejects(find(foreign), { code: 'not_found' })
  const failed = await commit('cached', BAD, { status: 'error' })
  await commit('cached', GOOD)
  await find(failed)
  pagesRead = 0
  assert.equal((await find(failed))[0], expected)
  assert.equal(pagesRead, 0)
  await world.append(failed, [Buffer.from('{"name":"more","type":"tool"}\n')])
  await find(failed)
  assert.equal(pagesRead, 1)
})
