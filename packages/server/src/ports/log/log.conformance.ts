import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import type { BlobKey } from '../media/blob-store.ts'
import type { StoredBytes } from '../media/media-record.ts'
import { CommitBatch } from '../../traces/commit/commit-batch.ts'
import { planAppend } from '../../traces/commit/plan/append.ts'
import { planEvents } from '../../traces/commit/plan/events.ts'
import { score } from '../../traces/commit/metric-event-builders.test-support.ts'
import {
  BEGIN_MS,
  created,
  idAt,
  OTHER_PROJECT,
  PROJECT,
  preparedStep,
  preparedTrace,
  commitContext,
} from '../../traces/trace-builders.test-support.ts'
import type { Journal } from '../journal/journal.ts'
import { type CommitPlan, type Known, type Log, NO_UNKNOWNS } from './log.ts'
import { NOTHING_KNOWN } from './nothing-known.test-support.ts'

export interface LogUnderTest {
  readonly log: Log
  /** Makes the next commit fail; the log is sure of its state again before that commit rejects. */
  failNextCommit(code: 'disk_full' | 'storage_unavailable'): void
  /** Makes the next commit fail; the log is not sure of its state until the returned function was called. */
  breakAtNextCommit(): () => void
  /** Adds media to a project. */
  addMedia(projectId: ProjectId, sha256: string): Promise<void>
  /** Makes a key pending, as for bytes that are being stored. */
  beginBlob(key: BlobKey): Promise<void>
}

const IMAGE = hash('sha256', 'image')
const OTHER_IMAGE = hash('sha256', 'other image')
const STORED = {
  kind: 'image',
  filename: null,
  claimedType: 'image/png',
  facts: { sha256: IMAGE, contentType: 'image/png', sizeBytes: 70_000, width: 10, height: 7 },
} as const

/** The contract of every log. `open` returns an empty one. */
export function testLog(open: (context: TestContext) => LogUnderTest | Promise<LogUnderTest>): void {
  test('a commit is readable and listeners are notified, in order, before it resolves', async (context) => {
    const { log } = await open(context)
    const calls: string[] = []
    log.subscribe({
      committed: ({ plan, rows }) =>
        calls.push(
          `${plan.version} at ${rows.map(({ lastPosition }) => lastPosition).join()}, ${log.watermark().version}`,
        ),
    })
    for (const steps of [0, 1]) {
      assert.equal((await log.commit(planOn(log, (batch) => createIn(batch, { steps })))).status, 'committed')
      calls.push('answered')
    }
    // A trace with a step is complete: it has two events.
    assert.deepEqual(calls, ['1 at 1, 1', 'answered', '2 at 3, 2', 'answered'])
  })

  test('a plan is a conflict if another commit came between, and nothing of it is written', async (context) => {
    const { log } = await open(context)
    const late = planOn(log, (batch) => createIn(batch, { key: 'late' }))
    await log.commit(planOn(log, (batch) => createIn(batch, {})))
    await assertConflict(log, late)
    assert.equal((await lookUpKey(log, 'late')).traceKey(PROJECT, 'late'), undefined)
    // Planned again on the present state, it is committed.
    assert.equal((await log.commit(planOn(log, (batch) => createIn(batch, { key: 'late' })))).status, 'committed')
  })

  test('a taken idempotency key of a trace is a conflict, also if the planner did not look it up', async (context) => {
    const { log } = await open(context)
    await log.commit(planOn(log, (batch) => createIn(batch, { key: 'once' })))
    await assertConflict(
      log,
      planOn(log, (batch) => createIn(batch, { key: 'once' })),
    )
    const known = (await lookUpKey(log, 'once')).traceKey(PROJECT, 'once')
    assert.deepEqual([known?.traceId, known?.bodyHash], [log.watermark().lastTraceId, hash('sha256', 'once')])
  })

  test('idempotency keys of traces belong to their project', async (context) => {
    const { log } = await open(context)
    await log.commit(planOn(log, (batch) => createIn(batch, { key: 'once' })))
    const inOther = { ...NO_UNKNOWNS, traceKeys: [{ projectId: OTHER_PROJECT, key: 'once' }] }
    assert.equal((await log.lookUp(inOther)).traceKey(OTHER_PROJECT, 'once'), undefined)
    const plan = planOn(log, (batch) => createIn(batch, { key: 'once', projectId: OTHER_PROJECT }))
    assert.equal((await log.commit(plan)).status, 'committed')
    assert.equal((await log.lookUp(inOther)).traceKey(OTHER_PROJECT, 'once')?.traceId, plan.traces[0]?.id)
  })

  test('a taken key of a step is a conflict, and the step keeps its id', async (context) => {
    const { log } = await open(context)
    const [trace, other] = [await commitTrace(log, { steps: 1 }), await commitTrace(log, {})]
    const append = (to: CommitPlan['traces'][number]) =>
      planOn(
        log,
        (batch) => planAppend(batch, to.id, [keyedStep(0)]),
        NOTHING_KNOWN,
        () => to,
      )
    const names = { ...NO_UNKNOWNS, stepKeys: [trace, other].map(({ id }) => ({ traceId: id, key: 'kstep 0' })) }
    const before = (await log.lookUp(names)).stepKey(trace.id, 'kstep 0')
    await assertConflict(log, append(trace))
    assert.deepEqual((await log.lookUp(names)).stepKey(trace.id, 'kstep 0'), before)
    assert.equal((await log.lookUp(names)).stepKey(other.id, 'kstep 0'), undefined)
    assert.equal((await log.commit(append(other))).status, 'committed')
    assert.ok((await log.lookUp(names)).stepKey(other.id, 'kstep 0'))
  })

  test('a taken key of a metric event is a conflict; keys of steps are separate from those of metric events', async (context) => {
    const { log } = await open(context)
    const trace = await commitTrace(log, { steps: 1 })
    const record = () => {
      const event = score({ traceId: trace.id, idempotencyKey: 'step 0' })
      return planOn(
        log,
        (batch) => planEvents(batch, [event]),
        NOTHING_KNOWN,
        () => trace,
      )
    }
    const names = { ...NO_UNKNOWNS, metricEventKeys: [{ traceId: trace.id, key: 'step 0' }] }
    assert.equal((await log.lookUp(names)).metricEventKey(trace.id, 'step 0'), undefined)
    const plan = record()
    assert.equal((await log.commit(plan)).status, 'committed')
    await assertConflict(log, record())
    assert.deepEqual((await log.lookUp(names)).metricEventKey(trace.id, 'step 0'), plan.metricEventKeys[0])
  })

  test('media is known in its own project only', async (context) => {
    const { log, addMedia } = await open(context)
    await addMedia(PROJECT, IMAGE)
    const media = [PROJECT, OTHER_PROJECT].flatMap((projectId) =>
      [IMAGE, OTHER_IMAGE].map((sha256) => ({ projectId, sha256 })),
    )
    const known = await log.lookUp({ ...NO_UNKNOWNS, media: [...media, ...media] })
    assert.deepEqual(
      media.map(({ projectId, sha256 }) => known.hasMedia(projectId, sha256)),
      [true, false, false, false],
    )
  })

  test('attachments of a trace are counted with those of its steps, from their commit on', async (context) => {
    const { log, addMedia } = await open(context)
    await addMedia(PROJECT, IMAGE)
    const knows = { ...NOTHING_KNOWN, hasMedia: () => true }
    const plan = planOn(log, (batch) => createIn(batch, { steps: 2, attachments: [IMAGE] }), knows)
    const [trace, other] = [plan.traces[0]!.id, idAt('tr', BEGIN_MS, 0)]
    const names = { ...NO_UNKNOWNS, attachments: [trace, other] }
    assert.equal((await log.lookUp(names)).attachmentsOf(trace), 0)
    assert.equal((await log.commit(plan)).status, 'committed')
    const known = await log.lookUp(names)
    assert.deepEqual([known.attachmentsOf(trace), known.attachmentsOf(other)], [2, 0])
  })

  test('stored bytes become media of the project with the commit that links them, once', async (context) => {
    const { log, beginBlob } = await open(context)
    const [key, unused] = [`${PROJECT}/stored`, `${PROJECT}/unused`] as BlobKey[] as [BlobKey, BlobKey]
    await beginBlob(key)
    await beginBlob(unused)
    const commit = async (stored: BlobKey) => {
      const plan = planOn(log, (batch) => createIn(batch, { steps: 2, attachments: [IMAGE] }), {
        ...NOTHING_KNOWN,
        hasMedia: () => true,
      })
      const attachments = plan.attachments.map((link) => ({ ...link, stored: { ...STORED, key: stored } }))
      assert.equal((await log.commit({ ...plan, attachments })).status, 'committed')
      const trace = plan.traces[0]!.id
      const known = await log.lookUp({
        ...NO_UNKNOWNS,
        media: [{ projectId: PROJECT, sha256: IMAGE }],
        attachments: [trace],
      })
      assert.deepEqual([known.hasMedia(PROJECT, IMAGE), known.attachmentsOf(trace)], [true, 2])
    }
    await commit(key)
    // The project has them now: these are left alone.
    await commit(unused)
  })

  test('stored bytes that were given up meanwhile are a conflict, and say so', async (context) => {
    const { log } = await open(context)
    const knows = { ...NOTHING_KNOWN, hasMedia: () => true }
    const plan = planOn(log, (batch) => createIn(batch, { steps: 1, attachments: [IMAGE] }), knows)
    const stored: StoredBytes = { ...STORED, key: `${PROJECT}/given up` as BlobKey }
    const [link] = plan.attachments
    await assertConflict(log, { ...plan, attachments: [{ ...link!, stored }] })
    assert.equal(stored.isGone, true)
    assert.equal((await log.commit(planOn(log, (batch) => createIn(batch, {})))).status, 'committed')
  })

  test('a link to media that the project does not have is a conflict', async (context) => {
    const { log, addMedia } = await open(context)
    await addMedia(OTHER_PROJECT, IMAGE)
    const knows = { ...NOTHING_KNOWN, hasMedia: () => true }
    await assertConflict(
      log,
      planOn(log, (batch) => createIn(batch, { steps: 1, attachments: [IMAGE] }), knows),
    )
    await commitTrace(log, {})
  })

  test('a name that was not looked up is an error', async (context) => {
    const { log } = await open(context)
    const plan = planOn(log, (batch) => createIn(batch, { steps: 1, key: 'once' }))
    const { traceId } = plan.stepKeys[0]!
    const names = { ...NO_UNKNOWNS, stepKeys: [{ traceId, key: 'kstep 0' }] }
    assert.equal((await log.lookUp(names)).stepKey(traceId, 'kstep 0'), undefined)
    await log.commit(plan)
    const known = await log.lookUp(names)
    assert.equal(known.stepKey(traceId, 'kstep 0')?.stepId, plan.steps[0]?.id)
    assert.throws(() => known.stepKey(traceId, 'kother'))
    assert.throws(() => known.traceKey(PROJECT, 'once'))
    assert.throws(() => known.metricEventKey(traceId, 'step 0'))
    assert.throws(() => known.hasMedia(PROJECT, IMAGE))
    assert.throws(() => known.attachmentsOf(traceId))
  })

  for (const code of ['disk_full', 'storage_unavailable'] as const) {
    test(`a commit that fails with ${code} leaves nothing, and the same plan can be committed later`, async (context) => {
      const { log, failNextCommit } = await open(context)
      await log.commit(planOn(log, (batch) => createIn(batch, {})))
      const calls: string[] = []
      log.subscribe({
        committed: ({ plan }) => calls.push(`committed ${plan.version}`),
        refusing: (error) => calls.push(error.code),
      })
      const before = log.watermark()
      const plan = planOn(log, (batch) => createIn(batch, { steps: 1, key: 'once' }))
      failNextCommit(code)
      await assert.rejects(log.commit(plan), (error) => {
        calls.push('answered')
        return error instanceof DomainError && error.code === code && error.retryAfterSeconds !== undefined
      })
      assert.deepEqual(calls, [code, 'answered'])
      assert.deepEqual([log.watermark(), log.refusal()], [before, null])
      const { traceId } = plan.stepKeys[0]!
      const names = {
        ...NO_UNKNOWNS,
        traceKeys: [{ projectId: PROJECT, key: 'once' }],
        stepKeys: [{ traceId, key: 'kstep 0' }],
      }
      const known = await log.lookUp(names)
      assert.deepEqual([known.traceKey(PROJECT, 'once'), known.stepKey(traceId, 'kstep 0')], [undefined, undefined])
      assert.equal((await log.commit(plan)).status, 'committed')
      assert.deepEqual(calls, [code, 'answered', 'committed 2'])
      assert.ok((await log.lookUp(names)).stepKey(traceId, 'kstep 0'))
    })
  }

  test('a log that is not sure of its state refuses commits until it is; then a retry finds out about the first', async (context) => {
    const { log, breakAtNextCommit } = await open(context)
    const refused: string[] = []
    log.subscribe({ refusing: ({ code }) => refused.push(code) })
    const isUnavailable = (error: unknown) => error instanceof DomainError && error.code === 'storage_unavailable'
    const plan = planOn(log, (batch) => createIn(batch, { key: 'once' }))
    const repair = breakAtNextCommit()
    await assert.rejects(log.commit(plan), isUnavailable)
    assert.deepEqual(refused, ['storage_unavailable'])
    assert.equal(log.refusal()?.code, 'storage_unavailable')
    const blocked = planOn(log, (batch) => createIn(batch, { key: 'blocked' }))
    await assert.rejects(log.commit(blocked), isUnavailable)
    repair()
    while (log.refusal() !== null) await new Promise((resolve) => setImmediate(resolve))
    assert.equal((await lookUpKey(log, 'blocked')).traceKey(PROJECT, 'blocked'), undefined)
    const isStored = (await lookUpKey(log, 'once')).traceKey(PROJECT, 'once') !== undefined
    assert.equal(log.watermark().version, isStored ? 1 : 0)
    if (!isStored) await log.commit(planOn(log, (batch) => createIn(batch, { key: 'once' })))
    await assertConflict(
      log,
      planOn(log, (batch) => createIn(batch, { key: 'once' })),
    )
  })

  test('the last trace id does not change if a commit creates no trace', async (context) => {
    const { log } = await open(context)
    const trace = await commitTrace(log, {})
    const { lastTraceId } = log.watermark()
    await log.commit(
      planOn(
        log,
        (batch) => planAppend(batch, trace.id, [preparedStep()]),
        NOTHING_KNOWN,
        () => trace,
      ),
    )
    assert.deepEqual([log.watermark().version, log.watermark().lastTraceId], [2, lastTraceId])
  })

  test('a listener is not called after its subscription has ended', async (context) => {
    const { log, failNextCommit } = await open(context)
    const calls: unknown[] = []
    const unsubscribe = log.subscribe({
      committed: ({ plan }) => calls.push(plan.version),
      refusing: ({ code }) => calls.push(code),
    })
    unsubscribe()
    await commitTrace(log, {})
    failNextCommit('storage_unavailable')
    await assert.rejects(commitTrace(log, {}))
    assert.deepEqual(calls, [])
  })
}

function planOn(
  log: Log,
  work: (batch: CommitBatch) => unknown,
  known: Known = NOTHING_KNOWN,
  currentTrace: (id: TraceId) => CommitPlan['traces'][number] = () => assert.fail('all traces are new'),
): CommitPlan {
  const batch = new CommitBatch(commitContext({ version: log.begin().version + 1, known, currentTrace }))
  work(batch)
  return batch.toPlan(log.watermark().lastTraceId)
}

const WEEK_MS = 7 * 24 * 3_600_000

/** That idempotency keys of traces and steps expire, and no others, in a log that stores them in this journal. */
export function testExpiry(
  open: (context: TestContext) => Promise<{ readonly log: Log; readonly journal: Pick<Journal, 'expireKeys'> }>,
): void {
  test('idempotency keys of traces and steps are known for the whole window, and then written anew', async (context) => {
    const { log, journal } = await open(context)
    const start = 1_800_000_000_000
    const expire = (days: number, limit?: number) => journal.expireKeys(start + days * (WEEK_MS / 7), WEEK_MS, limit)
    // A store begins without a window.
    assert.equal(await expire(0), 0)
    const ofSender = `${String.fromCharCode(1)}otel 1`
    const first = await commitTrace(log, { steps: 2, key: 'once' })
    const sent = planOn(log, (batch) => createIn(batch, { key: ofSender }))
    assert.equal((await log.commit(sent)).status, 'committed')
    const chosen = { ...keyedStep(7), id: idAt('st', start, 1), idempotencyKey: 'chosen' }
    const event = score({ traceId: first.id, idempotencyKey: 'scored' })
    const appended = planOn(
      log,
      (batch) => {
        planAppend(batch, first.id, [chosen])
        planEvents(batch, [event])
      },
      NOTHING_KNOWN,
      () => first,
    )
    assert.equal((await log.commit(appended)).status, 'committed')
    const names = {
      ...NO_UNKNOWNS,
      traceKeys: ['once', ofSender].map((key) => ({ projectId: PROJECT, key })),
      stepKeys: ['kstep 0', 'kchosen', `i${chosen.id}`].map((key) => ({ traceId: first.id, key })),
      metricEventKeys: [{ traceId: first.id, key: 'scored' }],
    }
    const known = async () => {
      const found = await log.lookUp(names)
      return [
        ...names.traceKeys.map(({ key }) => found.traceKey(PROJECT, key)?.traceId !== undefined),
        ...names.stepKeys.map(({ key }) => found.stepKey(first.id, key)?.stepId !== undefined),
        found.metricEventKey(first.id, 'scored') !== undefined,
      ]
    }
    const [all, lasting] = [
      [true, true, true, true, true, true],
      [false, true, false, false, true, true],
    ]
    assert.deepEqual(await known(), all)
    // Within the window nothing is forgotten, also by a clock that steps back.
    for (const days of [6, -30, 0, 6.9]) assert.equal(await expire(days), 0)
    assert.deepEqual(await known(), all)
    assert.equal(await expire(7), 0)
    assert.deepEqual(await known(), all)
    const second = await commitTrace(log, { steps: 1, key: 'twice' })
    assert.equal(await expire(13.9), 0)
    assert.deepEqual(await known(), all)
    // A slice at a time; what is not removed yet is not known either.
    assert.equal(await expire(14, 3), 3)
    assert.deepEqual(await known(), lasting)
    assert.deepEqual([await expire(14), await expire(14)], [1, 0])
    assert.deepEqual(await known(), lasting)
    const later = { ...NO_UNKNOWNS, stepKeys: [{ traceId: second.id, key: 'kstep 0' }] }
    assert.ok((await log.lookUp(later)).stepKey(second.id, 'kstep 0'))
    const again = await commitTrace(log, { steps: 1, key: 'once' })
    assert.equal((await lookUpKey(log, 'once')).traceKey(PROJECT, 'once')?.traceId, again.id)
    await assertConflict(
      log,
      planOn(log, (batch) => createIn(batch, { key: 'once' })),
    )
  })
}

interface NewTrace {
  readonly projectId?: ProjectId
  readonly steps?: number
  /** Of each step. */
  readonly attachments?: readonly string[]
  readonly key?: string | null
}

function createIn(
  batch: CommitBatch,
  { projectId = PROJECT, steps = 0, attachments = [], key = null }: NewTrace,
): void {
  const own = Array.from({ length: steps }, (_, at) => ({ ...keyedStep(at), attachments }))
  created(batch, projectId, preparedTrace({ steps: own }), key === null ? null : { key, bodyHash: hash('sha256', key) })
}

function keyedStep(number: number) {
  return preparedStep({ idempotencyKey: `step ${number}`, contentHash: hash('sha256', `${number}`) })
}

async function commitTrace(log: Log, trace: NewTrace): Promise<CommitPlan['traces'][number]> {
  const plan = planOn(log, (batch) => createIn(batch, trace))
  assert.equal((await log.commit(plan)).status, 'committed')
  return plan.traces[0]!
}

/** Nothing changes, no listener is called, and the log still takes commits. */
async function assertConflict(log: Log, plan: CommitPlan): Promise<void> {
  const before = log.watermark()
  const calls: string[] = []
  const unsubscribe = log.subscribe({
    committed: () => calls.push('committed'),
    refusing: () => calls.push('refusing'),
  })
  assert.deepEqual(await log.commit(plan), { status: 'conflict' })
  unsubscribe()
  assert.deepEqual([log.watermark(), log.refusal(), calls], [before, null, []])
}

function lookUpKey(log: Log, key: string): Promise<Known> {
  return log.lookUp({ ...NO_UNKNOWNS, traceKeys: [{ projectId: PROJECT, key }] })
}
