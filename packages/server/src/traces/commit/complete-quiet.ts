import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import type { Journal, TraceName } from '../../ports/journal/journal.ts'
import type { CommitBatch } from './commit-batch.ts'
import type { GroupCommitter } from './group-committer.ts'
import { planComplete } from './plan/complete.ts'
import type { TraceCache } from './trace-cache.ts'

export interface CompleteQuietDependencies {
  readonly committer: Pick<GroupCommitter, 'submit'>
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly journal: Pick<Journal, 'quietSince'>
}

/** Traces of one query. They share commits. */
const TOGETHER = 500
/** Approximate memory that a waiting completion holds, bytes, without the metadata of its trace. */
const COMPLETION_BYTES = 1024

/**
 * Completes the traces with a root that no commit after `version` has changed. Each gets one `trace.completed`, however
 * often and on however many nodes this runs, because a commit completes only a trace that is still growing. `owns`:
 * whose traces, by default all; other nodes complete the others. Resolves with false if some still wait, as while
 * nothing can be committed; a later call goes on.
 */
export async function completeQuiet(
  dependencies: CompleteQuietDependencies,
  version: number,
  owns: (projectId: ProjectId) => boolean = () => true,
): Promise<boolean> {
  let limit = TOGETHER
  for (;;) {
    const quiet = await dependencies.journal.quietSince(version, limit)
    const own = quiet.filter(({ projectId }) => owns(projectId))
    const first = own.slice(0, TOGETHER)
    const completed = await Promise.all(first.map((trace) => complete(dependencies, trace, version)))
    if (!completed.every(Boolean)) return false
    if (quiet.length < limit && first.length === own.length) return true
    limit = quiet.length - own.length + TOGETHER
  }
}

/** Whether the trace does not wait any more. */
async function complete(
  { committer, cache }: CompleteQuietDependencies,
  trace: TraceName,
  version: number,
): Promise<boolean> {
  const { projectId, traceId } = trace
  try {
    const held = await cache.hold(projectId, traceId)
    if (held === null) {
      // Deleted just now, or its rows are lost.
      const apply = (batch: CommitBatch) => void batch.waitEnds.push({ ...trace, waits: false })
      await committer.submit({ owner: 'service', bytes: COMPLETION_BYTES, apply })
      return true
    }
    try {
      const bytes = COMPLETION_BYTES + held.metadata.length
      return await committer.submit({
        owner: 'service',
        bytes,
        apply: (batch) => planComplete(batch, traceId, version),
      })
    } finally {
      cache.release(traceId)
    }
  } catch (error) {
    // The queue is full, the disk too, or the store does not answer: whoever sends traces is told so, too.
    if (error instanceof DomainError) return false
    throw error
  }
}
