import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { aJob, jobId, newRun } from '../../ports/clusters/cluster-builders.test-support.ts'
import type { DiscoveryJob, DiscoveryLane, DiscoveryResult } from '../../ports/clusters/discovery-job.ts'
import { memoryClusters } from '../../ports/clusters/memory/memory-clusters.test-support.ts'
import { OTHER_PROJECT, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { DiscoveryRunner } from './discovery-runner.ts'

const RESULT: DiscoveryResult = {
  reason: null,
  traces: 6,
  clusters: 2,
  created: 1,
  shifted: 0,
  ended: 0,
  quality: null,
}
/** Longer than any lease. */
const LONG_MS = 60_000

/** Processes on one store. */
class World {
  readonly timers = new ManualTimers()
  readonly stores = memoryClusters(this.timers)
  readonly errors: string[] = []

  process(holder: string, lane: DiscoveryLane = 'short') {
    /** A stopped process has no timers; its clock continues. */
    const timers = new ManualTimers()
    const runs: { readonly job: DiscoveryJob; readonly finish: (ending?: 'too_long' | Error) => void }[] = []
    const moved: string[] = []
    const { jobs, memory } = this.stores
    const runner = new DiscoveryRunner({
      jobs,
      lane,
      holder,
      clock: this.timers,
      timers,
      run: async (job) => {
        const ending = await new Promise<'too_long' | Error | undefined>((finish) => runs.push({ job, finish }))
        if (ending instanceof Error) throw ending
        if (ending !== undefined) return ending
        return (await memory.applyRun(newRun(1, { ...job, traces: 6 }))) ? RESULT : null
      },
      onMoved: () => moved.push('moved'),
      onError: (_error, message) => this.errors.push(`${holder}: ${message}`),
    })
    return { runner, runs, timers, moved }
  }

  async job(id: JobId = jobId(1)): Promise<DiscoveryJob> {
    const found = [await this.stores.jobs.find(PROJECT, id), await this.stores.jobs.find(OTHER_PROJECT, id)]
    return found.find((job) => job !== undefined)!
  }

  async turns(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise((go) => setImmediate(go))
  }
}

test('while a process runs a job it renews its lease, and no other takes it', async () => {
  const world = new World()
  await world.stores.jobs.add(aJob(1))
  const [first, second] = [world.process('a'), world.process('b')]
  first.runner.wake()
  await world.turns()
  for (let passed = 0; passed < LONG_MS; passed += 3000) {
    world.timers.advance(3000)
    first.timers.advance(3000)
    second.runner.wake()
    await world.turns()
  }
  assert.deepEqual([first.runs.length, second.runs.length], [1, 0])
  first.runs[0]!.finish()
  await world.turns()
  assert.deepEqual([(await world.job()).status, first.timers.pending], ['succeeded', 0])
  assert.deepEqual(world.errors, [])
})

test('a job whose process hangs is taken by another, and later writes of the first are refused', async () => {
  const world = new World()
  await world.stores.jobs.add(aJob(1))
  const [first, second] = [world.process('a'), world.process('b')]
  first.runner.wake()
  await world.turns()
  world.timers.advance(LONG_MS)
  second.runner.wake()
  await world.turns()
  assert.deepEqual([second.runs[0]?.job.epoch, second.runs[0]?.job.attempts], [2, 2])
  first.timers.advance(LONG_MS)
  first.runs[0]!.finish()
  await world.turns()
  assert.equal(await world.stores.clusters.findRun(jobId(1)), undefined)
  assert.equal((await world.job()).status, 'running')
  assert.deepEqual(world.errors, ['a: a discovery was taken over by another process'])
  second.runs[0]!.finish()
  await world.turns()
  assert.deepEqual([(await world.job()).status, (await world.job()).result], ['succeeded', RESULT])
  assert.equal((await world.stores.clusters.runs(PROJECT, null, 9)).length, 1)
})

test('a job that is added while the runner finds none is run', async () => {
  const world = new World()
  const { runner, runs } = world.process('a')
  const { jobs } = world.stores
  const takeBack = jobs.takeBack.bind(jobs)
  jobs.takeBack = async (...given) => {
    jobs.takeBack = takeBack
    const none = await takeBack(...given)
    await jobs.add(aJob(1))
    runner.wake()
    return none
  }
  runner.wake()
  await world.turns()
  assert.equal(runs.length, 1)
})

test('a job that ends its process again and again fails, also with different processes', async () => {
  const world = new World()
  await world.stores.jobs.add(aJob(1))
  for (const holder of ['a', 'b', 'c', 'd']) {
    world.process(holder).runner.wake()
    await world.turns()
    world.timers.advance(LONG_MS)
  }
  const { status, attempts, error } = await world.job()
  assert.deepEqual([status, attempts, error], ['failed', 3, 'The service ended 3 times while this ran.'])
})

test('two processes run two jobs at the same time', async () => {
  const world = new World()
  await world.stores.jobs.add(aJob(1))
  await world.stores.jobs.add(aJob(2, { setId: OTHER_PROJECT }))
  const processes = ['a', 'b'].map((holder) => world.process(holder))
  for (const { runner } of processes) runner.wake()
  await world.turns()
  assert.deepEqual(processes.map(({ runs }) => runs[0]?.job.id).toSorted(), [jobId(1), jobId(2)])
  assert.equal(processes[1]!.runner.progressOf(jobId(1)), null)
})

test('a job that is too long moves to the other lane, and frees its own', async () => {
  const world = new World()
  const [short, long] = [world.process('a'), world.process('a', 'long')]
  await world.stores.jobs.add(aJob(1))
  await world.stores.jobs.add(aJob(2, { setId: OTHER_PROJECT }))
  short.runner.wake()
  await world.turns()
  short.runs[0]!.finish('too_long')
  await world.turns()
  assert.deepEqual([short.moved, short.runs[1]?.job.id], [['moved'], jobId(2)])
  long.runner.wake()
  await world.turns()
  const { lane, status, attempts } = await world.job(jobId(1))
  assert.deepEqual([long.runs[0]?.job.id, lane, status, attempts], [jobId(1), 'long', 'running', 1])
  short.runs[1]!.finish()
  await world.turns()
  assert.deepEqual([(await world.job(jobId(2))).status, (await world.job(jobId(1))).status], ['succeeded', 'running'])
  long.runs[0]!.finish()
  await world.turns()
  assert.equal((await world.job(jobId(1))).status, 'succeeded')
  assert.deepEqual(world.errors, [])
})

test('one lane takes no job of the other back, though its lease has ended', async () => {
  const world = new World()
  await world.stores.jobs.add(aJob(1, { lane: 'long' }))
  const [short, long] = [world.process('a'), world.process('a', 'long')]
  long.runner.wake()
  await world.turns()
  world.timers.advance(LONG_MS)
  short.runner.wake()
  await world.turns()
  assert.deepEqual([short.runs.length, (await world.job()).status, (await world.job()).epoch], [0, 'running', 1])
})

const AWAY = new DomainError('storage_unavailable', 'ClickHouse is away.')

test('a job that meets an outage is tried again by its process, which keeps its lease meanwhile', async () => {
  const world = new World()
  await world.stores.jobs.add(aJob(1))
  const [first, second] = [world.process('a'), world.process('b')]
  first.runner.wake()
  await world.turns()
  for (const pauseMs of [2000, 4000, 8000, 16_000, 32_000]) {
    first.runs.at(-1)!.finish(AWAY)
    await world.turns()
    for (let passed = 0; passed < pauseMs; passed += 1000) {
      assert.equal((await world.job()).status, 'running')
      world.timers.advance(1000)
      first.timers.advance(1000)
      second.runner.wake()
      await world.turns()
    }
  }
  assert.deepEqual([first.runs.length, second.runs.length], [6, 0])
  first.runs.at(-1)!.finish()
  await world.turns()
  const { status, attempts } = await world.job()
  assert.deepEqual([status, attempts, first.timers.pending], ['succeeded', 1, 0])
})

test('a job that an outage outlasts is queued again behind others for six hours, then fails; it fails at once for any other failure', async () => {
  const world = new World()
  await world.stores.jobs.add(aJob(1))
  const { runner, runs, timers } = world.process('a')
  runner.wake()
  await world.turns()
  await world.stores.jobs.add(aJob(3, { setId: OTHER_PROJECT }))
  const tryAll = async (before: number) => {
    for (let tries = 1; tries <= 8; tries++) {
      assert.equal(runs.length, before + tries)
      runs.at(-1)!.finish(AWAY)
      await world.turns()
      timers.advance(60_000)
      await world.turns()
    }
  }
  await tryAll(0)
  assert.deepEqual([(await world.job()).status, (await world.job()).attempts], ['queued', 0])
  assert.equal(runs.at(-1)!.job.id, jobId(3))
  runs.at(-1)!.finish()
  await world.turns()
  assert.deepEqual([runs.length, runs.at(-1)!.job.id], [10, jobId(1)])
  world.timers.advance((await world.job()).createdAt + 6 * 3_600_000)
  await tryAll(9)
  assert.deepEqual([(await world.job()).status, (await world.job()).error], ['failed', AWAY.message])
  await world.stores.jobs.add(aJob(2))
  runner.wake()
  await world.turns()
  runs.at(-1)!.finish(new DomainError('validation_failed', 'There is no metric.'))
  await world.turns()
  assert.deepEqual([runs.length, (await world.job(jobId(2))).status], [18, 'failed'])
})

test('a process that stops during an outage gives the job back', async () => {
  const world = new World()
  await world.stores.jobs.add(aJob(1))
  const { runner, runs, timers } = world.process('a')
  runner.wake()
  await world.turns()
  runs[0]!.finish(AWAY)
  await world.turns()
  await runner.stop()
  const { status, attempts } = await world.job()
  assert.deepEqual([status, attempts, runs.length, timers.pending], ['queued', 0, 1, 0])
})
