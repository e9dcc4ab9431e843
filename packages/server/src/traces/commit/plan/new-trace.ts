import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { creationTime } from '../../../ports/journal/creation-time.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { CommitContext } from '../commit-batch.ts'
import { NO_STEPS, sumsOf } from '../../rules/rollup.ts'

export function newTrace({ version, now }: CommitContext, projectId: ProjectId, id: TraceId): TraceRecord {
  return {
    projectId,
    id,
    version,
    createdAt: creationTime(id, now),
    deleted: false,
    name: '',
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
    ...sumsOf(NO_STEPS),
    spans: null,
    growing: false,
    updatedAt: null,
  }
}
