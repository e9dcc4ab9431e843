import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { encodeCommitRecord } from './log/commit-record-json.ts'
import type { CommitRecord } from '../../ports/journal/journal.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  FIRST_STEPS,
  type OpenedTrace,
  type StepPlace,
  type StepRange,
  type StoredCommit,
  type StoredTrace,
  type TraceReads,
} from '../../ports/traces/trace-store.ts'
import type { RowLog } from './embedded-log.ts'
import { mergeCandidates } from '../clickhouse/feed/candidate-order.ts'
import type { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import {
  CommitLog,
  type LoggedCommit,
  type MissingCommits,
  oldestLoggedVersion,
  readCommitLog,
} from './log/commit-log.ts'
import type { RecentMetricEvents } from './recent/recent-metric-events.ts'
import { NewestTraces } from './recent/newest-traces.ts'
import { RecentRows, toStepRecord } from './recent/recent-rows.ts'
import { SETTLE_BYTES, Settler } from './settle/settler.ts'

/** Keeps, durably and apart from the log, how much of it the engine holds: only that may leave the log. */
export interface SettledRecord {
  /** What the record says now. */
  readonly recordedThrough: number
  /**
   * The rows of all commits through `version` are in the engine. Resolves with what the record says then, which may be
   * less. Rejects when it cannot be written.
   */
  record(version: number): Promise<number>
}

export interface LoggedTraceStoreOptions {
  /** Number of the journal's last commit: what the log holds beyond it is in no answer. */
  readonly committedVersion: number
  /** The last trace of that commit or of one before it; null when there is none. */
  readonly lastTraceId: TraceId | null
  /**
   * The engine holds all commits up to this one. Null when nobody kept a record of that: then it is taken to hold what
   * the log does not begin with.
   */
  readonly settledThrough: number | null
  /**
   * Asked before anything is removed from the log: the commits that neither the engine nor the log holds, none in
   * health. Throws when the store is not to be opened without them.
   */
  readonly onMissing: (missing: readonly MissingCommits[]) => Promise<void> | void
  readonly settledRecord: SettledRecord
  /** Makes sure that the journal needs the log no more for what it has written so far. */
  readonly secureJournal: () => void
  /** Whether the words of steps are stored for search. */
  readonly fullText: boolean
  readonly timers: Timers
  /** Called with the number of commits that the log held at the start, once they are in the engine. */
  readonly onSettledAtStart: (commits: number) => void
  /**
   * Called for each failed try to move commits into the engine. They stay in the log and in memory, and are tried
   * again.
   */
  readonly onError: (error: unknown) => void
  /** Called when they are in the engine after such a failure. */
  readonly onRecovered: () => void
  /** Called when the log could not delete what has settled; it tries again. */
  readonly onReleaseError: (error: unknown) => void
}

const NOTHING = Buffer.alloc(0)

/** Traces named in one statement: the engine takes at most 256 KB. */
const TRACES_PER_STATEMENT = 2000

type Log = Pick<
  CommitLog,
  'append' | 'takeBack' | 'repair' | 'canRelease' | 'release' | 'close' | 'oldestVersion' | 'sizeBytes'
>

/**
 * The embedded trace store. A commit is durable once it is in the log, a file that is appended to and flushed. That is
 * a hundred times cheaper than a part of the engine, which is a folder of files. Reads get committed rows from memory
 * until these have settled in the engine, some hundred traces at a time.
 */
export class LoggedTraceStore implements TraceReads, RowLog {
  readonly #settled: ClickHouseTraceStore
  readonly #log: Log
  readonly #options: LoggedTraceStoreOptions
  readonly #recent: RecentRows
  readonly #newest: NewestTraces
  readonly #settler: Settler
  #staged: StoredCommit | null = null
  /** The batch being purged, once it is in neither log nor memory. */
  #released: readonly StoredTrace[] | null = null
  readonly #listeners: ((commit: StoredCommit) => void)[] = []

  /**
   * Settles what the log in `directory` holds of committed traces, then takes new ones. Rejects when the engine cannot
   * take its commits, and when `onMissing` throws: nothing has been removed then.
   */
  static async open(
    settled: ClickHouseTraceStore,
    directory: string,
    options: LoggedTraceStoreOptions,
  ): Promise<LoggedTraceStore> {
    const { committedVersion, settledThrough, settledRecord } = options
    const oldest = await oldestLoggedVersion(directory)
    const after = settledThrough ?? (oldest === null ? committedVersion : oldest - 1)
    const missing: MissingCommits[] = []
    let commits = 0
    const logged = readCommitLog(directory, { after, through: committedVersion }, (gap) => missing.push(gap))
    for await (const group of groups(logged)) {
      const rows = {
        traces: Buffer.concat(group.map(({ traces }) => traces)),
        steps: Buffer.concat(group.map(({ steps }) => steps)),
        metricEvents: Buffer.concat(group.map(({ metricEvents }) => metricEvents)),
      }
      await settled.insertMissing(rows, group[0]?.version ?? 0, group.at(-1)?.version ?? 0)
      commits += group.length
    }
    await options.onMissing(missing)
    if (commits > 0) options.onSettledAtStart(commits)
    if ((await settledRecord.record(committedVersion)) < committedVersion)
      throw new Error('the engine could not flush what it holds')
    options.secureJournal()
    return new LoggedTraceStore(settled, await CommitLog.open(directory, committedVersion + 1), options)
  }

  constructor(settled: ClickHouseTraceStore, log: Log, options: LoggedTraceStoreOptions) {
    this.#settled = settled
    this.#log = log
    this.#options = options
    this.#recent = new RecentRows()
    this.#newest = new NewestTraces(options.lastTraceId)
    const release = (through: number, leaveActive: boolean) => this.#release(through, leaveActive)
    this.#settler = new Settler({ ...options, log: { release }, settled, recent: this.#recent })
  }

  /** The engine holds the rows of all commits up to this one. */
  get settledVersion(): number {
    return this.#settler.settledVersion
  }

  /** Deletes from the log what has settled by the record. Call it when the record has grown. */
  releaseRecorded(): Promise<void> {
    return this.#release(this.#settler.settledVersion, false)
  }

  async #release(through: number, leaveActive: boolean): Promise<void> {
    const { settledRecord, secureJournal } = this.#options
    const recorded = leaveActive ? await settledRecord.record(through) : settledRecord.recordedThrough
    const released = Math.min(through, recorded)
    if (leaveActive || this.#log.canRelease(released)) secureJournal()
    await this.#log.release(released, leaveActive)
  }

  waitForCapacity(): Promise<void> {
    return this.#settler.waitForCapacity()
  }

  async stage(commit: StoredCommit, record?: CommitRecord): Promise<void> {
    const rows = await this.#settler.write(commit)
    const journal = record === undefined ? NOTHING : encodeCommitRecord(record)
    await this.#log.append(commit.version, { ...rows, journal })
    this.#staged = commit
  }

  publish(version: number): void {
    const staged = this.#staged
    if (staged?.version !== version) throw new Error(`commit ${version} is not the one that was staged`)
    this.#staged = null
    this.#recent.add(staged)
    this.#newest.add(staged)
    this.#settler.keep()
    for (const listener of this.#listeners) listener(staged)
  }

  /** Calls the listener for each commit when it becomes readable, before it is answered. */
  watch(listener: (commit: StoredCommit) => void): void {
    this.#listeners.push(listener)
  }

  async repair(): Promise<void> {
    if (this.#staged !== null) this.#log.takeBack(this.#staged.version)
    this.#staged = null
    this.#settler.undo()
    await this.#log.repair()
  }

  /** Resolves when everything published is in the engine, also what is published while it waits. */
  settle(): Promise<void> {
    return this.#settler.settleAll()
  }

  /**
   * Resolves when everything published before the call is in the engine: at once when nothing waits, and however much
   * is published meanwhile. For reads that only the engine can answer. Rejects with DomainError `storage_unavailable`
   * while the engine takes nothing.
   */
  settled(): Promise<void> {
    return this.#settler.settled()
  }

  /** Metric events that are readable and may not be in the engine yet. */
  get recentMetricEvents(): Pick<RecentMetricEvents, 'ofTrace' | 'list'> {
    return this.#recent.metricEvents
  }

  /** Settles everything and closes the log. Rejects when the engine cannot take it: it stays in the log then. */
  async close(): Promise<void> {
    try {
      await this.#settler.close()
      await this.#settler.releaseLog()
    } finally {
      await this.#log.close()
    }
  }

  // Reads use memory first: rows that leave it meanwhile are in the engine already, and duplicates are removed.

  async findTraces(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    const found: TraceRecord[] = []
    const older: TraceId[] = []
    for (const id of new Set(ids)) {
      const trace = this.#newest.find(projectId, id)
      // It has the newest version alone.
      if (!this.#newest.covers(id) || (trace !== undefined && trace.version > atVersion)) older.push(id)
      else if (trace !== undefined) found.push(trace)
    }
    if (older.length === 0) return found
    return [...found, ...(await this.#findOlder(projectId, older, atVersion))]
  }

  async #findOlder(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    const found: TraceRecord[] = []
    /**
     * Those of which memory has only versions later than `atVersion`: the oldest of them, in case there is none in the
     * engine.
     */
    const later = new Map<TraceId, TraceRecord>()
    const missing: TraceId[] = []
    for (const id of ids) {
      const versions = this.#recent.versions(projectId, id)
      const newest = versions.findLast(({ version }) => version <= atVersion)
      if (newest !== undefined) {
        found.push(newest)
        continue
      }
      missing.push(id)
      if (versions[0] !== undefined) later.set(id, versions[0])
    }
    for (const trace of await this.#settled.findTraces(projectId, missing, atVersion)) {
      const other = later.get(trace.id)
      if (other === undefined || trace.version <= other.version) {
        found.push(trace)
        later.delete(trace.id)
      }
    }
    return [...found, ...later.values()]
  }

  async openTrace(projectId: ProjectId, traceId: TraceId, atVersion: number): Promise<OpenedTrace> {
    const range = { projectId, traceId, fromPosition: 0, limit: FIRST_STEPS.count, maxVersion: atVersion }
    const trace = this.#newest.find(projectId, traceId)
    const newest = this.#newest.steps(range)
    if (newest !== null && (trace?.version ?? 0) <= atVersion) {
      const large = newest.findIndex(({ body }) => body.length > FIRST_STEPS.bodyBytes)
      return { trace, firstSteps: large === -1 ? newest : newest.slice(0, large) }
    }
    // Callers that read page by page merge what memory and engine have of it.
    if (this.#newest.covers(traceId) || this.#recent.has(traceId)) {
      const [found] = await this.findTraces(projectId, [traceId], atVersion)
      return { trace: found, firstSteps: [] }
    }
    return this.#settled.openTrace(projectId, traceId, atVersion)
  }

  async findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    const page = this.#newest.page(query)
    if (page === null) return this.#findCandidates(query)
    const { candidates, rest } = page
    return rest === null ? [...candidates] : [...candidates, ...(await this.#findCandidates(rest))]
  }

  async #findCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    const recent = this.#recent.findFeedCandidates(query)
    const unmatched = this.#recent.findUnmatched(query)
    const { drops } = this.#recent
    const found = await this.#settled.findFeedCandidates(query)
    // A row of the engine is the latest version only if memory has had none of the trace since before the query. A
    // version that left memory meanwhile may have reached the engine after the query.
    const isCertain = this.#recent.drops === drops
    const settled = found.map((candidate) =>
      isCertain && !this.#recent.has(candidate.id)
        ? candidate
        : { id: candidate.id, version: candidate.version, key: candidate.key },
    )
    const matched = await this.#matchedBySettledSteps(query, unmatched)
    return mergeCandidates([...recent, ...matched], settled, query)
  }

  async findSteps(range: StepRange): Promise<StepRecord[]> {
    const newest = this.#newest.steps(range)
    if (newest !== null) return [...newest]
    const recent = this.#recent.steps(range)
    const settled = await this.#settled.findSteps(range)
    return inOrder(settled, recent, range.limit, toStepRecord)
  }

  async findStepSizes(range: StepRange): Promise<{ position: number; bodyBytes: number }[]> {
    const recent = this.#recent.steps(range)
    const settled = await this.#settled.findStepSizes(range)
    return inOrder(settled, recent, range.limit, ({ position, prepared }) => ({
      position,
      bodyBytes: prepared.body.length,
    }))
  }

  async findStepIds(projectId: ProjectId, traceId: TraceId, limit: number): Promise<StepId[]> {
    const recent = this.#recent.steps({ projectId, traceId, fromPosition: 0, limit, maxVersion: Infinity })
    const settled = await this.#settled.findStepIds(projectId, traceId, limit)
    return [...new Set([...settled, ...recent.map(({ id }) => id)])].slice(0, limit)
  }

  async findStepsAmong(projectId: ProjectId, steps: readonly StepPlace[], maxVersion: number): Promise<StepPlace[]> {
    const found = this.#recent.stepsAmong(projectId, steps, maxVersion)
    const inMemory = new Set(found.map(({ traceId, stepId }) => `${traceId}${stepId}`))
    const missing = steps.filter(({ traceId, stepId }) => !inMemory.has(`${traceId}${stepId}`))
    return [...found, ...(await this.#settled.findStepsAmong(projectId, missing, maxVersion))]
  }

  /**
   * Traces are removed only once neither memory nor the log has anything of them: a crash would restore them from
   * there.
   */
  async purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    if (this.#released !== traces) {
      await this.#settler.releaseLog()
      if (!(await this.#isOnlySettled(traces))) return []
      this.#released = traces
      this.#newest.forget(traces.map(({ traceId }) => traceId))
    }
    return this.#settled.purgeTraces(traces)
  }

  /**
   * Whether only the engine has something of them. A deletion is the last version of its trace, so this stays true.
   */
  async #isOnlySettled(traces: readonly StoredTrace[]): Promise<boolean> {
    for (let from = 0; from < traces.length; from += TRACES_PER_STATEMENT) {
      const part = traces.slice(from, from + TRACES_PER_STATEMENT)
      if (part.some(({ traceId }) => this.#recent.has(traceId))) return false
      const versions = await this.#settled.newestVersions(part)
      for (const version of versions.values()) if (version >= this.#log.oldestVersion) return false
    }
    return true
  }

  async sizeBytes(): Promise<number> {
    return this.#log.sizeBytes + (await this.#settled.sizeBytes())
  }

  /** Versions in memory whose words are in a step that is in the engine. */
  async #matchedBySettledSteps(
    query: FeedCandidateQuery,
    unmatched: readonly FeedCandidate[],
  ): Promise<readonly FeedCandidate[]> {
    const among = [...new Set(unmatched.map(({ id }) => id))].sort()
    const ids = new Set<TraceId>()
    for (let from = 0; from < among.length; from += TRACES_PER_STATEMENT) {
      const part = among.slice(from, from + TRACES_PER_STATEMENT)
      const matched = await this.#settled.findFeedCandidates({
        ...query,
        termGroups: [],
        among: part,
        lowestId: part[0] as TraceId,
        highestId: part.at(-1) as TraceId,
        sort: 'created_at',
        order: 'asc',
        atVersion: null,
        after: null,
        limit: part.length,
      })
      for (const { id } of matched) ids.add(id)
    }
    return unmatched.filter(({ id }) => ids.has(id))
  }
}

/** Small commits together: each insert of the engine takes milliseconds. */
async function* groups(commits: AsyncIterable<LoggedCommit>): AsyncGenerator<readonly LoggedCommit[]> {
  let group: LoggedCommit[] = []
  let bytes = 0
  for await (const commit of commits) {
    group.push(commit)
    bytes += commit.traces.length + commit.steps.length + commit.metricEvents.length
    if (bytes < SETTLE_BYTES) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

/**
 * Steps of the engine, then later ones of memory: positions grow, and steps that settled meanwhile are in both. A step
 * of memory at an earlier position is the same or a newer version.
 */
function inOrder<Settled extends { readonly position: number }, Recent extends { readonly position: number }>(
  settled: readonly Settled[],
  recent: readonly Recent[],
  limit: number,
  convert: (recent: Recent) => Settled,
): Settled[] {
  const last = settled.at(-1)?.position ?? -1
  const later = recent.filter(({ position }) => position > last).map(convert)
  const newer = new Map(recent.filter(({ position }) => position <= last).map((step) => [step.position, step]))
  const earlier =
    newer.size === 0
      ? settled
      : settled.map((step) => {
          const replacing = newer.get(step.position)
          return replacing === undefined ? step : convert(replacing)
        })
  return [...earlier, ...later].slice(0, limit)
}
