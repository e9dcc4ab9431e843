import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import { MemoryDeletionJobs } from '../../ports/traces/memory-deletion-jobs.test-support.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { RunDeletions } from './run-deletions.ts'

const [BROKEN, WORKING] = [PROJECT, OTHER_PROJECT]

/** Projects whose lists the test sets; one without a list cannot be read. */
class DeletionWorld {
  readonly jobs = new MemoryDeletionJobs()
  readonly traces = new Map<ProjectId, TraceId[]>()
  readonly deleted: { readonly id: TraceId; readonly isExpired: boolean }[] = []
  now = 0
  readonly unwanted = new Set<JobId>()
  readonly run = new RunDeletions({
    jobs: this.jobs,
    clock: { now: () => this.now },
    isWanted: async ({ id }) => !this.unwanted.has(id),
    traces: {
      list: async ({ projectId, limit }) => {
        const ids = this.traces.get(projectId)
        if (ids === undefined) throw new Error('a part is damaged')
        const page = ids.slice(0, limit).map((id) => ({ id }) as TraceRecord)
        return { traces: page, snippets: null, nextCursor: ids.length > limit ? 'more' : null }
      },
      delete: async (projectId, id, { isExpired = false } = {}) => {
        this.deleted.push({ id, isExpired })
        this.traces.set(projectId, this.traces.get(projectId)?.filter((one) => one !== id) ?? [])
      },
    },
  })

  async add(
    number: number,
    projectId: ProjectId,
    kind: 'traces.delete' | 'retention' = 'traces.delete',
  ): Promise<void> {
    const id = `job_${number}` as JobId
    const state = { status: 'queued', done: 0, total: 1, error: null, createdAt: 0, finishedAt: null } as const
    await this.jobs.add({ id, projectId, kind, filters: '{}', ...state })
  }

  async status(number: number, projectId: ProjectId): Promise<string | undefined> {
    return (await this.jobs.find(projectId, `job_${number}` as JobId))?.status
  }
}

function someIds(count: number, prefix: string): TraceId[] {
  return Array.from({ length: count }, (_, at) => `tr_${prefix}${at}` as TraceId)
}

test('a job whose project cannot be listed does not hold up the others, and is tried again later', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, someIds(250, 'a'))
  await world.add(1, BROKEN)
  await world.add(2, WORKING)
  await assert.rejects(world.run.round(), /damaged/)
  for (let step = 0; step < 3; step++) await world.run.round()
  assert.deepEqual([world.deleted.length, await world.status(2, WORKING)], [250, 'succeeded'])
  assert.equal(await world.status(1, BROKEN), 'queued')
  world.traces.set(BROKEN, someIds(1, 'b'))
  await world.run.round()
  assert.equal(world.deleted.length, 250, 'not yet')
  world.now += 10_000
  await world.run.round()
  assert.equal(await world.status(1, BROKEN), 'succeeded')
})

test('jobs take turns, and only those of retention leave the numbers of metric events', async () => {
  const world = new DeletionWorld()
  world.traces.set(BROKEN, someIds(150, 'a'))
  world.traces.set(WORKING, someIds(150, 'b'))
  await world.add(1, BROKEN)
  await world.add(2, WORKING, 'retention')
  for (let step = 0; step < 4; step++) await world.run.round()
  const turns = [0, 100, 200, 250].map((at) => world.deleted[at])
  assert.deepEqual(
    turns.map((one) => [one?.id.slice(0, 4), one?.isExpired]),
    [
      ['tr_a', false],
      ['tr_b', true],
      ['tr_a', false],
      ['tr_b', true],
    ],
  )
  assert.deepEqual([await world.status(1, BROKEN), await world.status(2, WORKING)], ['succeeded', 'succeeded'])
})

test('a job that is not wanted any more is cancelled at its next step', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, someIds(250, 'a'))
  await world.add(1, WORKING, 'retention')
  await world.run.round()
  world.unwanted.add('job_1' as JobId)
  await world.run.round()
  await world.run.round()
  assert.deepEqual([world.deleted.length, await world.status(1, WORKING)], [100, 'cancelled'])
})
