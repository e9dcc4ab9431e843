import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterId, StepId, TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { atOnce } from '../../lib/flow/in-slices.ts'
import type { JournalEvent, MetricEventKey, StepKey } from '../../ports/journal/journal.ts'
import { NO_USAGE } from '../rules/rollup.ts'
import { CommitBatch, UsageTreeMissing } from './commit-batch.ts'
import { planAppend } from './plan/append.ts'
import { planPatch } from './plan/change.ts'
import { planComplete } from './plan/complete.ts'
import { planCreate } from './plan/create.ts'
import { planDelete } from './plan/delete.ts'
import type { NewStep } from '../../ports/traces/trace-store.ts'
import { UsageTree } from '../rules/usage-tree.ts'
import type { CommitPlan, Known } from '../../ports/log/log.ts'
import { NOTHING_KNOWN } from '../../ports/log/nothing-known.test-support.ts'
import {
  BEGIN_MS,
  idAt,
  PROJECT,
  preparedStep,
  preparedTrace,
  traceRecord,
  created,
  commitContext,
} from '../trace-builders.test-support.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

/** Applies commits in sequence, as the committer does: each sees what the earlier ones wrote. */
interface Run<T> {
  readonly value: T
  readonly batch: CommitBatch
  readonly record: CommitPlan
  readonly events: readonly JournalEvent[]
}

class Commits {
  readonly traces = new Map<TraceId, TraceRecord>()
  readonly keys = new Map<string, StepKey>()
  readonly eventKeys = new Map<string, MetricEventKey>()
  version = 0
  /** The other contents of the log. */
  others: Partial<Known> = {}
  mostAttachments = 0
  readonly trees = new Map<TraceId, UsageTree>()
  readonly steps: NewStep[] = []
  /** What is planned is not committed. */
  fails = false
  #ids = 0

  /** As from the store. */
  loaded(id: TraceId): UsageTree {
    const tree = new UsageTree(() => null, this.traces.get(id)!.version)
    const heads = this.steps.filter(({ traceId }) => traceId === id)
    for (const { id: own, parentStepId, parentInferred, prepared } of heads) {
      tree.set(own, parentInferred ? null : parentStepId, prepared.model, prepared.tokenUsage)
    }
    return tree
  }

  run<T>(work: (batch: CommitBatch) => T): Run<T> {
    const batch = new CommitBatch(
      commitContext({
        version: this.version + 1,
        now: BEGIN_MS + this.version,
        newTraceId: () => idAt('tr', BEGIN_MS, ++this.#ids),
        newStepId: () => idAt('st', BEGIN_MS, ++this.#ids),
        known: {
          ...NOTHING_KNOWN,
          ...this.others,
          stepKey: (traceId, key) => this.keys.get(`${traceId}${key}`),
          metricEventKey: (traceId, key) => this.eventKeys.get(`${traceId}${key}`),
        },
        mostAttachments: this.mostAttachments,
        usageTree: (id) => this.trees.get(id) ?? null,
        currentTrace: (id) => this.traces.get(id)!,
      }),
    )
    let value: T
    try {
      value = work(batch)
    } catch (error) {
      if (!(error instanceof UsageTreeMissing)) throw error
      this.trees.set(error.traceId, this.loaded(error.traceId))
      return this.run(work)
    }
    if (this.fails) {
      batch.discard()
      return { value, batch, record: batch.toPlan(null), events: [] }
    }
    const record = batch.toPlan(null)
    if (!batch.isEmpty) this.version += 1
    for (const trace of batch.traces) this.traces.set(trace.id, trace)
    for (const [id, tree] of batch.treesOf(batch.context.version)) this.trees.set(id, tree)
    this.steps.push(...batch.steps)
    for (const key of record.stepKeys) this.keys.set(`${key.traceId}${key.key}`, key)
    for (const key of record.metricEventKeys) this.eventKeys.set(`${key.traceId}${key.key}`, key)
    return { value, batch, record, events: record.projects.flatMap(({ events }) => events) }
  }

  create(fields: Parameters<typeof preparedTrace>[0] = {}): TraceId {
    return this.run((open) => created(open, PROJECT, preparedTrace(fields), null)).value.id
  }
}

const CHOSEN: StepId = idAt('st', 5)
const keyed = (idempotencyKey: string, contentHash = 'a') => preparedStep({ idempotencyKey, contentHash })
const flagged = (traceId: TraceId, reason: string | null = null) => ({ type: 'trace.flagged', traceId, reason })
const completed = (traceId: TraceId) => ({ type: 'trace.completed', traceId }) as const

test('a new trace with its steps', () => {
  const commits = new Commits()
  const key = { key: 'once', bodyHash: 'h' }
  const steps = [
    preparedStep({ id: CHOSEN, contentHash: 'a', model: 'm', body: Buffer.from('{"a":1}') }),
    preparedStep(),
  ]
  const { value, batch, record } = commits.run((open) =>
    created(open, PROJECT, preparedTrace({ name: 'n', ownStatus: 'ok', steps }), key),
  )
  const [first, second] = batch.steps
  assert.deepEqual(value, { id: value.id, stepIds: [first?.id, second?.id], committedAt: BEGIN_MS })
  assert.deepEqual([first?.id, first?.position, first?.parentStepId, first?.parentInferred], [CHOSEN, 0, null, false])
  assert.deepEqual([second?.position, second?.parentStepId, second?.parentInferred], [1, CHOSEN, true])
  assert.deepEqual(batch.traces, [
    traceRecord(value.id, {
      name: 'n',
      ownStatus: 'ok',
      stepCount: 2,
      models: ['m'],
      bodyBytes: 9,
      lastStepId: second!.id,
    }),
  ])
  const { traces: _, steps: __, metricEvents: ___, ...journaled } = record
  assert.deepEqual(journaled, {
    version: 1,
    committedAt: BEGIN_MS,
    lastTraceId: value.id,
    projects: [{ projectId: PROJECT, events: [{ type: 'trace.committed', traceId: value.id }, completed(value.id)] }],
    traceKeys: [{ projectId: PROJECT, traceId: value.id, ...key }],
    stepKeys: [{ traceId: value.id, key: `i${CHOSEN}`, stepId: CHOSEN, contentHash: 'a' }],
    metricEventKeys: [],
    superseded: [],
    attachments: [],
    deleted: [],
    monitorTransitions: [],
    onceEvents: [],
    removedEvents: [],
    quietWaits: [],
  })
})

test('a trace committed as failed is committed and flagged, by its own status or by a step', () => {
  for (const fields of [
    { ownStatus: 'error', ownEndedAt: 5 },
    { steps: [preparedStep({ status: 'error' })] },
  ] as const) {
    const { value, events, batch } = new Commits().run((open) => created(open, PROJECT, preparedTrace(fields), null))
    assert.deepEqual(events, [{ type: 'trace.committed', traceId: value.id }, flagged(value.id), completed(value.id)])
    assert.deepEqual([batch.traces[0]?.status, batch.traces[0]?.flagged], ['error', true])
  }
})

test('a trace begun without steps grows until it is completed, once; a change lets its wait begin anew', () => {
  const commits = new Commits()
  const begun = commits.run((open) => created(open, PROJECT, preparedTrace(), null))
  const { id } = begun.value
  const wait = (waits: boolean) => [{ projectId: PROJECT, traceId: id, waits }]
  assert.deepEqual([begun.events, begun.record.quietWaits], [[{ type: 'trace.committed', traceId: id }], wait(true)])
  const appended = commits.run((open) => planAppend(open, id, [preparedStep()]))
  assert.deepEqual([appended.events, appended.record.quietWaits], [[], wait(true)])
  assert.deepEqual(commits.run((open) => planComplete(open, id, 1)).record.quietWaits, [], 'it has changed since')
  const patched = commits.run((open) => planPatch(open, id, { status: null, flagged: true, reason: null }))
  assert.deepEqual(patched.record.quietWaits, wait(true))
  const ended = commits.run((open) => [planComplete(open, id, 3), planComplete(open, id, 3)])
  assert.deepEqual([ended.value, ended.events], [[true, false], [completed(id)]])
  assert.deepEqual(ended.record.quietWaits, wait(false))
  assert.equal(commits.traces.get(id)?.updatedAt, BEGIN_MS + 2, 'to be completed is no change')
  const late = commits.run((open) => planAppend(open, id, [preparedStep()]))
  assert.deepEqual([late.events, late.record.quietWaits], [[], []])
  assert.equal(commits.run((open) => planComplete(open, id, 9)).value, false)
})

test('a growing trace that is deleted waits no more, also in the commit that changes it', () => {
  const commits = new Commits()
  const id = commits.create()
  const { record, events } = commits.run((open) => [planAppend(open, id, [preparedStep()]), planDelete(open, id)])
  assert.deepEqual([record.quietWaits, events], [[{ projectId: PROJECT, traceId: id, waits: false }], []])
  const again = commits.run((open) => planComplete(open, id, 9))
  assert.deepEqual([again.value, again.events], [false, []])
})

test('positions have no holes and inferred parents follow arrival, however appends are spread over commits', () => {
  const step = fc.record({ chooses: fc.boolean(), parent: fc.boolean(), repeats: fc.boolean() })
  const commitsArbitrary = fc.array(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 3 }), { maxLength: 5 })
  fc.assert(
    fc.property(commitsArbitrary, (plan) => {
      const commits = new Commits()
      const id = commits.create()
      const arrived: { id: StepId; parentStepId: StepId | null; parentInferred: boolean; position: number }[] = []
      let chosen = 0
      for (const appends of plan) {
        const { batch } = commits.run((open) => {
          for (const lines of appends) {
            planAppend(
              open,
              id,
              lines.map(({ chooses, parent, repeats }) =>
                preparedStep({
                  idempotencyKey: repeats ? 'again' : null,
                  contentHash: 'same',
                  id: chooses && !repeats ? idAt('st', 9, ++chosen) : null,
                  parentStepId: parent ? CHOSEN : null,
                }),
              ),
            )
          }
        })
        arrived.push(...batch.steps)
      }
      arrived.forEach((at, index) => {
        const before = arrived[index - 1]?.id ?? null
        assert.equal(at.position, index)
        assert.equal(at.parentStepId, at.parentStepId === CHOSEN ? CHOSEN : before)
        assert.equal(at.parentInferred, at.parentStepId !== CHOSEN && before !== null)
      })
      assert.equal(commits.traces.get(id)?.stepCount, arrived.length)
      assert.equal(commits.traces.get(id)?.lastStepId, arrived.at(-1)?.id ?? null)
      assert.equal(new Set(arrived.map((at) => at.id)).size, arrived.length)
    }),
    { numRuns: 200 },
  )
})

test('a step that is already stored is a duplicate: within one append, within one commit and later', () => {
  const commits = new Commits()
  const id = commits.create()
  const { value, batch } = commits.run((open) => [
    ...planAppend(open, id, [keyed('x'), keyed('x'), preparedStep({ id: CHOSEN, contentHash: 'b' })])!,
    ...planAppend(open, id, [keyed('x'), preparedStep({ id: CHOSEN, contentHash: 'b' })])!,
  ])
  const stepId = batch.steps[0]!.id
  assert.deepEqual(value, [
    { status: 'created', stepId },
    { status: 'duplicate', stepId },
    { status: 'created', stepId: CHOSEN },
    { status: 'duplicate', stepId },
    { status: 'duplicate', stepId: CHOSEN },
  ])
  const later = commits.run((open) => planAppend(open, id, [keyed('x')]))
  assert.deepEqual(later.value, [{ status: 'duplicate', stepId }])
  assert.ok(later.batch.isEmpty, 'an append that creates nothing makes an empty batch')
  assert.equal(commits.traces.get(id)?.stepCount, 2)
})

test('different content under a known key or id is a conflict and changes nothing; keys of another trace are separate', () => {
  const commits = new Commits()
  const [id, other] = [
    commits.create({ steps: [keyed('x'), preparedStep({ id: CHOSEN, contentHash: 'a' })] }),
    commits.create(),
  ]
  const { value, batch } = commits.run((open) =>
    planAppend(open, id, [keyed('x', 'b'), preparedStep({ id: CHOSEN, contentHash: 'b' }), preparedStep()]),
  )
  assert.deepEqual(
    value?.map((verdict) => (verdict.status === 'error' ? verdict.code : verdict.status)),
    ['idempotency_conflict', 'step_id_conflict', 'created'],
  )
  assert.equal(batch.steps.length, 1)
  assert.equal(commits.run((open) => planAppend(open, other, [keyed('x', 'b')])).value?.[0]?.status, 'created')
})

test('an append whose look-up fails half-way leaves the batch unchanged', () => {
  const commits = new Commits()
  const id = commits.create()
  const steps = [
    keyed('x'),
    Object.defineProperty(keyed('y'), 'contentHash', { get: () => assert.fail('the look-up failed') }),
  ]
  const { batch, record } = commits.run((open) => {
    assert.throws(() => planAppend(open, id, steps), /look-up failed/)
  })
  assert.ok(batch.isEmpty)
  assert.deepEqual([batch.steps, record.stepKeys, record.projects], [[], [], []])
})

test('each transition emits one trace.flagged, with the reason of the operation that caused it', () => {
  const commits = new Commits()
  const id = commits.create()
  const patch = (change: { status?: 'ok' | 'error'; flagged?: boolean; reason?: string }) => {
    const { events, value } = commits.run((batch) =>
      planPatch(batch, id, { status: null, flagged: null, reason: null, ...change }),
    )
    return [events, value?.status, value?.flagged, value?.flagReason]
  }
  assert.deepEqual(patch({ flagged: true, reason: 'odd' }), [[flagged(id, 'odd')], 'ok', true, 'odd'])
  assert.deepEqual(patch({ flagged: true }), [[], 'ok', true, 'odd'])
  assert.deepEqual(patch({ flagged: true, reason: '' }), [[], 'ok', true, null])
  assert.deepEqual(patch({ status: 'error', reason: 'bad' }), [[flagged(id, 'bad')], 'error', true, 'bad'])
  assert.deepEqual(patch({ status: 'error' }), [[], 'error', true, 'bad'])
  assert.deepEqual(patch({ flagged: false }), [[], 'error', false, null])
  assert.deepEqual(patch({ status: 'ok' }), [[], 'ok', false, null])
  assert.deepEqual(patch({ status: 'error', reason: 'again' }), [[flagged(id, 'again')], 'error', true, 'again'])
  assert.deepEqual(patch({ status: 'ok', flagged: false }), [[], 'ok', false, null])
  assert.deepEqual(patch({ flagged: true, reason: '' }), [[flagged(id)], 'ok', true, null])
  assert.deepEqual(patch({ status: 'ok', flagged: false }), [[], 'ok', false, null])
  assert.deepEqual(patch({ status: 'error', flagged: true, reason: 'both' }), [
    [flagged(id, 'both')],
    'error',
    true,
    'both',
  ])
})

test('a failed step marks the trace once, unless the run says how it ended', () => {
  const commits = new Commits()
  const id = commits.create()
  const fail = (of: TraceId) => commits.run((open) => planAppend(open, of, [preparedStep({ status: 'error' })])).events
  assert.deepEqual(fail(id), [flagged(id)])
  assert.deepEqual(fail(id), [])
  const { value, events } = commits.run((open) => planPatch(open, id, { status: 'ok', flagged: false, reason: null }))
  assert.deepEqual([value?.status, value?.flagged, value?.failedSteps, events], ['ok', false, 2, []])
  const coped = commits.create({ ownStatus: 'ok' })
  assert.deepEqual(fail(coped), [])
  assert.deepEqual([commits.traces.get(coped)?.status, commits.traces.get(coped)?.failedSteps], ['ok', 1])
})

test('usage by the tree is right whatever is not committed, and whenever the tree is not in memory', () => {
  const change = fc.oneof(
    fc.record({
      kind: fc.constant('append' as const),
      parents: fc.array(fc.option(fc.nat(9)), { minLength: 1, maxLength: 3 }),
      input: fc.nat(9),
    }),
    fc.record({ kind: fc.constantFrom('patch' as const, 'forget' as const) }),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(change, fc.boolean()), { maxLength: 12 }), (changes) => {
      const commits = new Commits()
      const id = commits.create()
      let next = 0
      for (const [one, fails] of changes) {
        commits.fails = fails
        if (one.kind === 'forget') commits.trees.clear()
        else if (one.kind !== 'append') {
          commits.run((open) => planPatch(open, id, { status: null, flagged: true, reason: null }))
        } else {
          const steps = one.parents.map((parent) =>
            preparedStep({
              id: idAt('st', 5, ++next),
              parentStepId: parent === null ? null : idAt('st', 5, parent),
              tokenUsage: { ...NO_USAGE, input: one.input },
              model: 'm',
            }),
          )
          commits.run((open) => planAppend(open, id, steps))
        }
        const { tokenUsage, digest } = commits.traces.get(id)!
        const { tokens, usage } = commits.loaded(id)
        if (digest.nesting !== 'none') assert.deepEqual([tokenUsage, digest.usage], [tokens, usage])
      }
    }),
  )
})

test('a deleted trace accepts nothing more, also within the commit that deletes it', () => {
  const commits = new Commits()
  const id = commits.create()
  const patch = { status: null, flagged: true, reason: null }
  const { value, record, batch } = commits.run((open) => [
    planDelete(open, id),
    planAppend(open, id, [preparedStep()]),
    planPatch(open, id, patch),
    planDelete(open, id),
  ])
  assert.deepEqual(value, [true, null, null, false])
  assert.deepEqual(record.deleted, [{ projectId: PROJECT, traceId: id }])
  assert.deepEqual([record.projects, batch.steps, batch.traces[0]?.deleted], [[], [], true])
  assert.deepEqual(commits.run((open) => planAppend(open, id, [preparedStep()])).value, null)
})

test('the previous sort keys are written once for each commit that changes a committed trace', () => {
  const commits = new Commits()
  const tokenUsage = { ...NO_USAGE, input: 2, output: 3 }
  const id = commits.create({ ownStartedAt: 1, ownEndedAt: 5, steps: [preparedStep({ tokenUsage })] })
  const twice = (batch: CommitBatch) => [
    planAppend(batch, id, [preparedStep()]),
    planAppend(batch, id, [preparedStep()]),
  ]
  assert.deepEqual(commits.run(twice).record.superseded, [
    {
      projectId: PROJECT,
      traceId: id,
      fromVersion: 1,
      untilVersion: 2,
      durationMs: 4,
      totalTokens: 5,
      stepCount: 1,
      usage: [],
    },
  ])
  assert.deepEqual(
    commits
      .run((open) => planDelete(open, id))
      .record.superseded.map(({ fromVersion, stepCount }) => [fromVersion, stepCount]),
    [[2, 3]],
  )
})

test('a commit that creates no trace keeps the last trace id', () => {
  const commits = new Commits()
  const id = commits.create()
  const { batch } = commits.run((open) => planAppend(open, id, [preparedStep()]))
  assert.equal(batch.toPlan(id).lastTraceId, id)
})

test('the events of a cluster discovery are committed for their own project', () => {
  const commits = new Commits()
  const events = [{ type: 'cluster.created' as const, clusterId: 'clu_1' as ClusterId, data: '{}' }]
  const run = { projectId: PROJECT, key: 'job_1', events }
  const { record, batch } = commits.run((open) => open.recordOnce(run))
  assert.equal(batch.isEmpty, false)
  assert.deepEqual([record.onceEvents, record.projects], [[run], [{ projectId: PROJECT, events }]])
  assert.equal(record.projects[0]?.events[0], events[0])
})

test('a key that was used earlier, in this commit or before, creates nothing', () => {
  const commits = new Commits()
  const key = { key: 'once', bodyHash: 'h' }
  const twice = commits.run((open) => {
    const first = created(open, PROJECT, preparedTrace(), key)
    return [first, atOnce(planCreate(open, PROJECT, preparedTrace(), { key: 'once', bodyHash: 'other' }))] as const
  })
  const [first, again] = twice.value
  assert.deepEqual(again, { projectId: PROJECT, traceId: first.id, ...key })
  assert.equal(twice.batch.traces.length, 1)
  commits.others = { traceKey: () => twice.record.traceKeys[0] }
  const later = commits.run((open) => atOnce(planCreate(open, PROJECT, preparedTrace(), key)))
  assert.deepEqual([later.value, later.batch.isEmpty], [again, true])
})
