import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import type { StoredBytes } from '../../ports/media/media-record.ts'
import type { SpanMedia } from '../../ports/traces/prepared.ts'
import type { StagedBytes } from '../commit/plan/write-steps.ts'
import type { LinkableMedia } from '../intake/linkable-media.ts'

/** Where the bytes of messages are stored. */
export interface SpanMediaStore extends LinkableMedia {
  /** Durable when it resolves, and part of nothing: a commit links it, then `release` is called. */
  store(projectId: ProjectId, media: SpanMedia): Promise<StoredBytes>
  /** Call it after the commit, whatever became of it: bytes in use are left alone. Never throws. */
  release(stored: StoredBytes): Promise<void>
}

/** Media of one export that are written at the same time. */
const WRITTEN_TOGETHER = 8

const NONE: StagedBytes = new Map()

/**
 * Stores the media that the project does not have, runs `commit`, and releases what no commit has linked. Rejects as
 * the store or `commit` does.
 */
export async function withStagedMedia<T>(
  store: SpanMediaStore,
  projectId: ProjectId,
  media: readonly SpanMedia[],
  commit: (staged: StagedBytes) => Promise<T>,
): Promise<T> {
  if (media.length === 0) return commit(NONE)
  const names = media.map(({ sha256 }) => sha256)
  const existing = await store.existing(projectId, names)
  const missing = media.filter(({ sha256 }) => !existing.has(sha256))
  const staged = new Map<string, StoredBytes>()
  let mayBeLinked = false
  try {
    const queue = missing.values()
    const writers = Array.from({ length: Math.min(WRITTEN_TOGETHER, missing.length) }, async () => {
      for (const one of queue) staged.set(one.sha256, await store.store(projectId, one))
    })
    const failed = (await Promise.allSettled(writers)).find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    return await commit(staged)
  } catch (error) {
    // The next start may complete the commit, and gives up the rest.
    mayBeLinked = error instanceof DomainError && error.isOutcomeUnknown
    throw error
  } finally {
    if (!mayBeLinked) await Promise.all([...staged.values()].map((stored) => store.release(stored)))
  }
}
