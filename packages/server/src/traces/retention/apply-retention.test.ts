import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Retention } from '../../ports/access/project-store.ts'
import { OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
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

/** Projects whose media are kept for one day, each with a number of older attachments. */
function mediaWorld(left: Map<string, number>) {
  const recorded: object[] = []
  /** Transactions of this project fail from this number of attachments on. */
  const failing = new Map<string, number>()
  const { removeMedia } = createRetention({
    projects: {
      list: async () =>
        [...left.keys()].map((id) => ({ id, retention: { days: null, flaggedDays: null, mediaDays: 1 } })),
    },
    clock: { now: () => NOW },
    record: async (entry: object) => void recorded.push(entry),
    media: {
      releaseOlder: async (id: string, before: number, limit: number) => {
        assert.equal(before, NOW - DAY_MS)
        const count = left.get(id) ?? 0
        if (count <= (failing.get(id) ?? -1)) throw new Error('the disk is full')
        left.set(id, Math.max(0, count - limit))
        return Math.min(count, limit)
      },
    },
  } as unknown as Parameters<typeof createRetention>[0])
  return { removeMedia, recorded, failing }
}

const mediaEntry = (projectId: string, attachments: number) => ({
  projectId,
  actor: { kind: 'system', id: null },
  action: 'traces.deleted',
  target: { kind: 'project', id: projectId },
  detail: { reason: 'retention', end_time: new Date(NOW - DAY_MS).toISOString(), attachments },
  requestId: null,
})

test('expired media are removed in rounds that follow each other, and each is recorded', async () => {
  const left = new Map<string, number>([
    [PROJECT, 45_001],
    [OTHER_PROJECT, 150],
  ])
  const { removeMedia, recorded } = mediaWorld(left)
  assert.deepEqual(await removeMedia(), { failure: null, hasMore: true })
  assert.deepEqual([...left.values()], [25_001, 0], 'the other project has its turn')
  assert.deepEqual(recorded.splice(0), [mediaEntry(PROJECT, 20_000), mediaEntry(OTHER_PROJECT, 150)])
  assert.deepEqual(await removeMedia(), { failure: null, hasMore: true })
  assert.deepEqual(await removeMedia(), { failure: null, hasMore: false })
  assert.deepEqual(recorded.splice(0), [mediaEntry(PROJECT, 20_000), mediaEntry(PROJECT, 5001)])
  assert.deepEqual(await removeMedia(), { failure: null, hasMore: false })
  assert.deepEqual(recorded, [], 'nothing was removed')
})

test('a project that fails does not delay others, and what was removed of it is recorded', async () => {
  const left = new Map<string, number>([
    [PROJECT, 1000],
    [OTHER_PROJECT, 20_500],
  ])
  const { removeMedia, recorded, failing } = mediaWorld(left)
  failing.set(PROJECT, 600)
  const { failure, hasMore } = await removeMedia()
  assert.match(String(failure?.error), /the disk is full/)
  assert.equal(hasMore, true)
  assert.deepEqual(recorded, [mediaEntry(PROJECT, 400), mediaEntry(OTHER_PROJECT, 20_000)])
})

test('nothing was deleted since the shorter time, less a day', () => {
  assert.equal(keptFrom({ days: null, flaggedDays: null, mediaDays: 1 }, NOW), -Infinity)
  assert.equal(keptFrom({ days: 30, flaggedDays: 10, mediaDays: null }, NOW), NOW - 9 * DAY_MS)
  assert.equal(keptFrom({ days: 30, flaggedDays: null, mediaDays: null }, NOW), NOW - 29 * DAY_MS)
})
