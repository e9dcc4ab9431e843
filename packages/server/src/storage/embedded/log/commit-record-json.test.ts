import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import { decodeCommitRecord, encodeCommitRecord } from './commit-record-json.ts'
import type { CommitRecord, JournalEvent } from '../../../ports/journal/journal.ts'
import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'

const [A, B] = ['proj_a', 'proj_b'] as string[] as [ProjectId, ProjectId]
const TRACE = 'tr_1' as TraceId

function transition(projectId: ProjectId, at: number): MonitorTransition {
  return {
    projectId,
    monitorId: 'mon_1',
    revision: 1,
    to: 'fired',
    cause: 'evaluation',
    previouslyEvaluatedAt: null,
    at,
    value: 0.5,
    samples: 3,
    threshold: 0.25,
    monitor: '{}',
  } as unknown as MonitorTransition
}

test('a record comes back as it was, and its events are the objects that transitions and runs name', () => {
  const transitions = [transition(A, 1), transition(A, 2), transition(B, 3)]
  const fired = transitions.map((one): JournalEvent => ({ type: 'monitor.fired', transition: one }))
  const created: JournalEvent = { type: 'cluster.created', clusterId: 'clu_1' as ClusterId, data: '{"a":"ä\\ud800"}' }
  const shifted: JournalEvent = { ...created, type: 'cluster.shifted' }
  const record: CommitRecord = {
    version: 2 ** 40,
    committedAt: 1_700_000_000_123,
    lastTraceId: TRACE,
    projects: [
      { projectId: A, events: [{ type: 'trace.committed', traceId: TRACE }, fired[0]!, created, fired[1]!, shifted] },
      { projectId: B, events: [fired[2]!, { type: 'trace.flagged', traceId: TRACE, reason: null }] },
    ],
    traceKeys: [{ projectId: A, key: 'k', bodyHash: 'ff', traceId: TRACE }],
    stepKeys: [],
    metricEventKeys: [],
    superseded: [
      {
        projectId: A,
        traceId: TRACE,
        fromVersion: 1,
        untilVersion: 2,
        durationMs: null,
        totalTokens: 3,
        stepCount: 4,
        usage: null,
      },
    ],
    attachments: [],
    deleted: [{ projectId: B, traceId: TRACE }],
    removedEvents: [],
    monitorTransitions: transitions,
    onceEvents: [{ projectId: A, key: 'job_1', events: [created, shifted] }],
    quietWaits: [],
  }
  const decoded = decodeCommitRecord(encodeCommitRecord(record))
  assert.deepEqual(decoded, record)
  assert.equal(decoded.onceEvents[0]?.events[1], decoded.projects[0]?.events[4])
  const event = decoded.projects[1]?.events[0]
  assert.ok(event !== undefined && 'transition' in event)
  assert.equal(decoded.monitorTransitions[2], event.transition)
})
