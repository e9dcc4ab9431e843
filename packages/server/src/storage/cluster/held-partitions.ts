import type { ProjectId } from '@spoor/contract/ids'
import { storeUnavailable } from '../store-failure.ts'
import type { CommitPlan } from '../../ports/log/log.ts'
import type { ClusterTraceStore } from './cluster-trace-store.ts'
import { partitionOf, PARTITIONS, rowsIn } from './partitions.ts'

export interface HeldPartitionsDependencies {
  readonly memory: Pick<ClusterTraceStore, 'lacking' | 'complete'>
  /** These commits as they are in the log, without those that were deleted from it. */
  readonly read: (versions: readonly number[]) => AsyncIterable<CommitPlan>
  /** Called when all rows of these partitions are readable here. */
  readonly taken: (partitions: ReadonlySet<number>) => void
  /** Milliseconds of the timers. */
  readonly now: () => number
}

interface Use {
  users: number
  /** Milliseconds of the timers. */
  until: number
}

/** Commits that are read at once. */
export const COMMITS_PER_READ = 50
/** A partition is held this long after a request for it, and after this node commits for it no more. */
const KEPT_MS = 30_000
/**
 * The same after work under the lease, which reads any partition without a use of its own. It must have ended by then;
 * it notices within seconds that the lease is lost.
 */
export const KEPT_AFTER_WORK_MS = 10 * 60_000

/** The partitions whose commits a node reads with their rows, as they come: see ClusterLog. */
export class HeldPartitions {
  readonly #dependencies: HeldPartitionsDependencies
  /** With the count of `#steps` when they were taken. */
  readonly #held = new Map<number, number>()
  #holding: Promise<void> = Promise.resolve()
  /** Counts plans that were begun and partitions that were taken. */
  #steps = 0
  #planBegan = 0
  readonly #uses = new Map<number, Use>()

  constructor(dependencies: HeldPartitionsDependencies) {
    this.#dependencies = dependencies
  }

  get areAll(): boolean {
    return this.#held.size === PARTITIONS
  }

  numbers(): readonly number[] {
    return [...this.#held.keys()]
  }

  has(number: number): boolean {
    return this.#held.has(number)
  }

  beginPlan(): void {
    this.#planBegan = ++this.#steps
  }

  /** Whether they were held when the plan began, and have been since: else its planner may have missed a commit. */
  haveBeenSincePlan(partitions: readonly number[]): boolean {
    return partitions.every((number) => (this.#held.get(number) ?? Infinity) < this.#planBegan)
  }

  /** Whether requests under way use a partition that is not among these. */
  areUsedBeyond(partitions: readonly number[]): boolean {
    return [...this.#uses].some(([number, { users }]) => users > 0 && !partitions.includes(number))
  }

  /**
   * Resolves when all rows of these partitions that this node knows of are readable here. From then on, ClusterLog
   * reads theirs too, until `keep` lets them go: at the earliest after `keptMs`. Rejects with DomainError
   * `storage_unavailable`.
   */
  async hold(partitions: readonly number[], keptMs = KEPT_MS): Promise<void> {
    const until = this.#dependencies.now() + keptMs
    for (const number of partitions) {
      const use = this.#useOf(number)
      use.until = Math.max(use.until, until)
    }
    if (partitions.every((number) => this.#held.has(number))) return
    const load = () => this.#load(new Set(partitions.filter((number) => !this.#held.has(number))))
    this.#holding = this.#holding.then(load, load)
    await this.#holding
  }

  /** As `hold`, of the partition of the project, which is kept until the returned function is called. */
  async use(projectId: ProjectId): Promise<() => void> {
    const partition = partitionOf(projectId)
    const use = this.#useOf(partition)
    use.users++
    let isOver = false
    const end = () => {
      if (!isOver) use.users--
      isOver = true
      use.until = Math.max(use.until, this.#dependencies.now() + KEPT_MS)
    }
    try {
      await this.hold([partition])
    } catch (error) {
      end()
      throw error
    }
    return end
  }

  /** As `hold`, and lets go of all others that are not in use and were not lately. */
  async keep(partitions: readonly number[], keptMs?: number): Promise<void> {
    const now = this.#dependencies.now()
    for (const number of this.#held.keys()) {
      const { users, until } = this.#useOf(number)
      if (users === 0 && until <= now && !partitions.includes(number)) this.#held.delete(number)
    }
    await this.hold(partitions, keptMs)
  }

  #useOf(partition: number): Use {
    const use = this.#uses.get(partition) ?? { users: 0, until: 0 }
    this.#uses.set(partition, use)
    return use
  }

  async #load(partitions: ReadonlySet<number>): Promise<void> {
    const { memory, read, taken } = this.#dependencies
    for (;;) {
      const versions = memory.lacking(partitions).slice(0, COMMITS_PER_READ)
      const last = versions.at(-1)
      if (last === undefined) break
      for await (const plan of read(versions)) memory.complete(rowsIn(plan, partitions), partitions)
      const [left] = memory.lacking(partitions)
      if (left !== undefined && left <= last)
        throw storeUnavailable(
          undefined,
          'Recent writes have left the log before this node could read them in ClickHouse.',
        )
    }
    // In one turn with the last look: what is committed from now on is published with its rows.
    for (const number of partitions) this.#held.set(number, ++this.#steps)
    taken(partitions)
  }
}
