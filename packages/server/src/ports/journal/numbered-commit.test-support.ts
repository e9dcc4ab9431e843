import { hash } from 'node:crypto'
import type { Id, IdPrefix } from '@spoor/contract/ids'
import type { CommitRecord } from './journal.ts'
import { idFromBytes } from '../../lib/ids/typeid.ts'

export const STEPS_PER_COMMIT = 20

/** For tests: an id that is told by two numbers, greater for greater ones. */
export function numberedId<P extends IdPrefix>(prefix: P, major: number, minor = 0): Id<P> {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(major, 0, 6)
  bytes.writeUIntBE(minor, 6, 6)
  return idFromBytes(prefix, bytes)
}

/** For tests: a commit whose whole content follows from its number: 2 projects, 3 events, keys of every kind. */
export function numberedCommit(version: number): CommitRecord {
  const [first, second] = [numberedId('proj', 1), numberedId('proj', 2)]
  const traceId = numberedId('tr', version, 0)
  const otherTraceId = numberedId('tr', version, 1)
  return {
    version,
    committedAt: version * 1000,
    lastTraceId: otherTraceId,
    projects: [
      {
        projectId: first,
        events: [
          { type: 'trace.committed', traceId },
          { type: 'trace.flagged', traceId, reason: `no ${version}` },
        ],
      },
      { projectId: second, events: [{ type: 'trace.committed', traceId: otherTraceId }] },
    ],
    traceKeys: [{ projectId: first, key: `trace ${version}`, bodyHash: sha256(`body ${version}`), traceId }],
    stepKeys: Array.from({ length: STEPS_PER_COMMIT }, (_, index) => ({
      traceId,
      key: `kstep ${index}`,
      stepId: numberedId('st', version, index),
      contentHash: sha256(`step ${version} ${index}`),
    })),
    metricEventKeys: [
      { traceId, key: 'event', eventId: numberedId('mev', version), contentHash: sha256(`event ${version}`) },
    ],
    superseded: [
      {
        projectId: first,
        traceId,
        fromVersion: version - 1,
        untilVersion: version,
        durationMs: null,
        totalTokens: version,
        stepCount: 1,
        usage: null,
      },
    ],
    attachments: [],
    removedEvents: [],
    deleted: [{ projectId: second, traceId: otherTraceId }],
    monitorTransitions: [],
    onceEvents: [],
    quietWaits: [{ projectId: first, traceId, waits: true }],
  }
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
