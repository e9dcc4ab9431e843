import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { CommitBatch } from '../../traces/commit/commit-batch.ts'
import {
  BEGIN_MS,
  created,
  idAt,
  PROJECT,
  preparedStep,
  preparedTrace,
} from '../../traces/trace-builders.test-support.ts'
import { type CommitPlan, type Known, type Log, NO_UNKNOWNS } from './log.ts'
import { NOTHING_KNOWN } from './nothing-known.ts'

/** What every log keeps. `open` gives an empty one. */
export function testLog(open: () => Log): void {
  test('a commit is readable and told of, in order, before it resolves', async () => {
    const log = open()
    const told: string[] = []
    log.subscribe({
      committed: ({ plan, rows }) =>
        told.push(
          `${plan.version} at ${rows.map(({ lastPosition }) => lastPosition).join()}, ${log.watermark().version}`,
        ),
    })
    for (const steps of [0, 1]) {
      assert.equal((await log.commit(planOn(log, (batch) => createIn(batch, { steps })))).status, 'committed')
      told.push('answered')
    }
    assert.deepEqual(told, ['1 at 1, 1', 'answered', '2 at 2, 2', 'answered'])
  })

  test('a plan that another commit came before is a conflict, and nothing of it is written', async () => {
    const log = open()
    const late = planOn(log, (batch) => createIn(batch, { key: 'late' }))
    const rows: number[] = []
    await log.commit(planOn(log, (batch) => createIn(batch, {})))
    log.subscribe({ committed: ({ plan }) => rows.push(plan.version) })
    const before = log.watermark()
    assert.deepEqual(await log.commit(late), { status: 'conflict' })
    assert.deepEqual(log.watermark(), before)
    assert.deepEqual(rows, [])
    assert.equal((await lookUpKey(log, 'late')).traceKey(PROJECT, 'late'), undefined)
    // On what is there now it goes through.
    assert.equal((await log.commit(planOn(log, (batch) => createIn(batch, { key: 'late' })))).status, 'committed')
  })

  test('an idempotency key that is taken is a conflict, also for a planner that did not look', async () => {
    const log = open()
    await log.commit(planOn(log, (batch) => createIn(batch, { key: 'once' })))
    const blind = planOn(log, (batch) => createIn(batch, { key: 'once' }))
    assert.deepEqual(await log.commit(blind), { status: 'conflict' })
    const known = (await lookUpKey(log, 'once')).traceKey(PROJECT, 'once')
    assert.deepEqual([known?.traceId, known?.bodyHash], [log.watermark().lastTraceId, hash('sha256', 'once')])
  })

  test('keys of steps are known from the commit on, those not asked about are an error', async () => {
    const log = open()
    const plan = planOn(log, (batch) => createIn(batch, { steps: 1 }))
    const { traceId } = plan.stepKeys[0]!
    const names = { ...NO_UNKNOWNS, stepKeys: [{ traceId, key: 'kstep 0' }] }
    assert.equal((await log.lookUp(names)).stepKey(traceId, 'kstep 0'), undefined)
    await log.commit(plan)
    const known = await log.lookUp(names)
    assert.equal(known.stepKey(traceId, 'kstep 0')?.stepId, plan.steps[0]?.id)
    assert.throws(() => known.stepKey(traceId, 'kother'))
    assert.throws(() => known.traceKey(PROJECT, 'once'))
  })

  test('the last trace id stays when a commit makes none', async () => {
    const log = open()
    const plan = planOn(log, (batch) => createIn(batch, {}))
    await log.commit(plan)
    const { lastTraceId } = log.watermark()
    const trace = plan.traces[0]!
    await log.commit(
      planOn(
        log,
        (batch) => batch.append(trace.id, [preparedStep()]),
        NOTHING_KNOWN,
        () => trace,
      ),
    )
    assert.deepEqual([log.watermark().version, log.watermark().lastTraceId], [2, lastTraceId])
  })

  test('who has unsubscribed is told nothing', async () => {
    const log = open()
    const told: number[] = []
    const leave = log.subscribe({ committed: ({ plan }) => told.push(plan.version) })
    leave()
    await log.commit(planOn(log, (batch) => createIn(batch, {})))
    assert.deepEqual(told, [])
  })
}

let ids = 0

function planOn(
  log: Log,
  work: (batch: CommitBatch) => unknown,
  known: Known = NOTHING_KNOWN,
  currentTrace: (id: TraceId) => CommitPlan['traces'][number] = () => assert.fail('all traces are new'),
): CommitPlan {
  const batch = new CommitBatch({
    version: log.watermark().version + 1,
    now: BEGIN_MS,
    newTraceId: () => idAt('tr', BEGIN_MS, ++ids),
    newStepId: () => idAt('st', BEGIN_MS, ++ids),
    newMetricEventId: () => idAt('mev', BEGIN_MS, ++ids),
    newAttachmentId: () => idAt('med', BEGIN_MS, ++ids),
    mostAttachments: 0,
    known,
    currentTrace,
  })
  work(batch)
  return batch.toPlan(log.watermark().lastTraceId)
}

function createIn(batch: CommitBatch, { steps = 0, key = null }: { steps?: number; key?: string | null }): void {
  const own = Array.from({ length: steps }, (_, at) =>
    preparedStep({ idempotencyKey: `step ${at}`, contentHash: hash('sha256', `${at}`) }),
  )
  created(batch, PROJECT, preparedTrace({ steps: own }), key === null ? null : { key, bodyHash: hash('sha256', key) })
}

function lookUpKey(log: Log, key: string): Promise<Known> {
  return log.lookUp({ ...NO_UNKNOWNS, traceKeys: [{ projectId: PROJECT, key }] })
}
