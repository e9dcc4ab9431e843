import { MemoryTraceStore } from '../../ports/traces/memory-trace-store.test-support.ts'
import type { FeedCandidate, FeedCandidateQuery, StoredCommit } from '../../ports/traces/trace-store.ts'
import { LeadingTraces } from '../recent/leading-traces.ts'
import type { RowLog } from './embedded-log.ts'

/** Rows that a log writes into memory. A test decides how long a stage takes, and what fails. */
export class MemoryRows extends MemoryTraceStore implements RowLog {
  #staged: StoredCommit | null = null
  /** So few that a walk leaves them. */
  readonly #leading = new LeadingTraces(5)
  /** Awaited at the start of each stage. */
  beforeStage: () => Promise<void> = async () => undefined
  /** How many of the next stages reject. */
  failures = 0
  /** While it is true, repairs reject. */
  isBroken = false
  stages = 0

  async waitForCapacity(): Promise<void> {}

  async stage(commit: StoredCommit): Promise<void> {
    this.stages += 1
    await this.beforeStage()
    if (this.failures > 0) {
      this.failures -= 1
      throw new Error('nothing was staged')
    }
    this.#staged = commit
  }

  publish(version: number): void {
    const staged = this.#staged
    if (staged?.version !== version) throw new Error(`commit ${version} is not the one that was staged`)
    this.#staged = null
    this.add(staged)
    this.#leading.add(staged)
  }

  override findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    return this.#leading.find(query, (asked) => super.findFeedCandidates(asked))
  }

  async repair(): Promise<void> {
    if (this.isBroken) throw new Error('not repaired')
    this.#staged = null
  }
}
