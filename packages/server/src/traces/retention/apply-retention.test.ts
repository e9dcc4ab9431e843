import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Retention } from '../../ports/access/project-store.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { createRetention, keptFrom } from './apply-retention.ts'

const DAY_MS = 86_400_000
const NOW = 100 * DAY_MS

test('a job is wanted while the retention still deletes all that it deletes', async () => {
  let retention: Retention = { days: 10, flaggedDays: 30, mediaDays: null }
  const { isWanted } = createRetention({
    projects: { find: async () => ({ retention }) },
    clock: { now: () => NOW },
  } as unknown as Parameters<typeof createRetention>[0])
  const job = (days: number, flagged: boolean) =>
    isWanted({
      projectId: PROJECT,
      kind: 'retention',
      filters: JSON.stringify({ endTime: NOW - days * DAY_MS, flagged }),
    })
  assert.deepEqual([await job(10, false), await job(30, true)], [true, true])
  retention = { ...retention, days: 11 }
  assert.deepEqual([await job(10, false), await job(30, true)], [false, true])
  retention = { ...retention, days: 5, flaggedDays: null }
  assert.deepEqual([await job(10, false), await job(30, true)], [true, false])
  assert.equal(await isWanted({ projectId: PROJECT, kind: 'traces.delete', filters: '{}' }), true)
})

test('nothing was deleted since the shorter time, less a day', () => {
  assert.equal(keptFrom({ days: null, flaggedDays: null, mediaDays: 1 }, NOW), -Infinity)
  assert.equal(keptFrom({ days: 30, flaggedDays: 10, mediaDays: null }, NOW), NOW - 9 * DAY_MS)
  assert.equal(keptFrom({ days: 30, flaggedDays: null, mediaDays: null }, NOW), NOW - 29 * DAY_MS)
})
