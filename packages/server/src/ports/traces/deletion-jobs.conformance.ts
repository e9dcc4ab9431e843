import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { JobId } from '@spoor/contract/ids'
import { idAt } from '../../traces/trace-builders.test-support.ts'
import { aProject, projectId } from '../access/access-builders.test-support.ts'
import type { ProjectStore } from '../access/project-store.ts'
import type { DeletionJob, DeletionJobStore } from './deletion-jobs.ts'

interface Stores {
  readonly projects: ProjectStore
  readonly deletionJobs: DeletionJobStore
}

function aDeletionJob(number: number, fields: Partial<DeletionJob> = {}): DeletionJob {
  return {
    id: `job_01h2xcejqtf2nbrexx3vqjhp4${number}` as JobId,
    projectId: projectId(1),
    kind: 'traces.delete',
    filters: '{"name":"é"}',
    status: 'queued',
    done: 0,
    total: 5,
    error: null,
    receipt: null,
    createdAt: number,
    finishedAt: null,
    ...fields,
  }
}

/** Guarantees of the store of deletions. `open` gives empty stores. */
export function testDeletionJobs(open: (context: TestContext) => Promise<Stores>): void {
  async function filled(context: TestContext): Promise<DeletionJobStore> {
    const { projects, deletionJobs } = await open(context)
    await projects.create(aProject(1), [])
    for (const number of [2, 1]) await deletionJobs.add(aDeletionJob(number))
    return deletionJobs
  }

  test('a deletion is found in its own project', async (context) => {
    const jobs = await filled(context)
    const { id } = aDeletionJob(1)
    assert.deepEqual(await jobs.find(projectId(1), id), aDeletionJob(1))
    assert.equal(await jobs.find(projectId(2), id), undefined)
    assert.equal(await jobs.advance(id, { deleted: 3, status: 'running', error: null, at: 50 }), true)
    assert.deepEqual(await jobs.nextOpen(null), aDeletionJob(1, { status: 'running', done: 3 }))
    assert.equal(await jobs.advance(id, { deleted: 2, status: 'succeeded', error: null, at: 60 }), true)
    const ended = aDeletionJob(1, { status: 'succeeded', done: 5, finishedAt: 60 })
    assert.deepEqual(await jobs.find(projectId(1), id), ended)
  })

  test('open deletions are next in turns, also of different projects and kinds', async (context) => {
    const jobs = await filled(context)
    const [first, second, third] = [1, 2, 3].map((number) => aDeletionJob(number))
    assert.ok(first && second && third)
    await jobs.add({ ...third, kind: 'retention' })
    const next = async (after: JobId | null) => (await jobs.nextOpen(after))?.id
    assert.deepEqual(
      [await next(null), await next(first.id), await next(second.id), await next(third.id)],
      [first.id, second.id, third.id, first.id],
    )
    assert.equal(await jobs.hasOpen(projectId(1), 'retention'), true)
    assert.equal(await jobs.hasOpen(projectId(2), 'retention'), false)
    await jobs.advance(third.id, { deleted: 0, status: 'succeeded', error: null, at: 60 })
    assert.equal(await jobs.hasOpen(projectId(1), 'retention'), false)
    assert.equal(await next(second.id), first.id)
    for (const { id } of [first, second]) {
      await jobs.advance(id, { deleted: 0, status: 'cancelled', error: null, at: 60 })
    }
    assert.equal(await next(first.id), undefined)
  })

  test('a deletion that was cancelled counts its last step and stays cancelled', async (context) => {
    const jobs = await filled(context)
    const { id } = aDeletionJob(1)
    await jobs.advance(id, { deleted: 0, status: 'cancelled', error: null, at: 50 })
    assert.equal(await jobs.advance(id, { deleted: 4, status: 'succeeded', error: null, at: 60 }), false)
    const cancelled = aDeletionJob(1, { status: 'cancelled', done: 4, finishedAt: 50 })
    assert.deepEqual(await jobs.find(projectId(1), id), cancelled)
  })

  test('a receipt stays until a step replaces it', async (context) => {
    const jobs = await filled(context)
    const { id } = aDeletionJob(1)
    const receipt = { traces: 1, steps: 3, metricEvents: 2, media: 1, goneFromReadsAt: 40, goneFromDiskAt: null }
    await jobs.advance(id, { deleted: 1, status: 'running', error: null, receipt, at: 50 })
    await jobs.advance(id, { deleted: 0, status: 'running', error: null, at: 55 })
    assert.deepEqual((await jobs.find(projectId(1), id))?.receipt, receipt)
    await jobs.advance(id, { deleted: 0, status: 'running', error: null, receipt: null, at: 57 })
    assert.equal((await jobs.find(projectId(1), id))?.receipt, null)
    const whole = { ...receipt, goneFromDiskAt: 60 }
    await jobs.advance(id, { deleted: 0, status: 'succeeded', error: null, receipt: whole, at: 60 })
    assert.deepEqual((await jobs.find(projectId(1), id))?.receipt, whole)
  })

  test('what is counted again replaces what was counted, until the job has ended', async (context) => {
    const jobs = await filled(context)
    const [first, second] = [aDeletionJob(1).id, aDeletionJob(2).id]
    const of = (number: number, steps: number) => ({
      traceId: idAt('tr', number, number),
      steps,
      metricEvents: 2,
      media: 1,
    })
    await jobs.count(first, [of(2, 5), of(1, 1)])
    await jobs.count(first, [of(2, 6), of(3, 7)])
    await jobs.count(second, [of(2, 9)])
    assert.deepEqual(await jobs.counted(first, null, 2), [of(1, 1), of(2, 6)])
    assert.deepEqual(await jobs.counted(first, of(2, 6).traceId, 2), [of(3, 7)])
    await jobs.advance(first, { deleted: 3, status: 'succeeded', error: null, at: 50 })
    assert.deepEqual(await jobs.counted(first, null, 9), [])
    assert.deepEqual(await jobs.counted(second, null, 9), [of(2, 9)])
  })

  test('deletions that ended long ago are removed', async (context) => {
    const jobs = await filled(context)
    const { id } = aDeletionJob(1)
    await jobs.advance(id, { deleted: 0, status: 'failed', error: 'why', at: 50 })
    await jobs.prune(50, 9)
    assert.equal((await jobs.find(projectId(1), id))?.error, 'why')
    await jobs.prune(51, 9)
    assert.equal(await jobs.find(projectId(1), id), undefined)
    assert.notEqual(await jobs.find(projectId(1), aDeletionJob(2).id), undefined)
  })
}
