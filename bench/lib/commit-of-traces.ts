import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { CommitBatch, type CommitContext } from '../../packages/server/src/traces/commit/commit-batch.ts'

/** A commit of new traces without attachments and metric events. */
export function commitOfTraces(
  context: Pick<CommitContext, 'version' | 'now' | 'newTraceId' | 'newStepId'>,
): CommitBatch {
  const unused = () => {
    throw new Error('there are new traces only')
  }
  return new CommitBatch({
    newMetricEventId: unused,
    newAttachmentId: unused,
    currentTrace: unused,
    mostAttachments: 0,
    metadataLimits: DEFAULT_LIMITS,
    contextLimit: () => null,
    usageTree: () => null,
    known: {
      traceKey: () => undefined,
      stepKey: () => undefined,
      metricEventKey: () => undefined,
      hasMedia: () => false,
      attachmentsOf: () => 0,
    },
    ...context,
  })
}
