import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OTHER_PROJECT, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { aJob, LASTS_MS, manualClock, type OpenClusterStores, PARAMETERS } from './cluster-builders.test-support.ts'

const SCHEDULE = { enabled: true, everyHours: 6, parameters: PARAMETERS, nextRunAt: 100 }

/** The contract of every store of schedules. */
export function testClusterScheduleStore(open: OpenClusterStores): void {
  test('schedules are stored, and due ones are found', async (context) => {
    const { schedules } = await open(manualClock(), context)
    assert.equal(await schedules.find(PROJECT), undefined)
    await schedules.put(PROJECT, SCHEDULE)
    await schedules.put(OTHER_PROJECT, { ...SCHEDULE, enabled: false, nextRunAt: null })
    assert.deepEqual(await schedules.find(PROJECT), SCHEDULE)
    assert.deepEqual(await schedules.due(99), [])
    assert.deepEqual(await schedules.due(100), [{ setId: PROJECT, schedule: SCHEDULE }])
    const changed = {
      ...SCHEDULE,
      everyHours: 7,
      parameters: { ...PARAMETERS, kMax: 3, onlyComplete: true, failureBy: 'metadata:a=b' },
      nextRunAt: 200,
    }
    await schedules.put(PROJECT, changed)
    assert.deepEqual(await schedules.find(PROJECT), changed)
    assert.deepEqual(await schedules.due(100), [])
  })

  test('one of several processes claims a due time and adds its job', async (context) => {
    const { schedules, jobs } = await open(manualClock(), context)
    await schedules.put(PROJECT, SCHEDULE)
    const claims = [1, 2, 3].map((number) => ({ job: aJob(number), dueAt: 100, nextRunAt: 300 }))
    const claimed = await Promise.all(claims.map((claim) => schedules.claim(claim)))
    assert.deepEqual(claimed.toSorted(), [false, false, true])
    assert.deepEqual(await jobs.list(PROJECT, null, 9), [claims[claimed.indexOf(true)]!.job])
    assert.deepEqual(await schedules.find(PROJECT), { ...SCHEDULE, nextRunAt: 300 })
    const running = await jobs.take('short', 'a', LASTS_MS)
    assert.equal(await schedules.claim({ job: aJob(4), dueAt: 300, nextRunAt: 500 }), true)
    assert.deepEqual(await jobs.list(PROJECT, null, 9), [running])
  })

  test('a schedule that was changed or disabled meanwhile cannot be claimed', async (context) => {
    const { schedules, jobs } = await open(manualClock(), context)
    const claim = { job: aJob(1), dueAt: 100, nextRunAt: 300 }
    assert.equal(await schedules.claim(claim), false)
    for (const schedule of [
      { ...SCHEDULE, nextRunAt: 200 },
      { ...SCHEDULE, enabled: false, nextRunAt: null },
    ]) {
      await schedules.put(PROJECT, schedule)
      assert.equal(await schedules.claim(claim), false)
      assert.deepEqual(await schedules.find(PROJECT), schedule)
    }
    assert.deepEqual(await jobs.list(PROJECT, null, 9), [])
  })
}
