import { inSlices } from '../../lib/flow/in-slices.ts'
import type { OperatorError } from '../../lib/operator-error.ts'
import { onBehalfOfService } from '../../lib/flow/requester.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { LeaseEpoch } from '../../ports/leases/lease-store.ts'
import type { RowBytes, SharedRows } from '../recent/settled-rows.ts'
import { SettleBatch } from '../recent/settle-batch.ts'
import type { LogHead } from './log-head.ts'
import type { ClusterTraceStore, UnsettledCommit } from './cluster-trace-store.ts'
import { MismatchError, type SettlingRecord } from './settling-record.ts'

export interface ClusterSettlerOptions {
  /** The lease of the work of one node, while this node holds it. */
  readonly lease: () => LeaseEpoch | null
  readonly record: Pick<SettlingRecord, 'fix' | 'finish' | 'prune'>
  readonly settled: Pick<SharedRows, 'insert' | 'markSettled' | 'marks'>
  readonly store: Pick<ClusterTraceStore, 'unsettled' | 'setFailing'>
  /** Reads the log: see ClusterLog. */
  readonly follow: () => Promise<void>
  /** Whether the words of steps are stored for search. */
  readonly fullText: boolean
  readonly timers: Timers
  readonly newBatchId: () => string
  readonly onError: (error: unknown, message: string) => void
  readonly onRecovered: () => void
  /** This node cannot continue. */
  readonly onFatal: (error: OperatorError) => void
}

/** Commits settle when this many bytes wait: large enough that the cost of each insert hardly counts. */
const SETTLE_BYTES = 4 * 1024 * 1024
/** … or when the first of them has waited this long. */
const SETTLE_AFTER_MS = 400
/** A batch is not larger unless its first commit is. */
const MOST_BATCH_BYTES = 16 * 1024 * 1024
const RETRY_AFTER_MS = 1000
/** A replica of ClickHouse may lag by this much. */
const MOST_LAG_MS = 60_000
const PRUNE_EVERY_MS = 10_000
/** A node that is slower than this ends: it could not follow. */
const PAYLOADS_KEPT_MS = 10 * 60_000

/**
 * Moves commits from the log into ClickHouse while this node holds the lease. PostgreSQL fixes each batch first; then
 * its rows are inserted under its id, its mark is inserted last, and PostgreSQL records that it has settled. A crash
 * between any two of these repeats the same batch under the same id, which ClickHouse stores once.
 */
export class ClusterSettler {
  readonly #options: ClusterSettlerOptions
  /** Of the lease under which this node has settled last. */
  #epoch: number | null = null
  #working: Promise<void> | null = null
  #retryAt = -Infinity
  /** Since this node has the lease. */
  #hasCompared = false
  #mismatchSince: number | null = null
  #prunedAt: number
  #isFailing = false
  #isClosed = false
  /** Of this process; `ms` is the time of batches that have settled. */
  readonly totals = { batches: 0, commits: 0, bytes: 0, ms: 0, failures: 0 }

  constructor(options: ClusterSettlerOptions) {
    this.#options = options
    this.#prunedAt = options.timers.now()
  }

  /** Call it often, and after each read of the log. Settles when it is time and all rows are in memory. */
  look(head: LogHead, holdsAll: boolean): void {
    if (this.#isClosed) return
    const lease = this.#options.lease()
    if (this.#working !== null) return
    if (lease?.epoch !== this.#epoch) this.#begin(lease)
    if (lease === null || !holdsAll) return
    const now = this.#options.timers.now()
    if (this.#isDue(head, now)) this.#work(() => this.#settle(lease, head))
    else if (head.settledThrough > head.prunedThrough && now - this.#prunedAt >= PRUNE_EVERY_MS)
      this.#work(() => this.#prune(lease))
  }

  get isHolder(): boolean {
    return this.#options.lease() !== null
  }

  #work(work: () => Promise<void>): void {
    this.#working = onBehalfOfService(work).finally(() => (this.#working = null))
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#working
  }

  #isDue(head: LogHead, now: number): boolean {
    if (now < this.#retryAt) return false
    if (!this.#hasCompared || head.sentThrough > head.settledThrough) return true
    const waiting = this.#waiting(head)
    const [first] = waiting
    if (first === undefined) return false
    if (head.wantedThrough > head.settledThrough || now - first.at >= SETTLE_AFTER_MS) return true
    let bytes = 0
    return waiting.some((one) => (bytes += one.bytes) >= SETTLE_BYTES)
  }

  #waiting({ settledThrough }: LogHead): readonly UnsettledCommit[] {
    return this.#options.store.unsettled.filter(({ commit }) => commit.version > settledThrough)
  }

  #begin(lease: LeaseEpoch | null): void {
    this.#epoch = lease?.epoch ?? null
    this.#hasCompared = false
    this.#isFailing = false
    this.#mismatchSince = null
    this.#options.store.setFailing('settling', false)
  }

  /** Another node has taken the lease, which this one will notice. */
  #loseLease(): void {
    this.#retryAt = this.#options.timers.now() + RETRY_AFTER_MS
  }

  async #settle(lease: LeaseEpoch, head: LogHead): Promise<void> {
    const { timers, store, onError, onRecovered } = this.#options
    try {
      if (!(await this.#settleNext(lease, head))) this.#loseLease()
      if (this.#isFailing) onRecovered()
      this.#isFailing = false
      this.#mismatchSince = null
    } catch (error) {
      if (error instanceof MismatchError && this.#isFinal(error)) {
        this.#isClosed = true
        return this.#options.onFatal(error)
      }
      this.#isFailing = true
      this.totals.failures++
      this.#retryAt = timers.now() + RETRY_AFTER_MS
      onError(error, 'commits could not be moved into ClickHouse yet')
    }
    store.setFailing('settling', this.#isFailing)
  }

  #isFinal({ mayPass }: MismatchError): boolean {
    const now = this.#options.timers.now()
    return !mayPass || now - (this.#mismatchSince ??= now) >= MOST_LAG_MS
  }

  /** False when the lease is another node's by now. */
  async #settleNext(lease: LeaseEpoch, head: LogHead): Promise<boolean> {
    const { record, settled, store, follow, newBatchId, fullText, timers } = this.#options
    const startedAt = timers.now()
    const next = { id: newBatchId(), through: throughOf(this.#waiting(head)) ?? head.settledThrough }
    const batch = await record.fix(lease, next, await settled.marks())
    if (batch === null) return false
    this.#hasCompared = true
    const count = batch.through - batch.after
    if (count <= 0) return true
    // A batch that another node has fixed may end with commits that this one has not read yet.
    await follow()
    const commits = store.unsettled.filter(
      ({ commit: { version } }) => version > batch.after && version <= batch.through,
    )
    // They leave memory when they have settled: another node has done it. Rows are missing after a loss of the lease.
    if (commits.length < count || commits.some(({ missing }) => missing.length > 0)) return false
    await settled.insert(await rowsOf(commits, fullText), batch.id)
    await settled.markSettled(batch.timeline, batch.through, batch.id)
    const isCurrent = await record.finish(lease, batch)
    this.totals.batches++
    this.totals.commits += count
    for (const { bytes } of commits) this.totals.bytes += bytes
    this.totals.ms += timers.now() - startedAt
    await follow()
    return isCurrent !== null
  }

  async #prune(lease: LeaseEpoch): Promise<void> {
    const { timers, record, onError } = this.#options
    this.#prunedAt = timers.now()
    try {
      if ((await record.prune(lease, PAYLOADS_KEPT_MS)) === null) this.#loseLease()
    } catch (error) {
      onError(error, 'settled commits could not be deleted from the log yet')
    }
  }
}

/** Of as many commits as fit into a batch; null when there are none. */
function throughOf(waiting: readonly UnsettledCommit[]): number | null {
  let [bytes, through]: [number, number | null] = [0, null]
  for (const one of waiting) {
    bytes += one.bytes
    if (through !== null && bytes > MOST_BATCH_BYTES) break
    through = one.commit.version
  }
  return through
}

async function rowsOf(commits: readonly UnsettledCommit[], fullText: boolean): Promise<RowBytes> {
  const batch = new SettleBatch(fullText)
  for (const { commit } of commits) {
    await inSlices(batch.write(commit))
    batch.keep()
  }
  return batch.rows()
}
