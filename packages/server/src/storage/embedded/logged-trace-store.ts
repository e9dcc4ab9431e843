import type { TraceId } from '@spoor/contract/ids'
import { encodeCommitRecord } from './log/commit-record-json.ts'
import type { CommitRecord, RemovalMark } from '../../ports/journal/journal.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { StoredCommit, StoredTrace, TraceReads } from '../../ports/traces/trace-store.ts'
import type { RowLog } from './embedded-log.ts'
import {
  CommitLog,
  type LoggedCommit,
  type MissingCommits,
  oldestLoggedVersion,
  readCommitLog,
  type VersionRange,
} from './log/commit-log.ts'
import type { SettledRows } from '../recent/settled-rows.ts'
import { JoinedTraceReads, TRACES_PER_STATEMENT } from '../recent/joined-trace-reads.ts'
import { SETTLE_BYTES, Settler, type SettlerOptions } from './settle/settler.ts'

/** Keeps, durably and apart from the log, how much of it the engine holds: only that may leave the log. */
export interface SettledRecord {
  /** The last commit that the record of the parts covers. */
  readonly recordedThrough: number
  /** Whether the latest `record` found no part of the engine damaged, and all tables are loaded. */
  readonly isWhole: boolean
  /**
   * The rows of all commits through `version` are in the engine. Resolves with what the record says then, which may be
   * less. Rejects when it cannot be written.
   */
  record(version: number): Promise<number>
}

export interface LoggedTraceStoreOptions extends Omit<SettlerOptions, 'settled' | 'log' | 'recent'> {
  /** The last trace of the journal's last commit or of one before it; null when there is none. */
  readonly lastTraceId: TraceId | null
  /**
   * The engine holds all commits up to this one. Null without such a record: then the engine is assumed to hold the
   * commits before the log's first one.
   */
  readonly settledThrough: number | null
  /** Parts of the engine are missing. New rows could take their names, and the next start would not miss them. */
  readonly lacksParts: boolean
  /**
   * Asked before anything is removed from the log: the commits that neither the engine nor the log holds, none in
   * health. Throws when the store is not to be opened without them.
   */
  readonly onMissing: (missing: readonly MissingCommits[]) => Promise<void> | void
  readonly settledRecord: SettledRecord
  /** Makes sure that the journal no longer needs the log for its commits so far. */
  readonly secureJournal: () => void
  /** Called with the number of commits that the log held at the start, once they are in the engine. */
  readonly onSettledAtStart: (commits: number) => void
}

const NOTHING = Buffer.alloc(0)

type Log = Pick<
  CommitLog,
  'append' | 'takeBack' | 'repair' | 'canRelease' | 'release' | 'close' | 'oldestVersion' | 'sizeBytes'
>

/**
 * The embedded trace store. A commit is durable once it is in the log, a file that is appended to and flushed. That is
 * a hundred times cheaper than a part of the engine, which is a folder of files. Reads get committed rows from memory
 * until these have settled in the engine, some hundred traces at a time.
 */
export class LoggedTraceStore extends JoinedTraceReads implements TraceReads, RowLog {
  readonly #log: Log
  readonly #options: LoggedTraceStoreOptions
  readonly #settled: SettledRows
  readonly #settler: Settler
  #staged: StoredCommit | null = null
  /** The batch being purged, once it is in neither log nor memory. */
  #released: readonly StoredTrace[] | null = null

  /**
   * Settles what the log in `directory` holds of committed traces, then takes new ones. Rejects when the engine cannot
   * take its commits, and when `onMissing` throws: nothing has been removed then.
   */
  static async open(
    settled: SettledRows,
    directory: string,
    options: LoggedTraceStoreOptions,
  ): Promise<LoggedTraceStore> {
    const { committedVersion, settledThrough, settledRecord } = options
    const oldest = await oldestLoggedVersion(directory)
    const after = settledThrough ?? (oldest === null ? committedVersion : oldest - 1)
    const missing: MissingCommits[] = []
    const range = { after, through: committedVersion }
    const onGap = (gap: MissingCommits) => missing.push(gap)
    if (options.lacksParts) {
      for await (const _commit of readCommitLog(directory, range, onGap));
      await options.onMissing(missing.splice(0))
    }
    const commits = await settleLogged(settled, directory, range, onGap)
    if (!options.lacksParts) await options.onMissing(missing)
    if (commits > 0) options.onSettledAtStart(commits)
    if ((await settledRecord.record(committedVersion)) < committedVersion)
      throw new OperatorError(
        'A part of the telemetry store is damaged, cannot be flushed, or its table could not be loaded; the log names it. If the disk is full, make space. Then start again.',
      )
    options.secureJournal()
    return new LoggedTraceStore(settled, await CommitLog.open(directory, committedVersion + 1), options)
  }

  constructor(settled: SettledRows, log: Log, options: LoggedTraceStoreOptions) {
    super(settled, options.lastTraceId)
    this.#settled = settled
    this.#log = log
    this.#options = options
    const release = (through: number, leaveActive: boolean) => this.#release(through, leaveActive)
    this.#settler = new Settler({ ...options, log: { release }, settled, recent: this.recent })
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
    this.show(staged)
    this.#settler.keep()
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

  /** Settles everything and closes the log. Rejects when the engine cannot take it: it stays in the log then. */
  async close(): Promise<void> {
    try {
      await this.#settler.close()
      await this.#settler.releaseLog()
    } finally {
      await this.#log.close()
    }
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
      this.newest.forget(traces.map(({ traceId }) => traceId))
    }
    const gone = await this.#settled.purgeTraces(traces)
    return gone.length > 0 && (await this.#isRecorded()) ? gone : []
  }

  /** As with traces: the removal is a later commit than the event. */
  async purgeEvents(events: readonly RemovalMark[]): Promise<boolean> {
    await this.#settler.releaseLog()
    if (events.some(({ version }) => version >= this.#log.oldestVersion)) return false
    return (await this.#settled.purgeEvents(events)) && (await this.#isRecorded())
  }

  /** The removal may have left a damaged part. Its repair restores the rows from before it. */
  async #isRecorded(): Promise<boolean> {
    await this.#options.settledRecord.record(this.#settler.settledVersion)
    return this.#options.settledRecord.isWhole
  }

  /**
   * Whether only the engine has something of them. A deletion is the last version of its trace, so this stays true.
   */
  async #isOnlySettled(traces: readonly StoredTrace[]): Promise<boolean> {
    for (let from = 0; from < traces.length; from += TRACES_PER_STATEMENT) {
      const part = traces.slice(from, from + TRACES_PER_STATEMENT)
      if (part.some(({ traceId }) => this.recent.has(traceId))) return false
      const versions = await this.#settled.newestVersions(part)
      for (const version of versions.values()) if (version >= this.#log.oldestVersion) return false
    }
    return true
  }

  async sizeBytes(): Promise<number> {
    return this.#log.sizeBytes + (await this.#settled.sizeBytes())
  }
}

/**
 * Inserts the rows of a range of logged commits that the engine lacks. Resolves with the number of commits that the log
 * holds of it.
 */
export async function settleLogged(
  settled: Pick<SettledRows, 'insertMissing'>,
  directory: string,
  range: VersionRange,
  onMissing: (missing: MissingCommits) => void,
): Promise<number> {
  let commits = 0
  for await (const group of groups(readCommitLog(directory, range, onMissing))) {
    const rows = {
      traces: Buffer.concat(group.map(({ traces }) => traces)),
      steps: Buffer.concat(group.map(({ steps }) => steps)),
      metricEvents: Buffer.concat(group.map(({ metricEvents }) => metricEvents)),
    }
    await settled.insertMissing(rows, group[0]?.version ?? 0, group.at(-1)?.version ?? 0)
    commits += group.length
  }
  return commits
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
