import type { RemovalMark } from '../../ports/journal/journal.ts'
import type { TraceId } from '@spoor/contract/ids'
import type { DomainError } from '../../lib/domain-error.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { textsLength } from '../../ports/traces/prepared.ts'
import type { StoredCommit, StoredTrace, TraceReads } from '../../ports/traces/trace-store.ts'
import { JoinedTraceReads, TRACES_PER_STATEMENT } from '../recent/joined-trace-reads.ts'
import type { SettledRows } from '../recent/settled-rows.ts'
import { storeUnavailable } from '../store-failure.ts'
import { LocalMark } from './local-mark.ts'
import { partitionOf } from './partitions.ts'

export interface ClusterTraceStoreOptions {
  readonly settled: SettledRows
  /** The last trace of all commits; null when there is none. Those that are published here may be among them. */
  readonly lastTraceId: TraceId | null
  /** Published commits are those after this one. All through it have settled. */
  readonly settledThrough: number
  /** Asks the node that settles to settle through this commit at once. */
  readonly want: (version: number) => Promise<void>
  readonly timers: Timers
  readonly clock: Clock
  /** Commits are refused while this many bytes wait to settle. */
  readonly mostUnsettledBytes: number
}

/** A commit that is in memory until it has settled. */
export interface UnsettledCommit {
  commit: StoredCommit
  /** What all its rows take in memory. */
  readonly bytes: number
  /** When this node has read of it, milliseconds of the timers. */
  readonly at: number
  /** Partitions whose rows are in the log alone. */
  missing: readonly number[]
}

/** Objects, and the words for search, of one row of memory. */
const BYTES_PER_ROW = 1000
/** A node that starts while ClickHouse is away reads commits that were made up to this much earlier. */
const LONGEST_UNSETTLED_MS = 24 * 3600_000
/** A batch normally settles within a second. A read that has waited longer is refused. */
const MOST_WAIT_MS = 15_000
/** A commit waits this long for space; after that, commits are refused until there is some. */
const MOST_WAIT_FOR_CAPACITY_MS = 5000

/**
 * Telemetry of several nodes: commits that the log has published here and that have not settled, joined with
 * ClickHouse.
 */
export class ClusterTraceStore extends JoinedTraceReads implements TraceReads {
  readonly #options: ClusterTraceStoreOptions
  #unsettled: UnsettledCommit[] = []
  #unsettledBytes = 0
  #publishedThrough: number
  readonly #evictedThrough: LocalMark
  #prunedThrough = 0
  #wantedThrough = 0
  /** Space was waited for in vain, and nothing has settled since. */
  #isFull = false
  /** Of some commits, rows came late or, once they had settled, not at all. */
  readonly #gaps = new Set<number>()
  readonly #failing = new Set<'settling' | 'reading'>()
  #size: { readonly evictedThrough: number; readonly bytes: number } | null = null
  /** The batch that is purged, and the newest version of its traces; null until none of them is in memory. */
  #purging: { readonly traces: readonly StoredTrace[]; newestVersion: number | null } | null = null

  constructor(options: ClusterTraceStoreOptions) {
    super(options.settled, options.lastTraceId, partitionOf)
    this.#options = options
    this.#publishedThrough = options.settledThrough
    this.#evictedThrough = new LocalMark(options.settledThrough, options.timers)
  }

  /** Makes the rows of a commit readable, but for those of partitions that are `missing`. Call it in commit order. */
  publish(commit: StoredCommit, bytes: number, missing: readonly number[]): void {
    this.#unsettled.push({ commit, bytes, at: this.#options.timers.now(), missing })
    this.#unsettledBytes += bytes
    this.#publishedThrough = commit.version
    this.show(commit)
  }

  /** Commits that have not settled and of which rows of these partitions are missing, oldest first. */
  lacking(partitions: ReadonlySet<number>): readonly number[] {
    const isLacking = ({ missing }: UnsettledCommit) => missing.some((number) => partitions.has(number))
    return this.#unsettled.filter(isLacking).map(({ commit }) => commit.version)
  }

  /** Makes the missing rows of these partitions readable; `rows` has no others. Nothing if the commit has settled. */
  complete(rows: StoredCommit, partitions: ReadonlySet<number>): void {
    const found = this.#unsettled[rows.version - (this.#unsettled[0]?.commit.version ?? 0)]
    if (found === undefined) return
    for (const number of found.missing) if (partitions.has(number)) this.#gaps.add(number)
    found.missing = found.missing.filter((number) => !partitions.has(number))
    found.commit = joined(found.commit, rows)
    this.show(rows)
  }

  /**
   * Call it when all rows of these partitions are readable here. Returns those of which some were missing until now:
   * caches lack them, so listeners of `watch` are told.
   */
  bridge(partitions: ReadonlySet<number>, lastTraceId: TraceId | null): ReadonlySet<number> {
    const behind = new Set([...partitions].filter((number) => this.#gaps.delete(number)))
    if (behind.size > 0) this.miss(behind, lastTraceId)
    return behind
  }

  /** Commits in memory, oldest first. */
  get unsettled(): readonly UnsettledCommit[] {
    return this.#unsettled
  }

  get unsettledBytes(): number {
    return this.#unsettledBytes
  }

  get evictedThrough(): number {
    return this.#evictedThrough.value
  }

  /** Whether a read waits until commits have settled. */
  get isAwaited(): boolean {
    return this.#wantedThrough > this.evictedThrough
  }

  /** Commits through this one are readable in ClickHouse, by this node too: memory need not hold them. */
  evict(through: number): void {
    const count = this.#unsettled.findIndex(({ commit }) => commit.version > through)
    const gone = this.#unsettled.splice(0, count === -1 ? this.#unsettled.length : count)
    if (gone.length === 0) return
    this.recent.drop(gone.map(({ commit }) => commit))
    for (const { bytes, missing } of gone) {
      this.#unsettledBytes -= bytes
      for (const number of missing) this.#gaps.add(number)
    }
    this.#isFull = false
    this.#evictedThrough.raise((gone.at(-1) as UnsettledCommit).commit.version)
  }

  /** Payloads of commits through this one are no longer in PostgreSQL. */
  setPrunedThrough(version: number): void {
    this.#prunedThrough = version
  }

  /** Whether ClickHouse accepts nothing, or cannot be read, as far as this node has seen. */
  setFailing(what: 'settling' | 'reading', isFailing: boolean): void {
    if (!isFailing) this.#failing.delete(what)
    else if (!this.#failing.has(what)) {
      this.#failing.add(what)
      this.#evictedThrough.wake()
    }
  }

  /** Why a commit would be refused, or null. */
  capacityRefusal(): DomainError | null {
    return this.#isFull ? tooMuchWaits() : null
  }

  /** Resolves when one more commit may be written. Rejects with `storage_unavailable` when nothing settles. */
  async waitForCapacity(): Promise<void> {
    const { mostUnsettledBytes, timers } = this.#options
    const until = timers.now() + MOST_WAIT_FOR_CAPACITY_MS
    while (this.#unsettledBytes >= mostUnsettledBytes) {
      if (this.#isFull || this.#failing.size > 0 || timers.now() >= until) {
        this.#isFull = true
        throw tooMuchWaits()
      }
      await this.#evictedThrough.change(until - timers.now())
    }
  }

  /**
   * Resolves when everything published here before the call is readable in ClickHouse: at once when nothing waits, and
   * however much is published meanwhile. For reads that only ClickHouse can answer. Rejects with DomainError
   * `storage_unavailable` while it takes nothing.
   */
  async settled(): Promise<void> {
    const through = this.#publishedThrough
    if (this.#evictedThrough.value >= through) return
    if (this.#wantedThrough < through) {
      await this.#options.want(through)
      this.#wantedThrough = Math.max(this.#wantedThrough, through)
    }
    const { timers } = this.#options
    const until = timers.now() + MOST_WAIT_MS
    while (this.#evictedThrough.value < through) {
      if (this.#failing.size > 0 || timers.now() >= until)
        throw storeUnavailable(undefined, 'Recent writes have not reached ClickHouse, which must evaluate them.')
      await this.#evictedThrough.change(until - timers.now())
    }
  }

  /**
   * As of all projects, also of those whose rows are not in memory: these settle first, if one of the ids may be of a
   * trace that they made. A trace that they imported is found by its key.
   */
  override async findTaken(ids: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    const lacking = this.#unsettled.find(({ missing }) => missing.length > 0)
    const { clock, timers } = this.#options
    if (lacking !== undefined) {
      const since = clock.now() - (timers.now() - lacking.at) - LONGEST_UNSETTLED_MS
      if (ids.some((id) => timeOfId(id) > since)) await this.settled()
    }
    return super.findTaken(ids)
  }

  /**
   * Traces are removed only once neither the memory of this node nor the payloads in PostgreSQL have anything of them:
   * their content must be gone then, and nothing may insert it again.
   */
  async purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    if (this.#purging?.traces !== traces) this.#purging = { traces, newestVersion: null }
    const purging = this.#purging
    if (purging.newestVersion === null) {
      if (traces.some(({ traceId }) => this.recent.has(traceId))) return []
      purging.newestVersion = await this.#newestVersion(traces)
      this.newest.forget(traces.map(({ traceId }) => traceId))
    }
    if (purging.newestVersion > this.#prunedThrough) return []
    this.#size = null
    return this.#options.settled.purgeTraces(traces)
  }

  /** As with traces: the removal is a later commit than the event. */
  async purgeEvents(events: readonly RemovalMark[]): Promise<boolean> {
    if (events.some(({ version }) => version > this.#prunedThrough)) return false
    this.#size = null
    return this.#options.settled.purgeEvents(events)
  }

  /** A deletion is the last version of its trace, so this stays true. */
  async #newestVersion(traces: readonly StoredTrace[]): Promise<number> {
    let newest = 0
    for (let from = 0; from < traces.length; from += TRACES_PER_STATEMENT) {
      const versions = await this.#options.settled.newestVersions(traces.slice(from, from + TRACES_PER_STATEMENT))
      for (const version of versions.values()) newest = Math.max(newest, version)
    }
    return newest
  }

  /** Read again when something has settled or was purged: a ClickHouse that sleeps is not woken for it. */
  async sizeBytes(): Promise<number> {
    const { evictedThrough } = this
    if (this.#size?.evictedThrough === evictedThrough) return this.#size.bytes
    const bytes = await this.#options.settled.sizeBytes()
    this.#size = { evictedThrough, bytes }
    return bytes
  }
}

function joined(one: StoredCommit, other: StoredCommit): StoredCommit {
  return {
    version: one.version,
    traces: [...one.traces, ...other.traces],
    steps: [...one.steps, ...other.steps],
    metricEvents: [...one.metricEvents, ...other.metricEvents],
  }
}

/** Approximate memory of a commit. */
export function bytesOf({ traces, steps, metricEvents }: StoredCommit): number {
  let bytes = BYTES_PER_ROW * (traces.length + steps.length + metricEvents.length)
  for (const { metadata } of traces) bytes += metadata.length
  for (const { prepared } of steps) bytes += prepared.body.length + textsLength(prepared.texts)
  for (const { record } of metricEvents) bytes += record.metadata.length
  return bytes
}

function tooMuchWaits(): DomainError {
  return storeUnavailable(undefined, 'Too much waits for ClickHouse, which takes nothing at the moment.')
}
