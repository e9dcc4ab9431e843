import { DomainError } from '../../lib/domain-error.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import { hasWholeDigest, type TraceDigest } from '../../ports/traces/trace-record.ts'
import type { StoredTrace } from '../../ports/traces/trace-store.ts'
import type { UndigestedTraces } from '../../ports/traces/undigested-traces.ts'
import { stepSaid } from '../intake/step-said.ts'
import type { TraceUseCases } from '../use-cases.ts'
import type { GroupCommitter } from './group-committer.ts'
import type { TraceCache } from './trace-cache.ts'
import { EMPTY_DIGEST, withStep } from './trace-digest.ts'

export interface FillDigestsDependencies {
  readonly undigested: UndigestedTraces
  readonly committer: Pick<GroupCommitter, 'submit'>
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly read: TraceUseCases['read']
  /** The version of the last commit. */
  readonly version: () => number
}

/** Traces of one query to the engine. */
const FOUND_TOGETHER = 10_000
/** Traces that are read at the same time, and share a commit. */
const FILLED_TOGETHER = 16
/** Approximate memory that a waiting digest holds, bytes, without the metadata of its trace. */
const FILL_BYTES = 4096

/**
 * Gives traces that an earlier version stored the whole digest of their steps, by a later version of each. These
 * commits have no events, and change nothing else of a trace.
 *
 * Nothing is recorded of the progress: the traces that are left say it. A trace that changes while it is read is filled
 * in by a later pass. On several nodes at once this does no harm, but the same work twice.
 */
export class DigestFiller {
  readonly #dependencies: FillDigestsDependencies
  #waiting: StoredTrace[] = []
  /** Where the pass over all traces is; null before its first query. */
  #pass: { readonly begunAt: number; after: StoredTrace | null; isListed: boolean; filled: number } | null = null
  /**
   * Traces without a digest have greater versions. A node of an earlier version may write some while this runs. It is
   * the version at the start of the pass before the last one: that has settled by now.
   */
  #sinceVersion = 0
  #lastBegunAt = 0

  constructor(dependencies: FillDigestsDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * One step; call it sequentially. Resolves with true when a pass has found nothing to fill in. Rejects with
   * DomainError while nothing can be committed; the next step goes on.
   */
  async step(): Promise<boolean> {
    // Nothing was committed since: a ClickHouse that sleeps is not woken.
    if (this.#pass === null && this.#sinceVersion === this.#dependencies.version()) return true
    const pass = (this.#pass ??= { begunAt: this.#dependencies.version(), after: null, isListed: false, filled: 0 })
    if (this.#waiting.length === 0 && !pass.isListed) await this.#list(pass)
    const some = this.#waiting.slice(0, FILLED_TOGETHER)
    const filled = await Promise.all(some.map((trace) => this.#fill(trace)))
    this.#waiting.splice(0, some.length)
    pass.filled += filled.filter(Boolean).length
    if (this.#waiting.length > 0 || !pass.isListed) return false
    this.#pass = null
    if (pass.filled > 0) return false
    this.#sinceVersion = this.#lastBegunAt
    this.#lastBegunAt = pass.begunAt
    return true
  }

  async #list(pass: { after: StoredTrace | null; isListed: boolean }): Promise<void> {
    const range = { after: pass.after, sinceVersion: this.#sinceVersion, limit: FOUND_TOGETHER }
    this.#waiting = [...(await this.#dependencies.undigested.find(range))]
    pass.after = this.#waiting.at(-1) ?? pass.after
    pass.isListed = this.#waiting.length < FOUND_TOGETHER
  }

  /** Whether a later pass has to look at the trace again, or it was filled in. */
  async #fill({ projectId, traceId }: StoredTrace): Promise<boolean> {
    const { committer, cache, read } = this.#dependencies
    let found: { readonly version: number; readonly digest: TraceDigest }
    try {
      const { trace, steps } = await read(projectId, traceId, true)
      if (hasWholeDigest(trace)) return false
      found = { version: trace.version, digest: await digestOf(steps) }
    } catch (error) {
      if (isGone(error)) return false
      throw error
    }
    const held = await cache.hold(projectId, traceId)
    if (held === null) return false
    try {
      const { version, digest } = found
      await committer.submit({
        owner: 'service',
        bytes: FILL_BYTES + held.metadata.length,
        apply: (batch) => batch.fillDigest(traceId, version, digest),
      })
      return true
    } finally {
      cache.release(traceId)
    }
  }
}

/** Deleted meanwhile, or some of its rows are lost: then its list shows nothing of its steps. */
function isGone(error: unknown): boolean {
  return error instanceof DomainError && (error.code === 'not_found' || error.code === 'storage_damaged')
}

async function digestOf(pages: AsyncIterable<readonly StepRecord[]>): Promise<TraceDigest> {
  let digest = EMPTY_DIGEST
  for await (const page of pages) digest = withStoredSteps(digest, page)
  return digest
}

/** The digest after these steps. */
export function withStoredSteps(before: TraceDigest, steps: readonly StepRecord[]): TraceDigest {
  return steps.reduce((digest, { position, body, ...step }) => {
    const { messages, error } = JSON.parse(body) as { readonly messages?: unknown; readonly error?: unknown }
    return withStep(digest, position, { ...step, said: stepSaid(messages, error) })
  }, before)
}
