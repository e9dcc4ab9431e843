import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { atOnce } from '../lib/flow/in-slices.ts'
import { NOTHING_KNOWN } from '../ports/log/nothing-known.test-support.ts'
import type { CommitContext } from './commit/commit-batch.ts'
import { type CreatedTrace, planCreate } from './commit/plan/create.ts'
import type { Id, IdPrefix, ProjectId, TraceId } from '@spoor/contract/ids'
import { idFromBytes } from '../lib/ids/typeid.ts'
import { usageOfStep } from '../ports/prices/bill.ts'
import type { PreparedStep, PreparedTrace } from '../ports/traces/prepared.ts'
import { addSteps, NO_TOKENS, type StepRollup } from './rules/rollup.ts'
import { EMPTY_DIGEST } from './rules/trace-digest.ts'
import { toOtherWords } from './rules/search-text.ts'
import { NO_CALLS } from './intake/step-calls.ts'
import { NOTHING_SAID } from './intake/step-said.ts'
import type { TraceRecord } from '../ports/traces/trace-record.ts'
import type { NewStep } from '../ports/traces/trace-store.ts'

/** For tests: the id with this millisecond and this number within it. Ids are ordered by both. */
export function idAt<P extends IdPrefix>(prefix: P, timeMs: number, number = 0): Id<P> {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(timeMs, 0, 6)
  bytes.writeUIntBE(number, 10, 6)
  return idFromBytes(prefix, bytes)
}

/** The sums after steps arrived, whose usage is a plain sum. */
export function added(before: StepRollup, steps: readonly PreparedStep[]): StepRollup {
  const placed = steps.map((prepared, at) => ({
    prepared,
    position: before.stepCount + at,
    id: idAt('st', before.stepCount + at),
  }))
  return addSteps(before, placed, null, () => null)
}

export const PROJECT: ProjectId = idAt('proj', 1)
export const OTHER_PROJECT: ProjectId = idAt('proj', 2)
/** 2026-03-01T00:00:00Z. */
export const BEGIN_MS = Date.UTC(2026, 2, 1)

export function preparedStep(fields: Partial<PreparedStep> = {}): PreparedStep {
  return {
    id: null,
    parentStepId: null,
    idempotencyKey: null,
    contentHash: '',
    name: 'step',
    type: 'other',
    model: null,
    status: null,
    startedAt: null,
    endedAt: null,
    firstTokenMs: null,
    tokenUsage: null,
    attachments: [],
    body: Buffer.from('{}'),
    texts: ['step'],
    otherWords: toOtherWords(fields.texts ?? []),
    said: NOTHING_SAID,
    calls: NO_CALLS,
    sender: '',
    ...fields,
  }
}

export function preparedTrace(fields: Partial<PreparedTrace> = {}): PreparedTrace {
  return {
    name: 'trace',
    runType: 'agent',
    ownStatus: null,
    ownStartedAt: null,
    ownEndedAt: null,
    sessionId: null,
    userId: null,
    metadata: Buffer.from('{}'),
    steps: [],
    ...fields,
  }
}

export function traceRecord(id: TraceId, fields: Partial<TraceRecord> = {}): TraceRecord {
  return {
    projectId: PROJECT,
    id,
    version: 1,
    createdAt: BEGIN_MS,
    deleted: false,
    name: 'trace',
    runType: 'agent',
    ownStatus: null,
    status: 'ok',
    flagged: false,
    flagReason: null,
    metadata: Buffer.from('{}'),
    sessionId: null,
    userId: null,
    ownStartedAt: null,
    ownEndedAt: null,
    failedSteps: 0,
    stepsStartedAt: null,
    stepsEndedAt: null,
    stepCount: 0,
    tokenUsage: NO_TOKENS,
    models: [],
    bodyBytes: 0,
    lastStepId: null,
    spans: null,
    growing: false,
    updatedAt: null,
    digest: EMPTY_DIGEST,
    ...fields,
  }
}

const NO_MODEL = { model: null, tokenUsage: null }

/** A step of `trace`, written by the same commit. */
export function newStep(trace: TraceRecord, position: number, fields: Partial<NewStep> = {}): NewStep {
  return {
    projectId: trace.projectId,
    traceId: trace.id,
    traceCreatedAt: trace.createdAt,
    version: trace.version,
    id: idAt('st', trace.createdAt, position),
    position,
    parentStepId: null,
    parentInferred: false,
    receivedAt: trace.createdAt,
    prepared: preparedStep(),
    usage: usageOfStep(fields.prepared ?? NO_MODEL, () => null),
    ...fields,
  }
}

let ids = 0

/** Of a first commit: nothing is known, and all traces are new. */
export function commitContext(fields: Partial<CommitContext> = {}): CommitContext {
  return {
    version: 1,
    now: BEGIN_MS,
    newTraceId: () => idAt('tr', BEGIN_MS, ++ids),
    newStepId: () => idAt('st', BEGIN_MS, ++ids),
    newMetricEventId: () => idAt('mev', BEGIN_MS, ++ids),
    newAttachmentId: () => idAt('med', BEGIN_MS, ++ids),
    mostAttachments: 10,
    metadataLimits: DEFAULT_LIMITS,
    contextLimit: () => null,
    usageTree: () => null,
    known: NOTHING_KNOWN,
    currentTrace: (id) => {
      throw new Error(`${id} is not held`)
    },
    ...fields,
  }
}

/** Creates a trace in a batch; its key must be new. */
export function created(...of: Parameters<typeof planCreate>): CreatedTrace {
  const trace = atOnce(planCreate(...of))
  if ('bodyHash' in trace) throw new Error(`the key ${trace.key} is known`)
  return trace
}
