import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { MemoryJournal } from '../../ports/journal/memory-journal.test-support.ts'
import { MemoryDeletionJobs } from '../../ports/traces/memory-deletion-jobs.test-support.ts'
import type { JobKind } from '@spoor/contract/schemas/deletion'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { numberedCommit } from '../../ports/journal/numbered-commit.test-support.ts'
import { OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'
import { createDeletions } from './delete-matching.ts'
import { DeleteUser } from './delete-user.ts'
import { RunDeletions } from './run-deletions.ts'

const [BROKEN, WORKING] = [PROJECT, OTHER_PROJECT]

/** Projects whose lists the test sets; one without a list cannot be read. */
class DeletionWorld {
  readonly jobs = new MemoryDeletionJobs()
  readonly traces = new Map<ProjectId, TraceId[]>()
  readonly deleted: { readonly id: TraceId; readonly isExpired: boolean }[] = []
  now = 0
  readonly journal = new MemoryJournal()
  /** What happened to traces, texts and logs, in order. */
  readonly steps: string[] = []
  readonly recorded: object[] = []
  isAuditFull = false
  /** Pages of candidates that do not match, before the traces. */
  emptyPages = 0
  usesTexts = false
  isPurged = false
  isOffDisk = false
  /** Deletions of these fail once. */
  readonly failing = new Set<TraceId>()
  readonly unwanted = new Set<JobId>()
  readonly run = new RunDeletions({
    jobs: this.jobs,
    lookEveryMs: 7000,
    clock: { now: () => this.now },
    ofUsers: new DeleteUser({
      jobs: this.jobs,
      journal: this.journal,
      clock: { now: () => this.now },
      traces: {
        findRestorable: async (_projectId, id) => userTrace(id),
        deleteForGood: async (projectId, id, isWanted) => {
          if (!isWanted(userTrace(id))) return
          this.deleted.push({ id, isExpired: false })
          const deleted = { projectId, traceId: id }
          this.journal.write({ ...numberedCommit(2), deleted: [{ ...deleted, restored: true }, deleted] })
        },
      },
      countMetricEvents: async (_projectId, traceIds) => new Map(traceIds.map((id) => [id, 2])),
      countMedia: async (traceIds) => new Map(traceIds.slice(1).map((id) => [id, 1])),
      forgetTexts: async () => {
        if (!this.usesTexts) this.steps.push('texts')
        return !this.usesTexts
      },
      forgetTraces: async (_projectId, traceIds) => void this.steps.push(`${traceIds.length} traces`),
      emptyLogs: () => void this.steps.push('logs'),
      isPurged: () => this.isPurged,
      isOffDisk: async () => this.isOffDisk,
      record: async ({ receipt }) => {
        if (this.isAuditFull) throw new DomainError('disk_full', 'full')
        this.recorded.push({ ...receipt })
      },
    }),
    isWanted: async ({ id }) => !this.unwanted.has(id),
    countTraces: async (projectId) => this.traces.get(projectId)?.length ?? 0,
    traces: {
      list: async ({ projectId, limit }) => {
        const ids = this.traces.get(projectId)
        if (ids === undefined) throw new Error('a part is damaged')
        if (this.emptyPages-- > 0) return { traces: [], snippets: null, nextCursor: 'more' }
        const page = ids.slice(0, limit).map((id) => ({ id, stepCount: 3 }) as TraceRecord)
        return { traces: page, snippets: null, nextCursor: ids.length > limit ? 'more' : null }
      },
      delete: async (projectId, id, { isExpired = false } = {}) => {
        if (this.failing.delete(id)) throw new DomainError('queue_full', 'later')
        this.deleted.push({ id, isExpired })
        this.traces.set(projectId, this.traces.get(projectId)?.filter((one) => one !== id) ?? [])
      },
    },
  })

  async add(number: number, projectId: ProjectId, kind: JobKind = 'traces.delete'): Promise<void> {
    const id = `job_${number}` as JobId
    const total = this.traces.get(projectId)?.length ?? 1
    const state = { status: 'queued', done: 0, total, error: null, createdAt: 0, receipt: null } as const
    await this.jobs.add({ id, projectId, kind, filters: '{"userId":"u","endTime":10}', finishedAt: null, ...state })
  }

  async status(number: number, projectId: ProjectId): Promise<string | undefined> {
    return (await this.jobs.find(projectId, `job_${number}` as JobId))?.status
  }
}

const userTrace = (id: TraceId) =>
  ({ id, userId: id.startsWith('tr_other') ? 'b' : 'u', createdAt: 1, stepCount: 3 }) as TraceRecord

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

test('without a job it looks seldom, with one query; with one that waits, each second', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, someIds(1, 'a'))
  await world.add(1, WORKING)
  assert.ok((await world.run.round()) <= 1000)
  const asked: (JobId | null)[] = []
  const nextOpen = world.jobs.nextOpen.bind(world.jobs)
  world.jobs.nextOpen = (after) => (asked.push(after), nextOpen(after))
  assert.deepEqual([await world.run.round(), await world.run.round()], [7000, 7000])
  assert.deepEqual([asked.length, asked[1]], [2, null])
  await world.add(2, BROKEN)
  await assert.rejects(world.run.round(), /damaged/)
  assert.equal(await world.run.round(), 1000)
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

test('jobs that ended more than 30 days ago are forgotten, 100 in a call; open ones stay', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, [])
  for (let job = 100; job < 250; job++) await world.add(job, WORKING)
  for (let job = 100; job < 250; job++) await world.run.round()
  world.now = 1
  await world.add(250, WORKING)
  await world.run.round()
  await world.add(251, WORKING)
  const kept = async () => {
    const jobs = Array.from({ length: 152 }, (_, at) => world.status(100 + at, WORKING))
    return (await Promise.all(jobs)).filter((status) => status !== undefined)
  }
  world.now = 30 * 86_400_000
  await world.run.prune()
  assert.equal((await kept()).length, 152, 'not yet')
  world.now += 1
  await world.run.prune()
  assert.equal((await kept()).length, 52)
  await world.run.prune()
  assert.deepEqual(await kept(), ['succeeded', 'queued'])
})

const receiptOf = async (world: DeletionWorld) => (await world.jobs.find(WORKING, 'job_1' as JobId))?.receipt

/** Two counted pages and what follows: traces, and then nothing. */
async function untilGoneFromReads(world: DeletionWorld): Promise<void> {
  for (let step = 0; step < 3; step++) await world.run.round()
}

test('the deletion of a user ends once its bytes have left the disk, and its receipt is recorded once', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, someIds(150, 'a'))
  await world.add(1, WORKING, 'user.delete')
  world.now = 5
  world.usesTexts = true
  await untilGoneFromReads(world)
  assert.deepEqual([world.deleted.length, await receiptOf(world)], [150, null], 'a discovery may still have its texts')
  world.usesTexts = false
  world.now += 1000
  await world.run.round()
  const counts = { traces: 150, steps: 450, metricEvents: 300, media: 148 }
  assert.deepEqual(await receiptOf(world), { ...counts, goneFromReadsAt: 1005, goneFromDiskAt: null })
  assert.deepEqual(world.steps, ['texts', '150 traces'])
  // Another job has its turn meanwhile, and a trace that comes later is deleted, too: the receipt begins anew.
  world.traces.set(BROKEN, someIds(1, 'b'))
  await world.add(2, BROKEN)
  await world.run.round()
  assert.equal(await world.status(2, BROKEN), 'succeeded')
  world.traces.set(WORKING, someIds(1, 'c'))
  for (const part of ['isPurged', 'isOffDisk'] as const) {
    world.now += 1000
    for (let step = 0; step < 2; step++) await world.run.round()
    assert.equal(await world.status(1, WORKING), 'running')
    world[part] = true
  }
  world.now += 1000
  await world.run.round()
  const whole = { traces: 151, steps: 453, metricEvents: 302, media: 148, goneFromReadsAt: 2005, goneFromDiskAt: 4005 }
  assert.deepEqual([await world.status(1, WORKING), await receiptOf(world)], ['succeeded', whole])
  assert.deepEqual(world.recorded, [whole])
})

test('a job of a user stays open until its receipt is in the audit log', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, someIds(1, 'a'))
  world.isPurged = world.isOffDisk = world.isAuditFull = true
  await world.add(1, WORKING, 'user.delete')
  // The trace, the receipt, the logs.
  for (let step = 0; step < 3; step++) {
    await world.run.round()
    world.now += 10_000
  }
  for (let attempt = 0; attempt < 3; attempt++) {
    await assert.rejects(world.run.round(), { code: 'disk_full' })
    assert.equal(await world.status(1, WORKING), 'running')
    world.now += 10_000
    // What was deleted meanwhile is not waited for.
    world.isOffDisk = false
  }
  world.isAuditFull = false
  await world.run.round()
  assert.equal(await world.status(1, WORKING), 'succeeded')
  assert.deepEqual(world.recorded, [await receiptOf(world)])
})

test('an empty page is not the end: the receipt waits until a whole walk of the list found nothing', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, someIds(1, 'a'))
  await world.add(1, WORKING, 'user.delete')
  world.emptyPages = 2
  for (let step = 0; step < 3; step++) await world.run.round()
  assert.deepEqual([world.deleted.length, await receiptOf(world)], [1, null])
  await world.run.round()
  assert.equal((await receiptOf(world))?.traces, 1)
})

test('a deletion of a user that has its receipt is not cancelled', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, someIds(1, 'a'))
  await world.add(1, WORKING, 'user.delete')
  const deletions = createDeletions({
    jobs: world.jobs,
    clock: { now: () => world.now },
    newId: () => 'job_9' as JobId,
    countTraces: async () => 0,
    restorable: () => assert.fail('nothing is created'),
  })
  for (let step = 0; step < 2; step++) await world.run.round()
  assert.equal((await receiptOf(world))?.traces, 1)
  assert.equal((await deletions.cancel(WORKING, 'job_1' as JobId)).status, 'running')
})

test('a user has traces to delete if the deletion of one can be undone', async () => {
  const world = new DeletionWorld()
  let left = [{}]
  const deletions = createDeletions({
    jobs: world.jobs,
    clock: { now: () => world.now },
    newId: () => 'job_9' as JobId,
    countTraces: async () => 0,
    async *restorable() {
      yield* left
    },
  })
  assert.equal((await deletions.createOfUser(WORKING, 'u')).kind, 'user.delete')
  left = []
  await assert.rejects(deletions.createOfUser(WORKING, 'u'), /No trace has this user_id/)
})

for (const kind of ['user.delete', 'traces.delete'] as const)
  test(`a page that is deleted again after a failure, or whose end was lost, is counted once: ${kind}`, async () => {
    const world = new DeletionWorld()
    world.traces.set(WORKING, someIds(10, 'a'))
    await world.add(1, WORKING, kind)
    world.failing.add('tr_a3' as TraceId)
    await assert.rejects(world.run.round(), /later/)
    assert.equal(world.deleted.length, 9)
    // As after a crash behind the deletion of a page: the job has not heard of it.
    const { advance } = world.jobs
    world.jobs.advance = () => Promise.reject(new Error('crashed'))
    world.now += 10_000
    await assert.rejects(world.run.round(), /crashed/)
    world.jobs.advance = advance
    world.now += 10_000
    await world.run.round()
    const counts = { traces: 10, steps: 30, metricEvents: 20 }
    if (kind === 'user.delete') assert.partialDeepStrictEqual(await receiptOf(world), counts)
    assert.equal((await world.jobs.find(WORKING, 'job_1' as JobId))?.done, 10)
  })

test('traces of the user whose deletion can be undone are counted and deleted, those of others stay', async () => {
  const world = new DeletionWorld()
  world.traces.set(WORKING, someIds(1, 'a'))
  const [own, other] = ['tr_own' as TraceId, 'tr_other' as TraceId]
  const deletion = (traceId: TraceId) => ({ projectId: WORKING, traceId, restorableUntil: 20_000 })
  world.journal.write({ ...numberedCommit(1), deleted: [deletion(own), deletion(other)] })
  await world.add(1, WORKING, 'user.delete')
  await world.run.round()
  assert.deepEqual(world.deleted.map(({ id }) => id).toSorted(), ['tr_a0', own])
  world.now = 20_000
  await world.run.round()
  assert.equal((await receiptOf(world))?.traces, 2)
  // The other deletion is final now: it may be of the user, too, and has to leave the disk.
  world.isPurged = true
  world.isOffDisk = true
  world.now += 1000
  await world.run.round()
  assert.equal(await world.status(1, WORKING), 'running')
  await world.journal.markPurged([other])
  world.now += 1000
  await world.run.round()
  assert.equal(await world.status(1, WORKING), 'succeeded')
})
