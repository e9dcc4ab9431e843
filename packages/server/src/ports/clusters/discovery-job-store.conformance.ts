import { CLUSTER_RUNS_KEPT } from '@spoor/contract/limits'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { OTHER_PROJECT, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { aJob, jobId, LASTS_MS, manualClock, type OpenClusterStores, START } from './cluster-builders.test-support.ts'
import type { DiscoveryJob } from './discovery-job.ts'

const backToQueue = (job: DiscoveryJob): DiscoveryJob => ({ ...job, status: 'queued' })

/** The contract of every store of jobs. That a stale epoch writes no run is in the suite of DiscoveryMemory. */
export function testDiscoveryJobStore(open: OpenClusterStores): void {
  async function openAt(context: TestContext) {
    const clock = manualClock()
    return { clock, ...(await open(clock, context)) }
  }

  test('a project has one queued or running job, however many are added at once', async (context) => {
    const { jobs } = await openAt(context)
    const added = await Promise.all([1, 2, 3].map((number) => jobs.add(aJob(number))))
    assert.deepEqual(new Set(added.map(({ id }) => id)).size, 1)
    assert.deepEqual(await jobs.list(PROJECT, null, 9), [added[0]])
    const running = await jobs.take('short', 'a', LASTS_MS)
    assert.deepEqual(await jobs.add(aJob(4)), running)
    const other = aJob(5, { setId: OTHER_PROJECT })
    assert.deepEqual(await jobs.add(other), other)
    assert.ok(running)
    assert.equal(await jobs.finish({ ...running, status: 'failed', error: 'no' }), true)
    assert.deepEqual(await jobs.add(aJob(6)), aJob(6))
  })

  test('the job that has been queued longest is taken, by one of several processes', async (context) => {
    const { jobs, clock } = await openAt(context)
    assert.equal(await jobs.take('short', 'a', LASTS_MS), null)
    const [second, first] = [aJob(2), aJob(1, { setId: OTHER_PROJECT })]
    await jobs.add(second)
    await jobs.add(first)
    const started = { status: 'running', attempts: 1, epoch: 1, startedAt: clock.time }
    const taken = [await jobs.take('short', 'a', LASTS_MS), await jobs.take('short', 'b', LASTS_MS)]
    assert.deepEqual(taken, [
      { ...first, ...started },
      { ...second, ...started },
    ])
    assert.equal(await jobs.take('short', 'c', LASTS_MS), null)
    assert.deepEqual(await jobs.find(PROJECT, second.id), taken[1])
    assert.equal(await jobs.find(OTHER_PROJECT, second.id), undefined)
  })

  test('a job that is queued again comes after those that were taken less often', async (context) => {
    const { jobs } = await openAt(context)
    await jobs.add(aJob(1))
    await jobs.add(aJob(2, { setId: OTHER_PROJECT }))
    const first = (await jobs.take('short', 'a', LASTS_MS))!
    await jobs.finish(backToQueue(first))
    const ids = [await jobs.take('short', 'a', LASTS_MS), await jobs.take('short', 'a', LASTS_MS)].map((job) => job?.id)
    assert.deepEqual(ids, [jobId(2), jobId(1)])
  })

  test('a job is taken, and taken back, in its lane alone; its end may move it to the other', async (context) => {
    const { jobs, clock } = await openAt(context)
    await jobs.add(aJob(1))
    assert.equal(await jobs.take('long', 'a', LASTS_MS), null)
    const first = (await jobs.take('short', 'a', LASTS_MS))!
    assert.equal(await jobs.finish({ ...backToQueue(first), lane: 'long' }), true)
    assert.equal(await jobs.take('short', 'a', LASTS_MS), null)
    const moved = (await jobs.take('long', 'a', LASTS_MS))!
    assert.deepEqual(moved, { ...first, lane: 'long', attempts: 2, epoch: 2 })
    assert.equal((await jobs.add(aJob(2))).id, moved.id)
    clock.time += 2 * LASTS_MS
    await jobs.takeBack('short', 'a', LASTS_MS, backToQueue)
    assert.deepEqual(await jobs.find(PROJECT, moved.id), moved)
    await jobs.takeBack('long', 'a', LASTS_MS, backToQueue)
    assert.equal((await jobs.find(PROJECT, moved.id))?.status, 'queued')
  })

  test('concurrent calls of take get different jobs or none', async (context) => {
    const { jobs } = await openAt(context)
    await jobs.add(aJob(1))
    await jobs.add(aJob(2, { setId: OTHER_PROJECT }))
    const taken = await Promise.all(['a', 'b', 'c'].map((holder) => jobs.take('short', holder, LASTS_MS)))
    assert.deepEqual(taken.map((job) => job?.id ?? 'none').toSorted(), [jobId(1), jobId(2), 'none'])
  })

  test('the end of a job is stored with all its values', async (context) => {
    const { jobs } = await openAt(context)
    await jobs.add(aJob(1))
    const job = (await jobs.take('short', 'a', LASTS_MS))!
    const result = { reason: null, traces: 30, clusters: 2, created: 2, shifted: 0, ended: 0, quality: null }
    const done = { ...job, status: 'succeeded', finishedAt: START + 9, result } as const
    assert.equal(await jobs.finish(done), true)
    assert.deepEqual(await jobs.find(PROJECT, done.id), done)
    assert.equal(await jobs.finish({ ...done, status: 'failed', error: 'no' }), false)
    assert.equal(await jobs.renew(done, LASTS_MS), false)
    assert.deepEqual(await jobs.find(PROJECT, done.id), done)
  })

  test('a job whose lease has ended is taken back, and later writes of its process are refused', async (context) => {
    const { jobs, clock } = await openAt(context)
    await jobs.add(aJob(1))
    const former = (await jobs.take('short', 'a', LASTS_MS))!
    clock.time += LASTS_MS - 1
    await jobs.takeBack('short', 'b', LASTS_MS, backToQueue)
    assert.deepEqual(await jobs.find(PROJECT, former.id), former)
    clock.time += 1
    await jobs.takeBack('short', 'b', LASTS_MS, backToQueue)
    assert.equal((await jobs.find(PROJECT, former.id))?.status, 'queued')
    assert.equal(await jobs.renew(former, LASTS_MS), false)
    assert.equal(await jobs.finish({ ...former, status: 'succeeded' }), false)
    const next = (await jobs.take('short', 'b', LASTS_MS))!
    assert.deepEqual([next.epoch, next.attempts], [2, 2])
    assert.equal(await jobs.renew(former, LASTS_MS), false)
    assert.equal(await jobs.finish({ ...former, status: 'succeeded' }), false)
    assert.deepEqual(await jobs.find(PROJECT, next.id), next)
  })

  test('a lease can be renewed, also after its end while no process took the job back', async (context) => {
    const { jobs, clock } = await openAt(context)
    await jobs.add(aJob(1))
    const job = (await jobs.take('short', 'a', LASTS_MS))!
    for (const passed of [LASTS_MS - 1, 10 * LASTS_MS]) {
      clock.time += passed
      assert.equal(await jobs.renew(job, LASTS_MS), true)
      clock.time += LASTS_MS - 1
      await jobs.takeBack('short', 'b', LASTS_MS, backToQueue)
      assert.deepEqual(await jobs.find(PROJECT, job.id), job)
    }
    clock.time += 10 * LASTS_MS
    assert.equal(await jobs.finish({ ...job, status: 'succeeded' }), true)
  })

  test('a process that starts again under its name takes its jobs back at once; they may fail', async (context) => {
    const { jobs } = await openAt(context)
    await jobs.add(aJob(1))
    await jobs.add(aJob(2, { setId: OTHER_PROJECT }))
    await jobs.take('short', 'a', LASTS_MS)
    const others = await jobs.take('short', 'b', LASTS_MS)
    await jobs.takeBack('short', 'a', LASTS_MS, (job) => ({
      ...job,
      status: 'failed',
      error: `${job.attempts}`,
      finishedAt: 7,
    }))
    const { status, error, finishedAt } = (await jobs.find(PROJECT, jobId(1)))!
    assert.deepEqual([status, error, finishedAt], ['failed', '1', 7])
    assert.deepEqual(await jobs.find(OTHER_PROJECT, jobId(2)), others)
  })

  test('a lease that ends later than any process could have set counts as ended, because the clock was set back', async (context) => {
    const { jobs, clock } = await openAt(context)
    await jobs.add(aJob(1))
    await jobs.take('short', 'a', LASTS_MS)
    const statusAfter = async () => {
      await jobs.takeBack('short', 'b', LASTS_MS, backToQueue)
      return (await jobs.find(PROJECT, jobId(1)))?.status
    }
    clock.time -= LASTS_MS
    assert.equal(await statusAfter(), 'running')
    clock.time -= 1
    assert.equal(await statusAfter(), 'queued')
  })

  test('only the newest finished jobs of a project are kept, and listed newest first', async (context) => {
    const { jobs } = await openAt(context)
    const other = aJob(1, { setId: OTHER_PROJECT })
    await jobs.add(other)
    const taken = (await jobs.take('short', 'a', LASTS_MS))!
    for (let number = 2; number < CLUSTER_RUNS_KEPT + 4; number++) {
      await jobs.add(aJob(number))
      const job = (await jobs.take('short', 'a', LASTS_MS))!
      assert.equal(await jobs.finish({ ...job, status: 'failed', error: 'no' }), true)
    }
    const listed = async (before: number | null, limit: number) =>
      (await jobs.list(PROJECT, before === null ? null : jobId(before), limit)).map(({ id }) => id)
    const numbersFrom = (newest: number, count: number) => Array.from({ length: count }, (_, n) => jobId(newest - n))
    assert.deepEqual(await listed(null, 1000), numbersFrom(CLUSTER_RUNS_KEPT + 3, CLUSTER_RUNS_KEPT))
    assert.deepEqual(await listed(null, 3), numbersFrom(CLUSTER_RUNS_KEPT + 3, 3))
    assert.deepEqual(await listed(7, 10), numbersFrom(6, 3))
    assert.deepEqual(await jobs.list(OTHER_PROJECT, null, 3), [taken])
  })
}
