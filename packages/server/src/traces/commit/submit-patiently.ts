import { DomainError } from '../../lib/domain-error.ts'
import { UsageTreeMissing } from './commit-batch.ts'
import type { GroupCommitter } from './group-committer.ts'
import type { TraceCache } from './trace-cache.ts'

export interface Patience {
  readonly committer: Pick<GroupCommitter, 'nextCommit'>
  readonly cache: Pick<TraceCache, 'loadTree'>
}

/** How often a full queue, or a trace that others keep changing, is tried again before the request is refused. */
const TRIES = 20

/** Waits for room in a full queue for a while, and reads the usage of a held trace when the commit needs it. */
export async function patiently<T>({ committer, cache }: Patience, submit: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await submit()
    } catch (error) {
      if (error instanceof UsageTreeMissing && tries < TRIES) await cache.loadTree(error.traceId)
      else if (error instanceof UsageTreeMissing) {
        const busy = 'Others keep writing to the trace; send the request again.'
        throw new DomainError('storage_unavailable', busy, { retryAfterSeconds: 1 })
      } else if (error instanceof DomainError && error.code === 'queue_full' && tries < TRIES) {
        await committer.nextCommit()
      } else throw error
    }
  }
}
